public import Positioning
import Service

/// Holds what would be told against what was.
///
/// Two events are the same where their type, their subject and nearly their time are: what decides an event to the
/// second may be a fix that was not kept.
public struct EventDifference: Sendable {
    /// How an event stands to what was told.
    public enum Change: String, Sendable, CaseIterable {
        /// It would be told, and was not.
        case added
        /// It was told, and would not be.
        case removed
        /// It was told, and would be.
        case same
    }

    /// How far, in milliseconds, the times of two events lie apart that are the same: a minute, within which one
    /// geofence seldom tells the same thing twice.
    public static let tolerance: Int64 = 60_000

    private struct Key: Hashable, Sendable {
        var type: String
        var subject: String
    }

    private struct Side: Sendable {
        var time: Timestamp
        var line: [UInt8]
        /// Whether it may fail to be told again because fixes were not kept.
        var isDoubtful = false
    }

    private var would: [Key: [Side]] = [:]
    private var did: [Key: [Side]] = [:]
    /// What was told by fixes that were not kept, and is not told again.
    public private(set) var doubtful = 0

    /// Nothing told yet.
    public init() {}

    /// Takes an event that would be told, as a JSON object.
    public mutating func tell(type: String, subject: String, time: Timestamp, line: [UInt8]) {
        would[Key(type: type, subject: subject), default: []].append(Side(time: time, line: line))
    }

    /// Takes an event that was told, as a JSON object.
    ///
    /// - Parameters:
    ///   - time: when it would be told, if it is the same.
    ///   - isDoubtful: whether the fixes that decided it were perhaps not kept.
    public mutating func expect(type: String, subject: String, time: Timestamp, line: [UInt8], isDoubtful: Bool = false)
    {
        did[Key(type: type, subject: subject), default: []].append(
            Side(time: time, line: line, isDoubtful: isDoubtful))
    }

    /// Settles all that lies before a moment, or everything, and calls `body` for each event in the order of time.
    ///
    /// - Complexity: O(*n* log *n*) for *n* events that were not settled.
    public mutating func settle(
        before end: Timestamp? = nil, _ body: (Change, [UInt8]) throws -> Void
    ) rethrows {
        for event in settled(before: end) { try body(event.change, event.line) }
    }

    /// An event, how it stands to what was told, and when it was or would be told.
    typealias Settled = (time: Timestamp, change: Change, line: [UInt8])

    /// Settles as ``settle(before:_:)`` does, and gives the events in the order of time.
    mutating func settled(before end: Timestamp? = nil) -> [Settled] {
        let limit = end?.advanced(byMilliseconds: -Self.tolerance)
        func isOver(_ side: Side) -> Bool { limit.map { side.time < $0 } ?? true }
        var settled: [Settled] = []
        for key in Set(would.keys).union(did.keys) {
            let ours = (would.removeValue(forKey: key) ?? []).sorted { $0.time < $1.time }
            let theirs = (did.removeValue(forKey: key) ?? []).sorted { $0.time < $1.time }
            var (i, j) = (0, 0)
            while i < ours.count || j < theirs.count {
                let (own, other) = (i < ours.count ? ours[i] : nil, j < theirs.count ? theirs[j] : nil)
                if let own, let other, abs(own.time.milliseconds(since: other.time)) <= Self.tolerance {
                    settled.append((own.time, .same, own.line))
                    (i, j) = (i + 1, j + 1)
                } else if let own, other.map({ own.time < $0.time }) ?? true {
                    guard isOver(own) else {
                        would[key, default: []].append(own)
                        i += 1
                        continue
                    }
                    settled.append((own.time, .added, own.line))
                    i += 1
                } else if let other {
                    j += 1
                    if !isOver(other) {
                        did[key, default: []].append(other)
                    } else if other.isDoubtful {
                        doubtful += 1
                    } else {
                        settled.append((other.time, .removed, other.line))
                    }
                }
            }
        }
        return settled.sorted(by: Self.precedes)
    }

    /// Whether an event comes before another: by time, those of one time as their lines are sorted.
    static func precedes(_ one: Settled, _ other: Settled) -> Bool {
        one.time != other.time ? one.time < other.time : one.line.lexicographicallyPrecedes(other.line)
    }
}
