public import Positioning
public import Receivers
import TextCoding
public import Time

/// What became of a recording's points: how many were read, and how many were left out and why.
public struct LeftOut: Sendable {
    /// The number of points read.
    public var read: Int
    /// The number of points left out, by reason.
    public var reasons: Tally
    /// The first of them, if it is known.
    public var first: First?

    /// A point that was left out.
    public struct First: Hashable, Sendable {
        /// The reason.
        public var reason: String
        /// Its time; `nil` if it has none.
        public var time: Timestamp?
        /// Its place in the file; `nil` if that is unknown, because the input cannot be read twice.
        public var place: RecordingPlace?

        /// Creates a point whose place is not known yet.
        public init(_ reason: String, at time: Timestamp?) { (self.reason, self.time) = (reason, time) }

        /// Writes its members in the order that the protocol documents.
        func writeMembers(to json: inout JSONWriter) {
            json.member("reason", reason)
            json.member("time", time?.description)
            json.member("point", place?.point)
            json.member("line", place?.line)
        }
    }

    /// Creates the account of a recording.
    public init(read: Int = 0, reasons: Tally = Tally(), first: First? = nil) {
        (self.read, self.reasons, self.first) = (read, reasons, first)
    }

    /// Adds the account of a further part.
    public mutating func add(_ other: LeftOut) {
        read += other.read
        reasons.add(other.reasons)
        first = first ?? other.first
    }

    /// Finds the first of them in its file, which is read again up to there.
    public mutating func locateFirst(in path: String, date: CalendarDate?) {
        let noTime = FixGate.Rejection.noTime.rawValue
        if first == nil, reasons[noTime] > 0 { first = First(noTime, at: nil) }
        guard let found = first else { return }
        first?.place = RecordingPlace.find(found.reason, at: found.time, in: path, date: date)
    }

    /// The number of points that were used.
    public var used: Int { read - reasons.total }

    /// Whether more than one per cent of the points were left out.
    public var isNotable: Bool { 100 * reasons.total > read }

    /// What was left out and why, as a clause: `192 of 243 points were left out: 192 late (…); the first is line 52, of …`.
    public var words: String {
        let why = reasons.sorted.sorted { $0.count > $1.count }
            .map { "\($0.count) \($0.reason)\(Self.meaning(of: $0.reason).map { " (\($0))" } ?? "")" }
        let count = reasons.total == read ? "all \(read)" : "\(reasons.total) of \(read)"
        let place = first?.place.map { ["\($0.words)"] } ?? []
        let words = (place + (first?.time.map { ["of \($0)"] } ?? [])).joined(separator: ", ")
        return "\(count) points were left out: \(why.joined(separator: ", "))"
            + (words.isEmpty ? "" : "; the first is \(words)")
    }

    /// What a reason means, as a clause.
    private static func meaning(of reason: String) -> String? {
        switch reason {
        case TidyRecording.future: return "dated ahead of those that follow"
        case TidyRecording.duplicate: return "the same journey once more"
        case TidyRecording.otherDevice: return "another device at the same time"
        default: break
        }
        return switch FixGate.Rejection(rawValue: reason) {
        case .noTime: "without a time, or of 1980, before the receiver knew the date"
        case .late: "not later than the one before"
        case .nullIsland: "at 0° N 0° E"
        case .accuracy: "an accuracy worse than 200 m"
        case .speed: "too far from the one before for the time between"
        case nil: nil
        }
    }
}
