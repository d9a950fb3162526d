public import Positioning
import Receivers

/// What became of a recording's points: how many were read, and how many were left out and why.
public struct LeftOut: Sendable {
    /// The number of points read.
    public var read: Int
    /// The number of points left out, by reason.
    public var reasons: Tally
    /// The reason and the time of the first of them, if it has a time.
    public var first: (reason: String, time: Timestamp)?

    /// Creates the account of a recording.
    public init(read: Int = 0, reasons: Tally = Tally(), first: (reason: String, time: Timestamp)? = nil) {
        (self.read, self.reasons, self.first) = (read, reasons, first)
    }

    /// Adds the account of a further part.
    public mutating func add(_ other: LeftOut) {
        read += other.read
        reasons.add(other.reasons)
        first = first ?? other.first
    }

    /// The number of points that were used.
    public var used: Int { read - reasons.total }

    /// Whether more than one per cent of the points were left out.
    public var isNotable: Bool { 100 * reasons.total > read }

    /// What was left out and why, as a clause: `192 of 243 points were left out: 192 late (…); the first is of …`.
    public var words: String {
        let why = reasons.sorted.sorted { $0.count > $1.count }
            .map { "\($0.count) \($0.reason)\(Self.meaning(of: $0.reason).map { " (\($0))" } ?? "")" }
        let count = reasons.total == read ? "all \(read)" : "\(reasons.total) of \(read)"
        let place = first.map { "; the first is of \($0.time)" } ?? ""
        return "\(count) points were left out: \(why.joined(separator: ", "))\(place)"
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
        case .noTime: "without a time"
        case .late: "not later than the one before"
        case .nullIsland: "at 0° N 0° E"
        case .accuracy: "an accuracy worse than 200 m"
        case .speed: "too far from the one before for the time between"
        case nil: nil
        }
    }
}
