import RPC
import Synchronization
import Testing

@testable import Service

@Suite struct FairLockTests {
    /// Lets a person wait for a turn, and records when it comes.
    private func wait(_ turns: FairLock, _ person: String?, _ order: Order) async -> Task<Void, Never> {
        let before = await turns.count
        let task = Task {
            try? await turns.begin(for: person)
            order.add(person ?? "-")
            await turns.end()
        }
        while await turns.count == before { await Task.yield() }
        return task
    }

    private final class Order: Sendable {
        private let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    @Test func peopleTakeTurnsAndEachPersonsCallsKeepTheirOrder() async throws {
        let (turns, order) = (FairLock(refusal: "Too many."), Order())
        try await turns.begin(for: "ada")
        var tasks: [Task<Void, Never>] = []
        for person in ["ada", "ada", "ada", "bob", "cai", "bob"] { tasks.append(await wait(turns, person, order)) }
        await turns.end()
        for task in tasks { await task.value }
        #expect(order.all == ["ada", "bob", "cai", "ada", "bob", "ada"])
        // Nobody is waiting now.
        try await turns.begin(for: nil)
        await turns.end()
    }

    @Test func waitingTurnsAreLimitedInTotalAndPerPerson() async throws {
        let (turns, order) = (FairLock(refusal: "Too many."), Order())
        try await turns.begin(for: "ada")
        var tasks: [Task<Void, Never>] = []
        for _ in 0..<FairLock.maximumPerPerson { tasks.append(await wait(turns, "ada", order)) }
        await #expect(throws: Refusal.self) { try await turns.begin(for: "ada") }
        for number in FairLock.maximumPerPerson..<FairLock.maximumCount {
            tasks.append(await wait(turns, "p\(number)", order))
        }
        await #expect(throws: Refusal.self) { try await turns.begin(for: "bob") }
        await turns.end()
        for task in tasks { await task.value }
        #expect(order.all.count == FairLock.maximumCount)
    }

    @Test func aCancelledCallerLeavesTheQueue() async throws {
        let (turns, order) = (FairLock(refusal: "Too many."), Order())
        try await turns.begin(for: "ada")
        let waiting = await wait(turns, "ada", order)
        let bob = Task { try await turns.begin(for: "bob") }
        while await turns.count == 1 { await Task.yield() }
        bob.cancel()
        await #expect(throws: CancellationError.self) { try await bob.value }
        #expect(await turns.count == 1)
        await turns.end()
        await waiting.value
        #expect(order.all == ["ada"])
    }

    @Test func aCancelledCallerTakesNoTurn() async throws {
        let turns = FairLock(refusal: "Too many.")
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            try await turns.begin(for: "ada")
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        // The first turn is still free.
        try await turns.begin(for: "bob")
        await turns.end()
    }

    @Test func theRefusalIsTheOneOfTheTurns() async throws {
        let turns = FairLock(refusal: "Too many songs are being sung.")
        try await turns.begin(for: nil)
        let waiting = (0..<FairLock.maximumPerPerson).map { _ in Task { try await turns.begin(for: nil) } }
        while await turns.count < FairLock.maximumPerPerson { await Task.yield() }
        let refusal = await #expect(throws: Refusal.self) { try await turns.begin(for: nil) }
        #expect(refusal?.message == "Too many songs are being sung.")
        for task in waiting {
            task.cancel()
            _ = await task.result
        }
        await turns.end()
    }
}
