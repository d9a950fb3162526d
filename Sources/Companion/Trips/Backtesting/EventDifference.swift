import Service
public import Time

/// A comparison of the events of a backtest with the events that were emitted.
///
/// Two events are the same if they have the same type and subject and their times differ by at most ``tolerance``. The
/// exact second of an event may depend on a fix that was not kept.
public struct EventDifference: Sendable {
    /// The result for one event.
    public enum Change: String, Sendable, CaseIterable {
        /// The backtest emits the event, but it was not emitted before.
        case added
        /// The event was emitted before, but the backtest does not emit it.
        case removed
        /// The event was emitted before, and the backtest emits it too.
        case same
    }

    /// The greatest difference in time between two events that are the same, in milliseconds: one minute, within which
    /// a geofence seldom emits the same event twice.
    public static let tolerance: Int64 = 60_000

    private struct Key: Hashable, Sendable {
        var type: String
        var subject: String
    }

    private struct Side: Sendable {
        var time: Timestamp
        var line: [UInt8]
        /// Whether the backtest may lack the event only because fixes were not kept.
        var isDoubtful = false
    }

    private var would: [Key: [Side]] = [:]
    private var did: [Key: [Side]] = [:]
    /// The results that a later one may still precede.
    private var waiting: [Settled] = []
    /// The number of emitted events that the backtest lacks and that depend on fixes that were not kept.
    public private(set) var doubtful = 0

    /// Creates a comparison without events.
    public init() {}

    /// Adds an event of the backtest, as a JSON object.
    public mutating func observe(type: String, subject: String, time: Timestamp, line: [UInt8]) {
        would[Key(type: type, subject: subject), default: []].append(Side(time: time, line: line))
    }

    /// Adds an event that was emitted before, as a JSON object.
    ///
    /// - Parameters:
    ///   - time: The time at which the backtest would emit the same event.
    ///   - isDoubtful: Whether the fixes that caused the event may not have been kept.
    public mutating func expect(type: String, subject: String, time: Timestamp, line: [UInt8], isDoubtful: Bool = false)
    {
        did[Key(type: type, subject: subject), default: []].append(
            Side(time: time, line: line, isDoubtful: isDoubtful))
    }

    /// Compares all events before a moment, or all there are, and calls `body` for each result in order of time.
    ///
    /// Events that later ones may still match, and results that a later one may precede, are kept for the next call. A
    /// later call must add no event before `end`.
    ///
    /// - Complexity: O(*n* log *n*) for *n* events that were not compared before.
    public mutating func settle(
        before end: Timestamp? = nil, _ body: (Change, [UInt8]) throws -> Void
    ) rethrows {
        for event in settled(before: end) { try body(event.change, event.line) }
    }

    /// An event, its result, and the time at which it was or would be emitted.
    typealias Settled = (time: Timestamp, change: Change, line: [UInt8])

    /// Compares events as ``settle(before:_:)`` does, and returns the results in order of time.
    mutating func settled(before end: Timestamp? = nil) -> [Settled] {
        let limit = end?.advanced(byMilliseconds: -Self.tolerance)
        func isOver(_ side: Side) -> Bool { limit.map { side.time < $0 } ?? true }
        var settled = waiting
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
        settled.sort(by: Self.precedes)
        // What is kept or added later is not before the limit.
        let ready = settled.prefix { result in limit.map { result.time < $0 } ?? true }
        waiting = Array(settled.dropFirst(ready.count))
        return Array(ready)
    }

    /// Returns whether a result comes before another: by time, and at the same time by their lines.
    static func precedes(_ one: Settled, _ other: Settled) -> Bool {
        one.time != other.time ? one.time < other.time : one.line.lexicographicallyPrecedes(other.line)
    }
}
