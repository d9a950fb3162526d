import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

@Suite struct StoreCheckTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fill(_ count: Int = 3000) throws {
        let store = try LocationDatabase.open(at: folder.store)
        var pending = PendingCommit()
        pending.events = (0..<count).map { .plain("event\($0)") }
        _ = try store.commit(pending)
        try store.close()
    }

    /// Returns what SQLite's integrity check finds: `ok` if nothing is wrong.
    static func integrity(of path: String) throws -> String {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check").joined(separator: "; ") }
    }

    @Test(arguments: [false, true]) func anUndamagedStoreIsReportedAsSound(_ isThorough: Bool) async throws {
        try fill()
        let check = try await StoreCheck.run(at: folder.store, isThorough: isThorough)
        #expect(check == .sound)
    }

    @Test(arguments: 1...5) func damagedPagesAreFoundAnywhere(_ seed: UInt64) async throws {
        try fill()
        var random = SeededGenerator(seed: seed)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.store))
        let pages = try file.seekToEnd() / UInt64(LocationDatabase.pageSize)
        // The first page holds the schema; without it there is nothing to check.
        for _ in 0..<3 {
            try file.seek(toOffset: .random(in: 1..<pages, using: &random) * UInt64(LocationDatabase.pageSize))
            try file.write(
                contentsOf: Data((0..<LocationDatabase.pageSize).map { _ in UInt8.random(in: 0...255, using: &random) })
            )
        }
        try file.close()
        guard case .damaged(let problems) = try await StoreCheck.run(at: folder.store) else {
            Issue.record("nothing was found")
            return
        }
        #expect(!problems.isEmpty && problems.count <= StoreCheck.maximumProblems)
    }

    @Test func anOpenStoreIsCheckedWithItsWriteAheadLog() async throws {
        let store = try LocationDatabase.open(at: folder.store)
        _ = try await store.commit(PendingCommit())
        #expect(try await StoreCheck.run(at: folder.store) == .sound)
        try store.close()
    }

    @Test func aCheckWithoutTimeIsReportedAsUnfinished() async throws {
        try fill(20)
        #expect(try await StoreCheck.run(at: folder.store, within: .zero) == .unfinished(tables: 0))
    }

    @Test func aCheckWithEnoughTimeReadsAllTables() async throws {
        try fill(20)
        #expect(try await StoreCheck.run(at: folder.store, within: .seconds(600)) == .sound)
    }

    @Test func checkingAMissingStoreThrows() async throws {
        await #expect(throws: StoreError.missing(path: folder.store)) { try await StoreCheck.run(at: folder.store) }
    }
}
