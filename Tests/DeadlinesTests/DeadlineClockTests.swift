import Deadlines
import Testing

/// Deadlines that end with what they guard.
@Suite struct DeadlineClockTests {
    @Test func aDeadlineEndsWithWhatItGuards() async throws {
        let clock = DeadlineClock()
        for number in 0..<1000 {
            let value = try await within(.seconds(3600), clock) { number }
            #expect(value == number)
            #expect(clock.sleepers == 0)
        }
    }

    @Test func aFailureEndsTheDeadlineToo() async throws {
        struct Failure: Error {}
        let clock = DeadlineClock()
        await #expect(throws: Failure.self) { try await within(.seconds(3600), clock) { throw Failure() } }
        #expect(clock.sleepers == 0)
    }

    @Test func whatTakesTooLongIsCancelled() async throws {
        let clock = DeadlineClock()
        let value = try await within(.zero, clock) {
            try? await clock.sleep(for: .seconds(3600))
            return Task.isCancelled
        }
        #expect(value == nil)
        #expect(clock.sleepers == 0)
    }

    @Test func aCancelledTaskDoesNotSleep() async {
        let clock = DeadlineClock()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(3600))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
        let clock = DeadlineClock()
        let start = clock.now
        let order = try await withThrowingTaskGroup(of: Int.self) { group in
            // A later deadline first, so that the timer must be set for an earlier one.
            for wait in [40, 20, 1] {
                group.addTask {
                    try await clock.sleep(until: start + .milliseconds(wait))
                    return wait
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(order) == [1, 20, 40])
        #expect(clock.now >= start + .milliseconds(40))
        #expect(clock.sleepers == 0)
    }

    @Test func anActionIsTakenOnceUnlessItsDeadlineIsEndedBefore() async {
        let clock = DeadlineClock()
        let ended = clock.after(.seconds(3600)) { Issue.record("The deadline was ended.") }
        #expect(ended.end())
        #expect(!ended.end())
        await withCheckedContinuation { continuation in
            let taken = clock.after(.zero) { continuation.resume() }
            withExtendedLifetime(taken) {}
        }
        #expect(clock.sleepers == 0)
    }

    /// The work begins before the deadline is set, and is not waited for twice.
    @Test func aCancelledCallerCancelsTheWork() async {
        let clock = DeadlineClock()
        let task = Task {
            try await within(.seconds(3600), clock) {
                try? await clock.sleep(for: .seconds(3600))
                return Task.isCancelled
            }
        }
        while clock.sleepers < 2 { await Task.yield() }
        task.cancel()
        #expect(await (try? task.value) == true)
        #expect(clock.sleepers == 0)
    }
}
