public import Geodesy
public import Positioning
public import TextCoding
import Tracking

/// What a replay came to.
public struct ReplaySummary: Sendable {
    /// Fixes read.
    public private(set) var read = 0
    /// Fixes accepted.
    public private(set) var accepted = 0
    /// Fixes not accepted, by reason.
    public private(set) var rejected = Tally()
    /// What the readers skipped, by reason.
    public internal(set) var malformed = Tally()
    /// Fixes that took their date from a sentence that came later in their recording.
    public internal(set) var datedLater = 0
    /// The length of the trips that ended.
    public private(set) var distance = Distance.zero
    /// Durable events by type.
    public internal(set) var events = Tally()
    /// The first accepted fix.
    public private(set) var first: Timestamp?
    /// The last accepted fix.
    public private(set) var last: Timestamp?
    /// Whether a recording could not be replayed, or not to its end.
    public internal(set) var hasFailed = false

    init() {}

    /// Trips that ended.
    public var trips: Int { events["trip.end"] }
    /// Stops that ended.
    public var stops: Int { events["stop.end"] }

    /// Adds what one device's tracker has seen.
    mutating func add(_ statistics: Tracker.Statistics) {
        read += statistics.read
        accepted += statistics.accepted
        rejected.add(statistics.rejected)
        distance += statistics.distance
        first = [first, statistics.first].compactMap(\.self).min()
        last = [last, statistics.last].compactMap(\.self).max()
    }

    /// Writes the summary's members in the order of the protocol.
    public func writeMembers(to json: inout JSONWriter) {
        func tally(_ key: String, _ tally: Tally) {
            json.object(key) { json in
                for (reason, count) in tally.sorted { json.member(reason, count) }
            }
        }
        json.member("type", "summary")
        json.member("read", read)
        json.member("accepted", accepted)
        tally("rejected", rejected)
        tally("malformed", malformed)
        if datedLater > 0 { json.member("dated_later", datedLater) }
        json.member("distance", distance.meters, decimals: 1)
        json.member("trips", trips)
        json.member("stops", stops)
        tally("events", events)
        json.member("first", first?.description)
        json.member("last", last?.description)
    }
}
