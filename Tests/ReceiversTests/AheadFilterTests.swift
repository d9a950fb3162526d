import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct AheadFilterTests {
    /// Returns fixes at these seconds after noon.
    private static func fixes(_ seconds: [Int64], segments: Set<Int> = [0]) -> [Fix] {
        let noon: Int64 = 1_777_636_800_000
        return seconds.enumerated().map { index, second in
            Fix(
                time: Timestamp(milliseconds: noon + second * 1000), coordinate: .origin,
                beginsSegment: segments.contains(index))
        }
    }

    private static func passed(_ fixes: [Fix]) -> (fixes: [Fix], count: Int) {
        var filter = AheadFilter()
        var passed: [Fix] = []
        for fix in fixes { filter.filter(fix, into: &passed) }
        filter.finish(into: &passed)
        return (passed, filter.count)
    }

    private static let drive = Array(Int64(0)..<60)
    private static let years: Int64 = 17 * 31_557_600

    @Test(arguments: [3600, 7200, 86_400, years], [0, 1, 30, 55])
    func oneFixDatedAheadIsLeftOut(ahead: Int64, place: Int) {
        var seconds = Self.drive
        seconds[place] += ahead
        let (passed, count) = Self.passed(Self.fixes(seconds))
        #expect(count == 1)
        #expect(passed.map(\.time) == Self.fixes(Self.drive.filter { $0 != Int64(place) }).map(\.time))
        #expect(passed.first?.beginsSegment == true)
    }

    @Test func soAreSeveralInARowAndSeveralApart() {
        var seconds = Self.drive
        for place in [10, 11, 12, 13, 14, 30, 32, 50] { seconds[place] += Self.years }
        let (passed, count) = Self.passed(Self.fixes(seconds))
        #expect(count == 8)
        #expect(passed.count == 52)
    }

    /// Recordings in order, with gaps, sparse, newest first, reversed, or with late fixes.
    @Test(
        arguments: [
            drive, drive + drive.map { $0 + 7200 }, drive.map { $0 * 1200 }, drive.map { $0 * 86_400 },
            drive.map { $0 + 172_800 } + drive.map { $0 + 86_400 } + drive, drive.reversed(),
            drive.map { $0 * 1200 }.reversed(), [0, 1, 2, 600, 599, 601, 602, 603, 604], [0], [], [0, 90_000],
        ] as [[Int64]])
    func otherRecordingsAreNotChanged(seconds: [Int64]) {
        let fixes = Self.fixes(seconds)
        let (passed, count) = Self.passed(fixes)
        #expect(count == 0)
        #expect(passed == fixes)
    }

    @Test func shortSegmentsInAnyOrderAreNotLeftOut() {
        let fixes = Self.fixes([172_800, 172_801, 86_400, 86_401, 0, 1], segments: [0, 2, 4])
        #expect(Self.passed(fixes).fixes == fixes)
    }

    /// Random orders neither lose a fix without counting it nor repeat one.
    @Test func everyFixPassesOnceOrIsCounted() {
        var random = SeededGenerator(seed: 38)
        for _ in 0..<500 {
            let fixes = Self.fixes((0..<60).map { _ in Int64.random(in: 0...20, using: &random) * 400 })
            let (passed, count) = Self.passed(fixes)
            #expect(passed.count + count == fixes.count)
        }
    }
}
