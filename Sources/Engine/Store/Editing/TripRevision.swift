import TextCoding
import Time
public import Tracking

/// The result of a change that a person made to trips.
public struct TripRevision: Hashable, Sendable {
    /// A kind of change.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// Two trips became one.
        case merge
        /// A trip became two.
        case split
        /// Points were removed from a trip.
        case edit
        /// The numbers of a trip were recomputed.
        case recompute
        /// The latest change of a trip was undone.
        case undo
        /// Points came that were made before others of the trip.
        case late
    }

    /// The kind of the change.
    public var change: Change
    /// The changed trips as they are stored now, by start.
    public var trips: [RecordedTrip]
    /// The ids of trips that no longer exist because another trip shows their points.
    public var gone: [String]
    /// The events to append to the log in the same transaction, a `trip.revised` for each trip.
    public var events: [EventRecord]
}

extension EventRecord {
    /// Creates the event for a changed trip.
    ///
    /// Its time is the time of the change, by the system clock.
    ///
    /// - Parameter heir: The id of the trip that now shows this trip's points, if this trip no longer exists.
    init(_ trip: RecordedTrip, by change: TripRevision.Change, at time: Timestamp, into heir: String?) {
        var json = JSONWriter()
        json.member("type", Self.tripRevised)
        json.member("time", time.description)
        json.member("device", trip.summary.device)
        json.object("trip") { json in
            trip.summary.writeMembers(to: &json)
            json.member("revision", trip.revision)
        }
        json.member("change", change.rawValue)
        json.member("into", heir)
        self.init(
            time: time, type: Self.tripRevised, device: trip.summary.device, subject: "trip/\(trip.summary.id)",
            members: json.bytes)
    }

    /// The type of the event for a changed trip.
    public static let tripRevised = "trip.revised"
    static let tripEnd = "trip.end"
}
