import Positioning
import Testing
import Time

/// How the time of a live device may move.
@Suite struct LiveTimelineTests {
    private var timeline = LiveTimeline()
    private var last: Timestamp?
    private var systemTime: Timestamp?
    private var latestKnown: Timestamp?
    private let start = Timestamp(milliseconds: 1_777_629_600_000)

    /// Judges fixes whose times are a second apart and that arrive a second apart, from a moment on.
    ///
    /// A fix that passes is accepted if it is later than the last one.
    private mutating func judge(
        from second: Int, count: Int, at moment: Double
    ) -> [LiveTimeline.Effect] {
        (0..<count).map { step in
            let time = start.advanced(byMilliseconds: Int64(second + step) * 1000)
            let verdict = timeline.judge(
                time, after: last, now: moment + Double(step), systemTime: systemTime, latestKnown: latestKnown)
            if verdict == .restarts || verdict == .passes && last.map({ time > $0 }) ?? true { last = time }
            return verdict
        }
    }

    @Test mutating func fixesInStepWithTheClockPass() {
        let verdicts = judge(from: 0, count: 500, at: 0)
        #expect(verdicts == Array(repeating: .passes, count: 500))
    }

    @Test mutating func aHundredConsistentLateFixesRestartTheTimeline() {
        _ = judge(from: 5_000, count: 10, at: 0)
        let verdicts = judge(from: 0, count: 101, at: 10)
        #expect(verdicts.prefix(99).allSatisfy { $0 == .passes })
        #expect(verdicts[99...] == [.restarts, .passes])
        #expect(last == start.advanced(byMilliseconds: 100_000))
    }

    @Test mutating func inconsistentLateFixesNeverRestartTheTimeline() {
        _ = judge(from: 5_000, count: 1, at: 0)
        for round in 0..<300 { #expect(judge(from: round % 50, count: 1, at: Double(round)) == [.passes]) }
        // The same time over and over does not count as time that passes.
        for round in 0..<300 { #expect(judge(from: 7, count: 1, at: Double(300 + round)) == [.passes]) }
    }

    @Test mutating func aFixInTimeResetsTheCountOfLateFixes() {
        _ = judge(from: 5_000, count: 1, at: 0)
        for round in 0..<3 {
            #expect(judge(from: 0, count: 99, at: 1).allSatisfy { $0 == .passes })
            #expect(judge(from: 5_001 + round, count: 1, at: Double(100 * round)) == [.passes])
        }
    }

    @Test mutating func fixesFromTheFutureAreHeldUntilTenAgree() {
        _ = judge(from: 0, count: 10, at: 0)
        let verdicts = judge(from: 86_400, count: 10, at: 10)
        #expect(verdicts == Array(repeating: .held, count: 9) + [.restarts])
        #expect(timeline.proved == 9 && timeline.waiting == 0)
        #expect(judge(from: 86_410, count: 1, at: 20) == [.passes])
        #expect(timeline.proved == 0)
    }

    @Test mutating func aWildDateIsForgottenAfterTheNextGoodFix() {
        _ = judge(from: 0, count: 10, at: 0)
        for round in 0..<30 {
            #expect(judge(from: 86_400 * (round + 1), count: 1, at: Double(10 + round)) == [.held])
            #expect(judge(from: 10 + round, count: 1, at: Double(10 + round)) == [.passes])
        }
    }

    @Test mutating func timeMayRunAheadOfTheClockByAnHour() {
        _ = judge(from: 0, count: 1, at: 0)
        #expect(judge(from: 3_600, count: 1, at: 0) == [.passes])
        #expect(judge(from: 7_201, count: 1, at: 0) == [.held])
    }

    @Test mutating func aLongJumpAfterALongSilencePasses() {
        _ = judge(from: 0, count: 1, at: 0)
        #expect(judge(from: 86_400, count: 1, at: 86_400) == [.passes])
    }

    @Test mutating func theFirstFixIsComparedWithATrustedClock() {
        systemTime = start
        let verdicts = judge(from: 86_400, count: 10, at: 0)
        #expect(verdicts == Array(repeating: .held, count: 9) + [.passes])
        #expect(timeline.proved == 9)
    }

    /// A receiver that begins with a date years ahead of everything known must keep it for ten minutes.
    @Test mutating func anImplausibleDateWaitsForTenMinutes() {
        latestKnown = start
        let day = 86_400
        let verdicts = judge(from: 1_000 * day, count: 601, at: 0)
        #expect(verdicts == Array(repeating: .held, count: 600) + [.passes])
        #expect(timeline.proved == 600)
    }

    @Test mutating func anImplausibleDateIsForgottenWhenAGoodOneFollows() {
        latestKnown = start
        #expect(judge(from: 86_400_000, count: 30, at: 0) == Array(repeating: .held, count: 30))
        #expect(timeline.waiting == 30)
        #expect(judge(from: 30, count: 5, at: 30) == Array(repeating: .passes, count: 5))
        #expect(timeline.waiting == 0 && timeline.proved == 0)
        #expect(judge(from: 86_400_000, count: 599, at: 35).allSatisfy { $0 == .held })
    }

    @Test mutating func lateFixesThatRestartTheTimelineAreProved() {
        _ = judge(from: 5_000, count: 10, at: 0)
        #expect(judge(from: 0, count: 100, at: 10).last == .restarts)
        #expect(timeline.proved == 99)
    }

    @Test mutating func afterARestartFixesAreComparedWithATrustedClock() {
        systemTime = start.advanced(byMilliseconds: 1_000)
        last = start
        #expect(judge(from: 86_400, count: 1, at: 0) == [.held])
        #expect(judge(from: 1, count: 2, at: 1) == [.passes, .passes])
    }

    @Test mutating func theFirstFixSinceTheStartIsNotHeld() {
        last = start
        #expect(judge(from: 86_400 * 300, count: 1, at: 0) == [.passes])
    }
}
