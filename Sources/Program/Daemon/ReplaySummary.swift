public import Geodesy
public import Positioning
public import TextCoding
public import Time
import Tracking

/// The counts of a replay.
public struct ReplaySummary: Sendable {
    /// The number of fixes read.
    public private(set) var read = 0
    /// The number of fixes accepted.
    public private(set) var accepted = 0
    /// The number of fixes rejected, by reason.
    public private(set) var rejected = Tally()
    /// The number of inputs that the readers skipped, by reason.
    public internal(set) var malformed = Tally()
    /// The number of fixes whose date came from a later sentence of their recording.
    public internal(set) var datedLater = 0
    /// The number of legs that were too long, or took too long, to judge what the device passed.
    public private(set) var unjudgedLegs = 0
    /// The total length of the trips that ended.
    public private(set) var distance = Distance.zero
    /// The number of durable events, by type.
    public internal(set) var events = Tally()
    /// The time of the first accepted fix.
    public private(set) var first: Timestamp?
    /// The time of the last accepted fix.
    public private(set) var last: Timestamp?
    /// The number of recordings.
    public internal(set) var files = 0
    /// What was assumed about the recordings or left out of them, each with its file.
    public internal(set) var notices: [(file: String, text: String)] = []
    /// The first fix that was rejected.
    public internal(set) var firstRejected: LeftOut.First?
    /// Whether a recording could not be replayed to its end, or not at all.
    public internal(set) var hasFailed = false

    init() {}

    /// The number of trips that ended.
    public var trips: Int { events["trip.end"] }
    /// The number of stops that ended.
    public var stops: Int { events["stop.end"] }

    /// Adds the statistics of one device's tracker.
    mutating func add(_ statistics: Tracker.Statistics) {
        read += statistics.read
        accepted += statistics.accepted
        rejected.add(statistics.rejected)
        unjudgedLegs += statistics.unjudgedLegs
        distance += statistics.distance
        first = [first, statistics.first].compactMap(\.self).min()
        last = [last, statistics.last].compactMap(\.self).max()
    }

    /// Writes the summary's members in the order that the protocol documents.
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
        if files > 1 { json.member("files", files) }
        if let firstRejected {
            json.object("first_rejected") { firstRejected.writeMembers(to: &$0) }
        }
        guard !notices.isEmpty else { return }
        json.array("notices") { json in
            for (file, text) in notices {
                json.object { json in
                    json.member("file", file)
                    json.member("text", text)
                }
            }
        }
    }
}
