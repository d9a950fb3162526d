import Positioning
import TextCoding
import Tracking

/// What someone has made of trips, as it is in the store now.
public struct TripRevision: Hashable, Sendable {
    /// What someone did.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// Two trips became one.
        case merge
        /// A trip became two.
        case split
        /// Points were removed from a trip.
        case edit
        /// The numbers of a trip were found anew.
        case recompute
        /// The last of these that was done to a trip was undone.
        case undo
    }

    /// What was done.
    public var change: Change
    /// The trips as they are now, by start.
    public var trips: [RecordedTrip]
    /// The ids of those that are no longer there: what they show, another does.
    public var gone: [String]
    /// What the log is to tell of it in the same transaction, a `trip.revised` for each.
    public var events: [EventRecord]
}

extension EventRecord {
    /// What is told of a trip that someone has changed.
    ///
    /// Its time is that of the change, by the system's clock.
    ///
    /// - Parameter heir: the id of the trip that now shows what this one did, where it is no longer there.
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

    /// The type of an event that tells of a changed trip.
    public static let tripRevised = "trip.revised"
    static let tripEnd = "trip.end"
}
