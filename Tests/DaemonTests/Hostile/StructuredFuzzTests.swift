#if Companion
import Foundation
import TestSupport
import Testing

/// Calls generated from `rpc.discover`, without signing in, as people and as an administrator.
///
/// No call ends the process, fails internally, or has an answer that the document does not allow, and every method has
/// calls that it accepts. `WAYMARK_TESTS=soak` makes a million calls, or as many as `FUZZ_CALLS` says, and prints a
/// summary. `WAYMARK_SEED` changes the calls.
@Suite(.slow) struct StructuredFuzzTests {
    private static let calls =
        ProcessInfo.processInfo.environment["FUZZ_CALLS"].flatMap(Int.init) ?? (TestTier.isSoak ? 1_000_000 : 4_000)
    /// Whether this is a long run, which looks for hangs.
    private static let isLong = calls > 4_000
    /// The number of calls in one world, limited because what calls write makes later ones slower.
    private static let callsInAWorld = 2_000

    @Test func everyMethodAcceptsACallInItsSituation() async throws {
        var tally = HostilePlay.Tally()
        try await HostilePlay(in: HostileWorld(), seed: TestTier.seed).run(0, &tally)
        #expect(tally.neverAnswered == [])
    }

    @Test func generatedCallsGetAnswersThatTheDocumentAllows() async throws {
        var tally = HostilePlay.Tally()
        for world in 0..<max(1, Self.calls / Self.callsInAWorld) {
            let play = HostilePlay(
                in: try await HostileWorld(), seed: TestTier.seed &+ UInt64(world),
                longest: Self.isLong ? .seconds(1) : nil)
            try await play.run(min(Self.calls, Self.callsInAWorld), &tally)
        }
        #expect(tally.answered > tally.calls / 10, "the calls must get somewhere: \(tally)")
        #expect(tally.neverAnswered == [])
        if Self.isLong { print(tally) }
    }

    /// The same calls through `POST /rpc` as browsers and programs make them: with a cookie or without one, alone or in
    /// a batch, and sometimes from a page of another server.
    @Test func generatedCallsThroughTheBrowsersDoorGetAllowedAnswers() async throws {
        var tally = HostilePlay.Tally()
        var answered = 0
        for world in 0..<max(1, Self.calls / Self.callsInAWorld) {
            answered += try await HTTPDoor.open(
                seed: TestTier.seed &+ UInt64(world), longest: Self.isLong ? .seconds(1) : nil
            ) { play in
                try await play.run(min(Self.calls, Self.callsInAWorld), &tally)
            }
        }
        #expect(tally.answered > tally.calls / 10, "the calls must get somewhere: \(tally)")
        #expect(tally.neverAnswered == [])
        if Self.isLong { print("through HTTP: \(answered) with those in batches; \(tally)") }
    }
}
#endif
