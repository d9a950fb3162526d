import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// Changes to the files of a store while its writer has it open, or between two writers.
@Suite struct StoreIdentityTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func events(_ types: String...) -> PendingCommit {
        var pending = PendingCommit()
        pending.events = types.map { .plain($0) }
        return pending
    }

    /// A change to the files while the store is open.
    enum Mishap: CaseIterable {
        case storeMoved, allMoved, storeRemoved, storeReplaced, logRemoved, logReplaced

        func happen(to store: String) throws {
            let files = FileManager.default
            switch self {
            case .storeMoved: try files.moveItem(atPath: store, toPath: store + ".moved")
            case .allMoved:
                for suffix in ["", "-wal", "-shm", ".lock"] {
                    try files.moveItem(atPath: store + suffix, toPath: store + ".moved" + suffix)
                }
            case .storeRemoved: try files.removeItem(atPath: store)
            case .storeReplaced:
                try files.copyItem(atPath: store, toPath: store + ".other")
                try files.removeItem(atPath: store)
                try files.moveItem(atPath: store + ".other", toPath: store)
            case .logRemoved: try files.removeItem(atPath: store + "-wal")
            case .logReplaced:
                try files.removeItem(atPath: store + "-wal")
                try Data().write(to: URL(fileURLWithPath: store + "-wal"))
            }
        }
    }

    private func expectMoved(_ store: LocationDatabase, _ moved: StoreError) {
        #expect(throws: moved) { try store.write { try $0.execute(sql: "DELETE FROM stop") } }
    }

    @Test(arguments: Mishap.allCases)
    func nothingIsAcknowledgedAfterTheFilesChanged(_ mishap: Mishap) async throws {
        let store = try LocationDatabase.open(at: folder.store)
        _ = try await store.commit(Self.events("a"))
        try mishap.happen(to: folder.store)
        let moved = StoreError.moved(path: folder.store)
        #expect(throws: moved) { try store.commit(Self.events("b")) }
        expectMoved(store, moved)
        await #expect(throws: moved) { try await store.write { try $0.execute(sql: "DELETE FROM stop") } }
        await #expect(throws: moved) { try await store.waitForWriter() }
    }

    @Test(arguments: [Mishap.storeMoved, .allMoved])
    func aMovedStoreHasEverythingAcknowledged(_ mishap: Mishap) throws {
        let store = try LocationDatabase.open(at: folder.store)
        let stored = try store.commit(Self.events("a", "b"))
        let name = try store.logExtent().name
        try mishap.happen(to: folder.store)
        #expect(throws: StoreError.self) { try store.commit(Self.events("c")) }
        try store.close()
        // The files that stay must not hold anything that a new store there would take for its own.
        #expect(StoreFile.size(folder.store + "-wal") == 0)
        let moved = try LocationDatabase.open(at: folder.store + ".moved")
        #expect(try moved.events(after: 0, limit: 2) == stored)
        #expect(try moved.logExtent().name == name)
        #expect(try moved.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }

    @Test func aStoreWhoseWALWasRemovedHasEverythingAcknowledged() throws {
        let store = try LocationDatabase.open(at: folder.store)
        let stored = try store.commit(Self.events("a", "b"))
        let name = try store.logExtent().name
        try Mishap.logRemoved.happen(to: folder.store)
        #expect(throws: StoreError.self) { try store.commit(Self.events("c")) }
        try store.close()
        let next = try LocationDatabase.open(at: folder.store)
        #expect(try next.events(after: 0, limit: 2) == stored)
        #expect(try next.logExtent().name == name)
    }

    @Test func anOlderCopyInPlaceOfAnOpenStoreGetsANewLogName() throws {
        let first = try LocationDatabase.open(at: folder.store)
        _ = try first.commit(Self.events("a"))
        let name = try first.logExtent().name
        try first.close()
        let store = try LocationDatabase.open(at: folder.store)
        // This commit is only in the write-ahead log, not in the file.
        _ = try store.commit(Self.events("b"))
        try Mishap.storeReplaced.happen(to: folder.store)
        #expect(throws: StoreError.self) { try store.commit(Self.events("c")) }
        try store.close()
        let older = try LocationDatabase.open(at: folder.store)
        #expect(try older.logExtent().last == 1)
        #expect(try older.logExtent().name != name)
        #expect(older.opening.hasNewLog)
    }

    @Test func aStoreWithoutItsLockFileStillHasOneWriter() async throws {
        let store = try LocationDatabase.open(at: folder.store)
        try FileManager.default.removeItem(atPath: folder.store + ".lock")
        await Self.expectInUse(folder.store)
        _ = try await store.commit(Self.events("a"))
        #expect(try store.logExtent().last == 1)
    }

    @Test func aStoreOpenedByAnotherNameStillHasOneWriter() async throws {
        let store = try LocationDatabase.open(at: folder.store)
        _ = try await store.commit(Self.events("a"))
        let link = folder.path + "/link.db"
        try FileManager.default.linkItem(atPath: folder.store, toPath: link)
        await Self.expectInUse(link)
        _ = try await store.commit(Self.events("b"))
        #expect(try store.logExtent().last == 2)
    }

    /// Expects that another process cannot open the store for writing.
    private static func expectInUse(_ path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            #expect(throws: StoreError.inUse(path: path, processID: nil, socket: nil)) {
                try LocationDatabase.open(at: path)
            }
        }
    }

    /// Makes a store as a power cut leaves it, with events in the file and more in the write-ahead log.
    private func cutOff(checkpointed: Bool = false, without lost: [String] = []) throws -> (path: String, name: String)
    {
        let first = try LocationDatabase.open(at: folder.store)
        _ = try first.commit(Self.events("a"))
        try first.close()
        let store = try LocationDatabase.open(at: folder.store)
        _ = try store.commit(Self.events("b", "c"))
        if checkpointed { try store.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        let copy = folder.file("cut.db")
        for suffix in ["", "-wal", ".lock"] where !lost.contains(suffix) {
            try FileManager.default.copyItem(atPath: folder.store + suffix, toPath: copy + suffix)
        }
        return (copy, try store.logExtent().name)
    }

    @Test func anUncleanStopWithTheWALKeepsTheLogName() throws {
        let (path, name) = try cutOff()
        let store = try LocationDatabase.open(at: path)
        #expect(store.opening == StoreOpening(wasShutDownUncleanly: true, hasNewLog: false))
        #expect(try store.logExtent() == EventLog.Extent(name: name, first: 1, last: 3))
        try store.close()
        #expect(
            try LocationDatabase.open(at: path).opening == StoreOpening(wasShutDownUncleanly: false, hasNewLog: false))
    }

    @Test func anUncleanStopWithoutTheWALGetsANewLogName() throws {
        let (path, name) = try cutOff(without: ["-wal"])
        let store = try LocationDatabase.open(at: path)
        #expect(store.opening == StoreOpening(wasShutDownUncleanly: true, hasNewLog: true))
        #expect(try store.logExtent().last == 1)
        #expect(try store.logExtent().name != name)
        let renamed = try store.logExtent().name
        try store.close()
        #expect(try LocationDatabase.open(at: path).logExtent().name == renamed)
    }

    @Test func anUncleanStopWithATruncatedWALGetsANewLogName() throws {
        let (path, name) = try cutOff()
        let log = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
        try log.truncate(atOffset: 100)
        try log.close()
        let store = try LocationDatabase.open(at: path)
        #expect(try store.logExtent().last == 1)
        #expect(try store.logExtent().name != name)
    }

    @Test func anUncleanStopAfterACheckpointNeedsNoWAL() throws {
        let (path, name) = try cutOff(checkpointed: true, without: ["-wal"])
        let store = try LocationDatabase.open(at: path)
        #expect(try store.logExtent() == EventLog.Extent(name: name, first: 1, last: 3))
    }

    @Test func restoringAnOlderCopyGetsANewLogName() throws {
        let first = try LocationDatabase.open(at: folder.store)
        _ = try first.commit(Self.events("a"))
        let name = try first.logExtent().name
        try first.close()
        try FileManager.default.copyItem(atPath: folder.store, toPath: folder.file("copy.db"))
        let second = try LocationDatabase.open(at: folder.store)
        try second.write { _ = try EventLog.append([.plain("b")], to: $0) }
        try second.close()
        try FileManager.default.removeItem(atPath: folder.store)
        try FileManager.default.moveItem(atPath: folder.file("copy.db"), toPath: folder.store)
        let restored = try LocationDatabase.open(at: folder.store)
        #expect(restored.opening == StoreOpening(wasShutDownUncleanly: false, hasNewLog: true))
        #expect(try restored.logExtent().name != name)
    }

    @Test func aFailedOpenKeepsTheNoteOfTheLastWriter() throws {
        let (path, name) = try cutOff(without: ["-wal"])
        let bad = StoreMigration(name: "test.bad.1", sql: "SELECT * FROM nowhere")
        #expect(throws: StoreError.self) { try LocationDatabase.open(at: path, migrations: [bad]) }
        let store = try LocationDatabase.open(at: path)
        #expect(store.opening == StoreOpening(wasShutDownUncleanly: true, hasNewLog: true))
        #expect(try store.logExtent().name != name)
    }

    @Test func theLockNoteOfAnEarlierReleaseIsUnderstood() throws {
        try LocationDatabase.open(at: folder.store).close()
        try "4711\n/run/waymark/waymark.sock\n".write(
            toFile: folder.store + ".lock", atomically: false, encoding: .utf8)
        let store = try LocationDatabase.open(at: folder.store)
        #expect(store.opening == StoreOpening(wasShutDownUncleanly: true, hasNewLog: false))
    }
}
