import Foundation
import Positioning
import Synchronization

/// The offsets of a time zone, which all times in it share.
///
/// Foundation takes microseconds for each offset, and a page of plans asks for hundreds: what it has said of a span of time is kept.
final class ZoneRules: Sendable {
    private let zone: TimeZone
    /// The offsets of the spans that were asked for, by their numbers.
    private let spans = Mutex<[Int64: [Offset]]>([:])

    /// An offset, from a moment on.
    private struct Offset {
        let start: Timestamp
        let seconds: Int
    }

    /// A span has so many bits of milliseconds: 398 days.
    private static let spanBits: Int64 = 35
    /// As many spans are kept of a zone; those of a lifetime.
    private static let mostSpans = 128
    /// As many changes as a century has.
    private static let mostChanges = 400
    /// As many zones are kept; there are about 600, but a name may be written in more than one way.
    private static let mostKnown = 1000
    /// The zones that were asked for, by their names as they were written.
    private static let known = Mutex<[String: ZoneRules]>([:])

    private init(_ zone: TimeZone) { self.zone = zone }

    /// The rules of the zone of a name; nil where there is none.
    static func of(_ name: String) -> ZoneRules? {
        if let rules = known.withLock({ $0[name] }) { return rules }
        guard let zone = TimeZone(identifier: name) else { return nil }
        let rules = ZoneRules(zone)
        known.withLock { known in
            if known.count >= mostKnown { known.removeAll(keepingCapacity: true) }
            known[name] = rules
        }
        return rules
    }

    /// How far it is ahead of UTC at a moment, in seconds.
    func offset(at time: Timestamp) -> Int {
        let number = time.milliseconds >> Self.spanBits
        if let seconds = spans.withLock({ $0[number]?.last { $0.start <= time }?.seconds }) { return seconds }
        let start = Timestamp(milliseconds: number << Self.spanBits)
        let end = start.advanced(byMilliseconds: (1 << Self.spanBits) - 1)
        let offsets =
            [Offset(start: start, seconds: ask(start))]
            + changes(after: start, upTo: end).map { Offset(start: $0.time, seconds: $0.after) }
        spans.withLock { spans in
            if spans.count >= Self.mostSpans { spans.removeAll(keepingCapacity: true) }
            spans[number] = offsets
        }
        return offsets.last { $0.start <= time }?.seconds ?? 0
    }

    /// The changes after one moment up to another.
    func changes(after start: Timestamp, upTo end: Timestamp) -> [Zone.Change] {
        var (changes, time): ([Zone.Change], Timestamp) = ([], start)
        while changes.count < Self.mostChanges {
            guard let next = zone.nextDaylightSavingTimeTransition(after: Self.date(time)) else { break }
            let moment = Timestamp(milliseconds: Int64(clamping: Int128(next.timeIntervalSince1970.rounded()) * 1000))
            guard moment > time, moment <= end else { break }
            let (before, after) = (ask(moment.advanced(byMilliseconds: -1)), ask(moment))
            if before != after { changes.append(Zone.Change(time: moment, before: before, after: after)) }
            time = moment
        }
        return changes
    }

    /// What Foundation says of a moment.
    private func ask(_ time: Timestamp) -> Int { zone.secondsFromGMT(for: Self.date(time)) }

    private static func date(_ time: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
}
