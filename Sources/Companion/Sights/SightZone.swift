import Foundation
import Synchronization
import Time
import Tracking

/// The offsets of time zones, for the hours of sights.
enum SightZone {
    private static let known = Mutex<[String: [ActiveHours.Offset]]>([:])
    /// The most cached zones; there are about 600, but a name may be written in more than one way.
    private static let mostKnown = 1000
    /// The most changes of an offset; there are two in most years.
    private static let mostChanges = 400
    /// The first and the last year whose changes are known; the first and the last offset hold before and after.
    private static let (firstYear, lastYear) = (1990, 2070)
    /// The longest name of a zone, in bytes.
    static let longestName = 64

    /// Returns the offsets of a zone with a name of the tz database, such as Europe/Amsterdam; `nil` if there is none.
    static func offsets(of name: String) -> [ActiveHours.Offset]? {
        if let offsets = known.withLock({ $0[name] }) { return offsets }
        // Foundation accepts a name that it knows with U+0000 at its end.
        guard name.utf8.count <= longestName, !name.utf8.contains(0), let zone = TimeZone(identifier: name),
            let first = Timestamp(rfc3339: "\(firstYear)-01-01T00:00:00Z"),
            let last = Timestamp(rfc3339: "\(lastYear)-01-01T00:00:00Z")
        else { return nil }
        var offsets = [ActiveHours.Offset(since: first, seconds: seconds(zone, first))]
        var time = first
        while offsets.count < mostChanges, let next = zone.nextDaylightSavingTimeTransition(after: date(time)) {
            let moment = Timestamp(milliseconds: Int64(clamping: Int128(next.timeIntervalSince1970.rounded()) * 1000))
            guard moment > time, moment <= last else { break }
            offsets.append(ActiveHours.Offset(since: moment, seconds: seconds(zone, moment)))
            time = moment
        }
        known.withLock { known in
            if known.count >= mostKnown { known.removeAll(keepingCapacity: true) }
            known[name] = offsets
        }
        return offsets
    }

    private static func seconds(_ zone: TimeZone, _ time: Timestamp) -> Int32 {
        Int32(clamping: zone.secondsFromGMT(for: date(time)))
    }

    private static func date(_ time: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
}
