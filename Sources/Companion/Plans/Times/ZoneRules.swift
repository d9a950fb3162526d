import Foundation
import Synchronization
import Time

/// The offsets of a time zone, shared by all times in it.
///
/// Foundation takes microseconds for each offset, and a page of plans needs hundreds of them. The offsets of a span of
/// time are therefore cached.
final class ZoneRules: Sendable {
    private let zone: TimeZone
    /// The cached offsets, by the number of the span.
    private let spans = Mutex<[Int64: [Offset]]>([:])

    /// An offset that is valid from a moment on.
    private struct Offset {
        let start: Timestamp
        let seconds: Int
    }

    /// The length of a span: 2 to the power of this number, in milliseconds, which is 398 days.
    private static let spanBits: Int64 = 35
    /// The most spans cached for one zone, which cover a lifetime.
    private static let maximumSpans = 128
    /// The most changes that one call returns, enough for a century.
    private static let maximumChanges = 400
    /// The most cached zones; there are about 600, but a name may be written in more than one way.
    private static let maximumKnown = 1000
    /// The zones requested so far, by their names as they were written.
    private static let known = Mutex<[String: ZoneRules]>([:])

    private init(_ zone: TimeZone) { self.zone = zone }

    /// Returns the rules of the zone with a name, or `nil` if there is none.
    static func of(_ name: String) -> ZoneRules? {
        if let rules = known.withLock({ $0[name] }) { return rules }
        guard let zone = TimeZone(identifier: name) else { return nil }
        let rules = ZoneRules(zone)
        known.withLock { known in
            if known.count >= maximumKnown { known.removeAll(keepingCapacity: true) }
            known[name] = rules
        }
        return rules
    }

    /// Returns the offset at a moment, in seconds ahead of UTC.
    func offset(at time: Timestamp) -> Int {
        let number = time.milliseconds >> Self.spanBits
        if let seconds = spans.withLock({ $0[number]?.last { $0.start <= time }?.seconds }) { return seconds }
        let start = Timestamp(milliseconds: number << Self.spanBits)
        let end = start.advanced(byMilliseconds: (1 << Self.spanBits) - 1)
        let offsets =
            [Offset(start: start, seconds: ask(start))]
            + changes(after: start, upTo: end).map { Offset(start: $0.time, seconds: $0.after) }
        spans.withLock { spans in
            if spans.count >= Self.maximumSpans { spans.removeAll(keepingCapacity: true) }
            spans[number] = offsets
        }
        return offsets.last { $0.start <= time }?.seconds ?? 0
    }

    /// Returns the changes after `start`, up to and including `end`, at most ``maximumChanges``.
    func changes(after start: Timestamp, upTo end: Timestamp) -> [Zone.Change] {
        var (changes, time): ([Zone.Change], Timestamp) = ([], start)
        while changes.count < Self.maximumChanges {
            guard let next = zone.nextDaylightSavingTimeTransition(after: Self.date(time)) else { break }
            let moment = Timestamp(milliseconds: Int64(clamping: Int128(next.timeIntervalSince1970.rounded()) * 1000))
            guard moment > time, moment <= end else { break }
            let (before, after) = (ask(moment.advanced(byMilliseconds: -1)), ask(moment))
            if before != after { changes.append(Zone.Change(time: moment, before: before, after: after)) }
            time = moment
        }
        return changes
    }

    /// Returns the offset that Foundation gives for a moment.
    private func ask(_ time: Timestamp) -> Int { zone.secondsFromGMT(for: Self.date(time)) }

    private static func date(_ time: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
}
