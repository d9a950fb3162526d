import Foundation
import TestSupport
import Testing
import Time

@testable import Plans

/// Cached offsets, compared with those that Foundation computes.
@Suite struct ZoneRulesTests {
    @Test(arguments: [
        "UTC", "Europe/Amsterdam", "Europe/Dublin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca",
        "Asia/Kathmandu", "Pacific/Apia", "America/Caracas", "Asia/Pyongyang", "Antarctica/Troll",
    ])
    func offsetsEqualThoseOfFoundation(name: String) throws {
        let zone = try #require(Zone(name))
        let rules = try #require(TimeZone(identifier: name))
        var random = SeededGenerator(seed: 7)
        // Random times from 1900 to 2100, and times around each change within twenty years, to the millisecond.
        let century: Range<Int64> = -2_208_988_800_000..<4_102_444_800_000
        var times = (0..<2000).map { _ in Int64.random(in: century, using: &random) }
        let begin = Timestamp(milliseconds: 1_262_304_000_000)
        let end = begin.advanced(byMilliseconds: 20 * 366 * Timestamp.millisecondsPerDay)
        for change in zone.changes(after: begin, upTo: end) {
            times += [-3_600_000, -1, 0, 1, 3_600_000].map { change.time.milliseconds + $0 }
        }
        for time in times {
            let expected = rules.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1000))
            #expect(zone.offset(at: Timestamp(milliseconds: time)) == expected, "\(name) \(time)")
        }
        // The order of the queries, and evictions from the cache, make no difference.
        for time in times.shuffled(using: &random) {
            let expected = rules.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1000))
            #expect(zone.offset(at: Timestamp(milliseconds: time)) == expected, "\(name) \(time)")
        }
    }

    @Test func timesBeyondTheCalendarHaveAnOffset() throws {
        let zone = try #require(Zone("Europe/Amsterdam"))
        for time in [Int64.min / 2, -62_167_219_200_000, 253_402_300_799_999, Int64.max / 2] {
            #expect(abs(zone.offset(at: Timestamp(milliseconds: time))) < 86_400)
        }
    }
}
