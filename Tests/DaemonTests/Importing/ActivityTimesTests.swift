import Geodesy
import Histories
import Positioning
import TestSupport
import Testing
import Time

@testable import Daemon

@Suite struct ActivityTimesTests {
    private static func time(_ second: Int) -> Timestamp { Timestamp(milliseconds: Int64(second) * 1000) }

    /// Activities one after another, some with pauses; each fix has the kind of the one around it, that which ends first.
    @Test(arguments: 0..<20 as Range<UInt64>) func aFixHasTheKindOfTheActivityAroundIt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var activities: [HistoryActivity] = []
        var second = 0
        for _ in 0..<20 {
            second += Int.random(in: 0...2, using: &random) * 5
            let end = second + Int.random(in: 1...20, using: &random)
            let kind = try #require(TripKind.allCases.randomElement(using: &random))
            activities.append(HistoryActivity(start: Self.time(second), end: Self.time(end), kind: kind))
            second = end
        }
        var times = ActivityTimes()
        for activity in activities.shuffled(using: &random) { times.add(activity) }
        for _ in 0..<2 {
            for second in 0..<second + 5 {
                let time = Self.time(second)
                var fix = Fix(time: time, coordinate: .origin)
                times.complete(&fix)
                let expected =
                    activities.first { $0.start < time && time <= $0.end } ?? activities.first { $0.start == time }
                #expect(fix.kind == expected?.kind)
            }
        }
        var told = Fix(time: activities[0].start, coordinate: .origin)
        told.kind = .swimming
        times.complete(&told)
        #expect(told.kind == .swimming)
    }
}
