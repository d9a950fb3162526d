import GRDB
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(2))) struct ReadSchedulerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Counts without end.
    @Sendable private static func endless(_ db: Database) throws -> Int? {
        try Int.fetchOne(
            db, sql: "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT count(*) FROM n")
    }

    @Sendable private static func brief(_ db: Database) throws -> Int? {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT 1"))
    }

    @Test func aCancelledReadEndsAndFreesItsReader() async throws {
        let store = try LocationDatabase.open(at: folder.path + "/store")
        for _ in 0..<10 {
            let reading = Task { try await store.read(Self.endless) }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
        #expect(try await store.read(Self.brief) == 1)
    }

    @Test func aCancelledReadOfManySmallQueriesEnds() async throws {
        let store = try LocationDatabase.open(at: folder.path + "/store")
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let reading = Task {
            try await store.read { db in
                begin.yield()
                while true { _ = try Self.brief(db) }
            }
        }
        for await _ in begun { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(try await store.read(Self.brief) == 1)
    }

    @Test func cancelledWaitingReadsGiveUpTheirTurn() async throws {
        let store = try LocationDatabase.open(at: folder.path + "/store")
        let readings = (0..<20).map { number in
            Task {
                try await StoreReader.$current.withValue(StoreReader(origin: 1_000, connection: number)) {
                    try await store.read(Self.endless)
                }
            }
        }
        // Another user is served in the meantime.
        let other = try await StoreReader.$current.withValue(StoreReader(origin: 1_001, connection: 99)) {
            try await store.read(Self.brief)
        }
        #expect(other == 1)
        for reading in readings.reversed() { reading.cancel() }
        for reading in readings {
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
        #expect(try await store.read(Self.brief) == 1)
    }

    /// Reads that are cancelled before their turn, during it or after it leave nothing behind.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func everyReadIsAnsweredOnceAndForgotten(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed &+ TestTier.seed)
        let turns = ReadScheduler(readers: 3, deadline: .seconds(60))
        let store = try LocationDatabase.open(at: folder.path + "/store")
        var readings: [Task<Int?, any Error>] = []
        for number in 0..<400 {
            let reading = Task {
                try await StoreReader.$current.withValue(StoreReader(origin: Int64(number % 7), connection: number)) {
                    try await turns.read(at: "store") { reading in
                        try store.read { db in try reading.run(on: db, Self.brief) }
                    }
                }
            }
            readings.append(reading)
            if Bool.random(using: &random) { readings.randomElement(using: &random)?.cancel() }
        }
        var read = 0
        for reading in readings {
            do {
                #expect(try await reading.value == 1)
                read += 1
            } catch is CancellationError {}
        }
        #expect(read >= 200)
        // A lane forgets a read after it has answered.
        while turns.remembered > 0 { await Task.yield() }
    }

    @Test func aReadOfAConnectionIsAbortedAtItsDeadline() async throws {
        let turns = ReadScheduler(readers: 3, deadline: .milliseconds(20))
        let store = try LocationDatabase.open(at: folder.path + "/store")
        @Sendable func read(_ body: @escaping @Sendable (Database) throws -> Int?) async throws -> Int? {
            try await turns.read(at: "store") { reading in
                try store.read { db in try reading.run(on: db, body) }
            }
        }
        func readForConnection(_ body: @escaping @Sendable (Database) throws -> Int?) async throws -> Int? {
            try await StoreReader.$current.withValue(StoreReader(origin: 1_000, connection: 1)) { try await read(body) }
        }
        let programs = Task { try await read(Self.endless) }
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) { try await readForConnection(Self.endless) }
            #expect(error == .tooLong(path: "store", limit: .milliseconds(20)))
        }
        // A busy machine may exceed the deadline at first.
        while true {
            do {
                #expect(try await readForConnection(Self.brief) == 1)
                break
            } catch StoreError.tooLong {}
        }
        // Reads of the program itself have no deadline.
        programs.cancel()
        await #expect(throws: CancellationError.self) { try await programs.value }
    }

    @Test func aWriteCompletesEvenIfItsTaskIsCancelled() async throws {
        let store = try LocationDatabase.open(at: folder.path + "/store")
        let change = Task {
            // The task exists: it is this one, which is running.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.write { try $0.execute(sql: "CREATE TABLE made (x)") }
        }
        try await change.value
        #expect(try await store.read { try $0.tableExists("made") })
    }
}
