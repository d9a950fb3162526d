import Testing

@testable import Photos

@Suite struct FailedDrawingsTests {
    private let start = ContinuousClock.now

    @Test func aDrawingThatWasCutShortIsTriedAgainAfterPausesThatGrow() {
        var failed = FailedDrawings()
        #expect(failed.verdict(on: "a", at: start) == .may)
        var now = start
        for pause in FailedDrawings.pauses + [FailedDrawings.pauses.last ?? .zero] {
            failed.cut("a", at: now)
            if pause > .zero { #expect(failed.verdict(on: "a", at: now + pause - .seconds(1)) == .later) }
            now += pause
            #expect(failed.verdict(on: "a", at: now) == .may)
        }
        #expect(failed.verdict(on: "b", at: start) == .may)
        failed.forget("a")
        #expect(failed.verdict(on: "a", at: start) == .may)
    }

    @Test func aPictureThatTheToolRefusedIsNeverTriedAgain() {
        var failed = FailedDrawings()
        failed.cut("a", at: start)
        failed.giveUp("a")
        #expect(failed.verdict(on: "a", at: start + .seconds(1_000_000)) == .never)
    }

    @Test func theListOfFailuresIsBounded() {
        var failed = FailedDrawings()
        for number in 0...FailedDrawings.maximumCount { failed.giveUp("\(number)") }
        #expect(failed.verdict(on: "0", at: start) == .may)
        #expect(failed.verdict(on: "\(FailedDrawings.maximumCount)", at: start) == .never)
    }
}
