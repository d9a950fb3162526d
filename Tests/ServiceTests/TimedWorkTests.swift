import FeatureSupport
import GRDB
import Service
import Synchronization
import TestSupport
import Testing
import Time

/// Timed work whose next time the test chooses, and which counts its runs.
private final class CountedWork: TimedWork {
    let name = "counted"
    let runs = Mutex(0)
    private let changes: Int

    /// Creates work that is due for ever, and that changes a row in its first `changes` runs.
    init(changes: Int) { self.changes = changes }

    func due(at now: Timestamp, in db: Database) throws -> Timestamp? { now }

    func work(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws {
        let run = runs.withLock { runs in
            runs += 1
            return runs
        }
        if run <= changes { try db.execute(sql: "INSERT INTO vote_gone (vote) VALUES (?)", arguments: ["v\(run)"]) }
    }
}

@Suite struct TimedWorkTests {
    @Test(arguments: [0, 1, 3]) func workThatIsDueButChangesNothingWaits(changes: Int) async throws {
        let core = try CoreFixture()
        let work = CountedWork(changes: changes)
        let next = try await TimedWorks(core.context, [work]).catchUp()
        #expect(work.runs.withLock { $0 } == changes + 1)
        #expect(next == core.clock.time.advanced(byMilliseconds: 15_000))
    }
}
