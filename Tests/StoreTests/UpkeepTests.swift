import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

@Suite struct UpkeepTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func commit(_ count: Int, to store: LocationDatabase) throws {
        var pending = PendingCommit()
        pending.events = (0..<count).map { .plain("event\($0)") }
        _ = try store.commit(pending)
    }

    @Test func aBackupIsACompleteIndependentStore() throws {
        let store = try LocationDatabase.open(at: folder.store)
        try commit(500, to: store)
        let path = folder.path + "/copy.db"
        try store.backup(to: path)
        try commit(1, to: store)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") }
        #expect(names == ["copy.db"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let copy = try LocationDatabase.open(at: path)
        #expect(try copy.events(after: 0, limit: .max) == store.events(after: 0, limit: 500))
        // The copy is another log: its next events have numbers that the original gives to other events.
        #expect(try copy.logExtent().name != store.logExtent().name)
    }

    @Test func aBackupOverwritesNoFile() throws {
        let store = try LocationDatabase.open(at: folder.store)
        let path = folder.path + "/precious"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try store.backup(to: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
    }

    @Test func commitsAndBytesAreCounted() async throws {
        let store = try LocationDatabase.open(at: folder.store)
        let before = try await store.statistics()
        try commit(2000, to: store)
        let after = try await store.statistics()
        #expect(before.commits == 0)
        #expect(after.commits == 1)
        #expect(after.pages > before.pages)
        #expect(after.bytes > before.bytes)
    }

    @Test func readingWritesNothing() async throws {
        let store = try LocationDatabase.open(at: folder.store)
        try commit(10, to: store)
        let before = try await store.statistics()
        _ = try store.events(after: 0, limit: 10)
        _ = try store.trips()
        let later = try await store.statistics()
        #expect(later == before)
    }
}
