import Callers
import Daemon
import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import Service
@testable import Sights

/// Two concurrent calls leave the same state as one of the two orders, and get the same answers.
///
/// Each run tries some pairs. With `WAYMARK_TESTS=soak` it tries all of them with several seeds. `PAIRS` then limits
/// it to methods whose names begin with one of its words, such as `photos uploads`.
@Suite struct PairTests {
    private static let isThorough = TestTier.isSoak
    private static let seed = TestTier.seed

    private static let names = ProcessInfo.processInfo.environment["PAIRS"]?.split(separator: " ") ?? [""]

    /// Returns the cases that change something.
    private static func writing(_ all: some Collection<MethodCase>) async throws -> [MethodCase] {
        var cases: [MethodCase] = []
        for one in all {
            guard let world = try await World([one]) else { continue }
            let before = try await world.state()
            let outcome = await world.call(0)
            if outcome == nil, try await world.state() != before { cases.append(one) }
        }
        return cases
    }

    @Test func `two calls at once give the result of one of the two orders`() async throws {
        var random = SeededGenerator(seed: Self.seed)
        let good = MethodCaseTests.all.filter { $0.outcome == .answer }.shuffled(using: &random)
        let chosen = good.filter { one in Self.names.contains { one.method.hasPrefix($0) } }
        let cases = try await Self.writing(Self.isThorough ? chosen[...] : good.prefix(10))
        var pairs: [(MethodCase, MethodCase)] = []
        for (index, one) in cases.enumerated() { pairs += cases[index...].map { (one, $0) } }
        if !Self.isThorough { pairs = (0..<6).compactMap { _ in pairs.randomElement(using: &random) } }
        var tried = 0
        for (number, (one, other)) in pairs.enumerated() {
            if number % 500 == 499 { print("\(number) of \(pairs.count) pairs") }
            guard let first = try await Self.result(of: [0, 1], one, other),
                let second = try await Self.result(of: [1, 0], one, other)
            else { continue }
            for _ in 0..<(Self.isThorough ? 3 : 1) {
                let seed = random.next()
                guard let world = try await World([one, other]) else { continue }
                let scheduler = Scheduler(seed: seed)
                async let left = scheduler.run { await world.call(0) }
                async let right = scheduler.run { await world.call(1) }
                let outcomes = await [left, right]
                scheduler.stop()
                let result = Result(outcomes: outcomes, state: try await world.state())
                #expect(
                    result == first || result == second,
                    "\(one.testDescription) and \(other.testDescription), seed \(seed): \(result.difference(first)) and \(result.difference(second))"
                )
                tried += 1
            }
        }
        #expect(tried > 0)
        if Self.isThorough { print("\(tried) pairs of \(cases.count) calls at once, seed \(Self.seed)") }
    }

    /// Returns the result of two calls in an order, or `nil` if they cannot be prepared together.
    private static func result(of order: [Int], _ one: MethodCase, _ other: MethodCase) async throws -> Result? {
        guard let world = try await World([one, other]) else { return nil }
        var outcomes: [Int?] = [nil, nil]
        for index in order { outcomes[index] = await world.call(index) }
        return Result(outcomes: outcomes, state: try await world.state())
    }

    private struct Result: Equatable {
        /// The error code of each call; `nil` if it succeeded.
        var outcomes: [Int?]
        var state: [String: [String]]

        func difference(_ other: Result) -> String {
            let tables = state.keys.filter { state[$0] != other.state[$0] }.sorted()
            return "\(outcomes) for \(other.outcomes), "
                + tables.map { "\($0): \(state[$0] ?? []) for \(other.state[$0] ?? [])" }.joined(separator: "; ")
        }
    }

    /// The world of the cases, prepared for several of them.
    private struct World: Sendable {
        let core: CoreFixture
        let calls: [(method: String, parameters: JSONObject, connection: Principal)]

        init?(_ cases: [MethodCase]) async throws {
            core = try await MethodCase.world()
            var calls: [(String, JSONObject, Principal)] = []
            for one in cases {
                var parameters = one.parameters
                // The preparation of one case may prevent that of the other.
                guard let more = try? await one.preparation(core) else { return nil }
                for name in more.names { parameters[name] = more[name] }
                let connection = one.caller.connection
                calls.append((one.method, parameters, connection))
            }
            self.calls = calls
        }

        /// Makes a call and returns its error code.
        func call(_ index: Int) async -> Int? {
            let (method, parameters, connection) = calls[index]
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            switch await core.table.dispatch(request, from: connection) {
            case .success: return nil
            case .failure(let error): return error.code.rawValue
            }
        }

        /// Columns and tables that are random, counted before the change, or derived from other columns.
        private static let leftOut: Set<String> = [
            "session.token", "sign_up.ticket", "sign_up.code", "sign_up.password", "sign_in_code.code",
            "new_email.code", "mail.body", "person.password", "log_start.name", "photo_folder", "attempt", "plan.id",
            "location.id", "activity.id", "expense.id", "repayment.id", "plan_link.digest", "vote.id", "vote.passcode",
            "vote.seal", "vote_ballot.choice", "invitation.digest", "follow_link.digest", "plan_change.subject",
            "plan_change.content", "board.secret",
        ]

        /// The statement that reads each table, one text per row.
        ///
        /// All stores have the same tables.
        private static let selections = Mutex<[String: String]>([:])

        private static func selections(in db: Database) throws -> [String: String] {
            let known = selections.withLock { $0 }
            guard known.isEmpty else { return known }
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'sight_text%'
                    """)
            var found: [String: String] = [:]
            for table in tables where !leftOut.contains(table) {
                let columns = try db.columns(in: table).map(\.name).filter { !leftOut.contains("\(table).\($0)") }
                let row = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
                // These events name what has a random id.
                let rows = table == "event" ? " WHERE type NOT LIKE 'subject.%'" : ""
                found[table] = "SELECT \(row) FROM \"\(table)\"\(rows)"
            }
            selections.withLock { [found] in $0 = found }
            return found
        }

        /// Returns all rows of all tables and the watched geofences, after all due timers have run.
        func state() async throws -> [String: [String]] {
            try await TimedWorks(core.context, core.features.timers).catchUp()
            var state = try await core.store.read { db in
                try Self.selections(in: db).mapValues { try String.fetchAll(db.cachedStatement(sql: $0)).sorted() }
            }
            let stored = try core.store.sightGeofences().all.map { "\($0.geofence)" }.sorted()
            // The cases give the locations of their plans ids that differ from the watched ones.
            let watched = core.liveState.index.all.filter { $0.geofence.identity.kind == .sight }
                .map { "\($0.geofence)" }.sorted()
            state["watched"] = stored == watched ? [] : watched
            return state
        }
    }
}

/// Runs tasks one step at a time, in an order that a seed decides where steps are ready together.
private final class Scheduler: TaskExecutor {
    private let state: Mutex<State>
    private let news = DispatchSemaphore(value: 0)

    private struct State {
        var jobs: [UnownedJob] = []
        var random: SeededGenerator
    }

    init(seed: UInt64) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        Thread.detachNewThread { [self] in work() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        news.signal()
    }

    /// Runs a call on this scheduler.
    func run(_ body: @escaping @Sendable () async -> Int?) async -> Int? {
        await Task(executorPreference: self) { await body() }.value
    }

    /// Ends the thread.
    ///
    /// All tasks must have ended.
    func stop() {
        news.signal()
    }

    private func work() {
        while true {
            news.wait()
            // Waits from time to time, so that more steps become ready.
            if state.withLock({ Bool.random(using: &$0.random) }) { sched_yield() }
            let job = state.withLock { state -> UnownedJob? in
                guard !state.jobs.isEmpty else { return nil }
                return state.jobs.remove(at: Int.random(in: 0..<state.jobs.count, using: &state.random))
            }
            guard let job else { return }
            // Each job is taken out of the list once, so it runs once.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
