import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Reads of a store that has one connection.
@Suite struct SingleConnectionTests {
    private let store: LocationDatabase

    init() throws { store = try LocationDatabase.temporary() }

    @Test(arguments: [
        "INSERT INTO device (name) VALUES ('van')", "DELETE FROM device WHERE name = 'none'", "CREATE TABLE a (b)",
        "CREATE TEMP TABLE a (b)",
    ])
    func aReadThatWritesFailsAndChangesNothing(_ sql: String) throws {
        #expect(throws: StoreError.self) { try store.read { try $0.execute(sql: sql) } }
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM device") } == 0)
        #expect(throws: StoreError.self) { try store.read { try $0.execute(sql: "SELECT b FROM a") } }
    }

    @Test func statementsStayPreparedFromReadToRead() throws {
        let sql = "SELECT count(*) FROM device"
        for _ in 0..<3 { _ = try store.read { try Int.fetchOne($0.cachedStatement(sql: sql)) } }
        let preparedAgain = try store.read {
            unsafe sqlite3_stmt_status(
                try $0.cachedStatement(sql: sql).sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        }
        #expect(preparedAgain == 0)
    }
}

/// Reads of a store beside its writer.
@Suite struct StoreReadersTests {
    private let folder: TemporaryFolder
    private let store: LocationDatabase

    init() throws {
        folder = try TemporaryFolder()
        store = try LocationDatabase.open(at: folder.path + "/store")
    }

    private static func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM device")
    }

    @Test func aReadSeesTheStoreAsItWasWhenItBegan() throws {
        let counts = try store.read { db in
            let before = try Self.count(db)
            try store.write { try $0.execute(sql: "INSERT INTO device (name) VALUES ('van')") }
            return [before, try Self.count(db)]
        }
        #expect(counts == [0, 0])
        #expect(try store.read(Self.count) == 1)
    }

    @Test(arguments: ["INSERT INTO device (name) VALUES ('van')", "SELECT nothing FROM nowhere", "BEGIN", "ROLLBACK"])
    func aReadThatFailsLeavesTheConnectionUsable(_ sql: String) throws {
        for _ in 0..<5 { _ = try? store.read { try $0.execute(sql: sql) } }
        #expect(try store.read(Self.count) == 0)
        try store.write { try $0.execute(sql: "INSERT INTO device (name) VALUES ('bus')") }
        #expect(try store.read(Self.count) == 1)
    }

    @Test func atMostThreeReadAtATime() throws {
        let now = Atomic(0)
        let most = Mutex(0)
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let all = DispatchGroup()
        for number in 0..<12 {
            DispatchQueue(label: "reader \(number)").async(group: all) { [store] in
                try? store.read { db in
                    let reading = now.add(1, ordering: .sequentiallyConsistent).newValue
                    most.withLock { $0 = max($0, reading) }
                    // Two of them wait for each other, so that at least two read at once.
                    switch number {
                    case 0:
                        first.signal()
                        second.wait()
                    case 1:
                        second.signal()
                        first.wait()
                    default: break
                    }
                    _ = try Self.count(db)
                    now.subtract(1, ordering: .sequentiallyConsistent)
                }
            }
        }
        all.wait()
        #expect((2...3).contains(most.withLock(\.self)))
    }

    @Test func connectionsThatNobodyNeedsAreClosedExceptForOne() async throws {
        let path = try #require(store.path)
        let readers = StoreReaders(path: path, configuration: Configuration(), count: 3, patience: .milliseconds(1))
        let counts = try readers.read { _ in
            try readers.read { _ in try readers.read { _ in readers.idleCount } }
        }
        #expect(counts == 0)
        while readers.idleCount != 1 { await Task.yield() }
        #expect(try readers.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM device") } == 0)
    }

    @Test func aStoreThatHasReleasedItsMemoryIsReadAndWritten() async throws {
        let path = try #require(store.path)
        let readers = StoreReaders(path: path, configuration: Configuration(), count: 3)
        let kept = try readers.read { _ in
            try readers.read { _ in }
            // The one that is in use stays open.
            readers.closeIdle()
            return readers.idleCount
        }
        #expect(kept <= 1)
        readers.closeIdle()
        while readers.idleCount != 0 { await Task.yield() }
        #expect(try readers.read(Self.count) == 0)
        #expect(try await store.read(Self.count) == 0)
        store.releaseMemory()
        try await store.write { try $0.execute(sql: "INSERT INTO device (name) VALUES ('van')") }
        store.releaseMemory()
        #expect(try await store.read(Self.count) == 1)
    }

    @Test func aStoreThatWasCopiedAndReadClosesAsOneFile() throws {
        let path = try #require(store.path)
        try store.write { try $0.execute(sql: "INSERT INTO device (name) VALUES ('van')") }
        try store.backup(to: folder.path + "/copy")
        #expect(try store.read { _ in try store.read(Self.count) } == 1)
        try store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "copy", "store", "store.lock",
            ])
        let copy = try DatabaseQueue(path: path)
        #expect(try copy.read(Self.count) == 1)
    }
}
