import Foundation
import GRDB
import Glibc
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let addition = StoreMigration(name: "test.addition.1", sql: "CREATE TABLE addition (a INTEGER)")

    private func pragma(_ name: String, of store: LocationDatabase) throws -> String? {
        try store.queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    @Test func aFolderIsCreatedOnRequestAndOnlyForItsOwner() throws {
        let path = "\(folder.path)/state/waymark/waymark.sqlite"
        #expect(throws: StoreError.self) { try LocationDatabase.open(at: path) }
        try LocationDatabase.open(at: path, makesFolder: true).close()
        for made in ["state", "state/waymark"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(made)")
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        try LocationDatabase.open(at: path, makesFolder: true).close()
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        let error = #expect(throws: StoreError.self) {
            try LocationDatabase.open(at: "\(folder.path)/file/deep/store", makesFolder: true)
        }
        #expect(error.map { "\($0)" }?.contains("cannot create the folder \(folder.path)/file/deep") == true)
    }

    @Test func aNewStoreHasItsApplicationIDAndSettings() throws {
        let store = try LocationDatabase.open(at: folder.store)
        #expect(try pragma("application_id", of: store) == "\(0x574D_524B)")
        #expect(try pragma("user_version", of: store) == "\(StoreMigration.own.count)")
        #expect(try pragma("journal_mode", of: store) == "wal")
        #expect(try pragma("synchronous", of: store) == "2")
        #expect(try pragma("foreign_keys", of: store) == "1")
        #expect(try pragma("integrity_check", of: store) == "ok")
    }

    @Test func synchronousStaysFullAcrossCommitsAndReopening() throws {
        for _ in 0..<2 {
            let store = try LocationDatabase.open(at: folder.store)
            var pending = PendingCommit()
            pending.events = [.plain("a")]
            _ = try store.commit(pending)
            _ = try store.logExtent()
            #expect(try pragma("synchronous", of: store) == "2")
            try store.close()
        }
    }

    @Test func onlyTheOwnerMayReadTheFiles() throws {
        let store = try LocationDatabase.open(at: folder.store)
        for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try folder.mode(suffix) == 0o600, "\(suffix)") }
        try store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.store)
        let again = try LocationDatabase.open(at: folder.store)
        #expect(try folder.mode("") == 0o600)
        #expect(try folder.mode("-wal") == 0o600)
        try again.close()
    }

    @Test func aClosedStoreLeavesOnlyItsFileAndItsLock() throws {
        let store = try LocationDatabase.open(at: folder.store)
        _ = try store.logExtent()  // opens a reader
        try store.close()
        try store.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["waymark.db", "waymark.db.lock"])
    }

    @Test func aSecondWriterIsRefusedWithTheProcessAndSocketInUse() throws {
        let store = try LocationDatabase.open(at: folder.store, socket: "/run/waymark/waymark.sock")
        let error = #expect(throws: StoreError.self) { try LocationDatabase.open(at: folder.store) }
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(
            error == .inUse(path: folder.store, processID: process, socket: "/run/waymark/waymark.sock"))
        #expect(error?.description.contains("in use by process \(process): use its socket, /run/waymark") == true)
        try store.close()
        try LocationDatabase.open(at: folder.store).close()
    }

    @Test func aLinkToTheStoreHasTheSameLock() throws {
        let store = try LocationDatabase.open(at: folder.store)
        let link = folder.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.store)
        #expect(throws: StoreError.self) { try LocationDatabase.open(at: link) }
        try store.close()
    }

    @Test func releasingAStoreReleasesItsLock() throws {
        do { _ = try LocationDatabase.open(at: folder.store) }
        try LocationDatabase.open(at: folder.store).close()
    }

    @Test func aReaderSeesTheCommitsOfAnOpenWriter() throws {
        let writer = try LocationDatabase.open(at: folder.store)
        let reader = try LocationDatabase.openForReading(at: folder.store)
        #expect(try reader.logExtent().last == 0)
        var pending = PendingCommit()
        pending.events = [.plain("a"), .plain("b")]
        let stored = try writer.commit(pending)
        #expect(try reader.events(after: 0, limit: 10) == stored)
        #expect(throws: StoreError.self) { try reader.commit(pending) }
        try writer.close()
        #expect(try reader.logExtent().last == 2)
    }

    @Test func aTemporaryStoreIsFullyUsableAndHasNoFile() throws {
        let store = try LocationDatabase.temporary(migrations: [Self.addition])
        var pending = PendingCommit()
        pending.events = [.plain("a")]
        #expect(try store.commit(pending).map(\.seq) == [1])
        #expect(store.path == nil)
        let file = try store.queue.read { try String.fetchOne($0, sql: "SELECT file FROM pragma_database_list") }
        #expect(file == "")
    }

    @Test func anOlderStoreIsUpgradedByAWriterAndRefusedByAReader() throws {
        let store = try LocationDatabase.open(at: folder.store)
        var pending = PendingCommit()
        pending.events = [.plain("a")]
        _ = try store.commit(pending)
        try store.close()
        let known = StoreMigration.own.count
        #expect(throws: StoreError.older(path: folder.store, found: known, known: known + 1)) {
            try LocationDatabase.openForReading(at: folder.store, migrations: [Self.addition])
        }
        let upgraded = try LocationDatabase.open(at: folder.store, migrations: [Self.addition])
        #expect(try pragma("user_version", of: upgraded) == "\(known + 1)")
        #expect(try upgraded.events(after: 0, limit: 10).count == 1)
        try upgraded.write { try $0.execute(sql: "INSERT INTO addition VALUES (1)") }
        try upgraded.close()
        try LocationDatabase.openForReading(at: folder.store, migrations: [Self.addition]).close()
    }

    @Test(arguments: 0..<StoreMigration.own.count)
    func aStoreOfAnyEarlierSchemaIsUpgraded(_ steps: Int) throws {
        let queue = try DatabaseQueue(path: folder.store)
        try StoreSchema(migrations: Array(StoreMigration.own.prefix(steps))).migrator.migrate(queue)
        try queue.close()
        let store = try LocationDatabase.open(at: folder.store)
        #expect(try pragma("user_version", of: store) == "\(StoreMigration.own.count)")
        #expect(try store.trips().isEmpty)
        try store.close()
    }

    @Test func aStoreOfTheFirstReleaseKeepsItsContents() throws {
        // The migrations of that release, including one of another module.
        let queue = try DatabaseQueue(path: folder.store)
        let first = Array(StoreMigration.own.prefix(3)) + [Self.addition]
        #expect(first.map(\.name) == ["store.log.1", "store.travels.1", "store.traces.1", "test.addition.1"])
        try StoreSchema(migrations: first).migrator.migrate(queue)
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO addition VALUES (7);
                    INSERT INTO device (number, name) VALUES (5, 'van'), (9, 'bike');
                    INSERT INTO event (seq, time, type, device, body) VALUES
                        (1, 1, 'source.online', 'van', '{}'), (2, 2, 'source.offline', 'van', '{}'),
                        (3, 3, 'trip.start', 'van', '{}');
                    UPDATE log SET next_seq = 4;
                    INSERT INTO trip (number, id, device, start, "end", algorithm, settings)
                        VALUES (1, 'van@then', 5, 0, 9, 1, '{}');
                    INSERT INTO trace (trip, time, lat_e7, lon_e7) VALUES (1, 0, 10, 20);
                    """)
        }
        try queue.close()
        let store = try LocationDatabase.open(at: folder.store, migrations: [Self.addition])
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT a FROM addition") } == 7)
        #expect(
            try store.devices() == [
                StoredDevice(name: "bike", isPrimary: false), StoredDevice(name: "van", isPrimary: true),
            ])
        #expect(try store.lastSourceEvents().map(\.seq) == [2])
        #expect(try store.logExtent().last == 3)
        #expect(try store.trips().map(\.summary.id) == ["van@then"])
        #expect(try store.trace(ofTrip: "van@then", limit: 9).count == 1)
        #expect(try pragma("integrity_check", of: store) == "ok")
        try store.close()
    }

    @Test func migratingTwoColumnTraceKeysKeepsAllTraces() throws {
        let old = StoreMigration.own.prefix { $0.name != "store.traces.2" }
        try #require(old.count < StoreMigration.own.count)
        let queue = try DatabaseQueue(path: folder.store)
        try StoreSchema(migrations: Array(old)).migrator.migrate(queue)
        let points = "SELECT * FROM trace_degrees ORDER BY trip, time"
        let before = try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO device (number, name) VALUES (5, 'van');
                    INSERT INTO trip (number, id, device, start, "end", algorithm, settings) VALUES
                        (1, 'a', 5, 0, 900000, 1, '{}'), (2, 'b', 5, 1000000, 1900000, 1, '{}'),
                        (70000, 'c', 5, 2000000, 2900000, 1, '{}');
                    INSERT INTO trip_part VALUES (2, 0, 1000000, 1500000, 2, 0), (2, 0, 2000000, 2030000, 70000, 1);
                    WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 899)
                    INSERT INTO trace SELECT number, n * 1000, n, -n, n % 7, NULL, n % 3600, 5 FROM trip, n;
                    INSERT INTO trace VALUES (70000, 1099511627775, 1, 2, NULL, 3, NULL, NULL);
                    INSERT INTO trace_gap VALUES (1, 3000), (70000, 9000);
                    """)
            return try Row.fetchAll(db, sql: points)
        }
        try queue.close()
        #expect(before.count == 900 + 501 + 31 + 901)
        let store = try LocationDatabase.open(at: folder.store)
        #expect(try store.read { try Row.fetchAll($0, sql: points) } == before)
        #expect(try store.trace(ofTrip: "b", limit: .max).count == 501 + 31)
        #expect(try store.read { try !$0.tableExists("trace_by_trip") })
        _ = try store.write { try $0.execute(sql: "DELETE FROM trip_part; DELETE FROM trip WHERE id = 'b'") }
        #expect(try store.trace(ofTrip: "a", limit: .max).count == 900)
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trace") } == 900 + 901)
        #expect(try pragma("integrity_check", of: store) == "ok")
        try store.close()
    }

    @Test func aNewerStoreIsRefusedWithBothSchemaNumbers() throws {
        let store = try LocationDatabase.open(at: folder.store, migrations: [Self.addition])
        try store.close()
        let known = StoreMigration.own.count
        let newer = StoreError.newer(path: folder.store, found: known + 1, known: known)
        #expect(throws: newer) { try LocationDatabase.open(at: folder.store) }
        #expect(throws: newer) { try LocationDatabase.openForReading(at: folder.store) }
        #expect(newer.description.contains("schema \(known + 1); this one supports \(known)"))
    }

    @Test func aFailedMigrationLeavesTheStoreUnchanged() throws {
        try LocationDatabase.open(at: folder.store).close()
        let bad = StoreMigration(name: "test.bad.1", sql: "CREATE TABLE half (a); SELECT * FROM nowhere")
        #expect(throws: StoreError.self) { try LocationDatabase.open(at: folder.store, migrations: [bad]) }
        let store = try LocationDatabase.open(at: folder.store)
        #expect(try store.read { try !$0.tableExists("half") })
        #expect(try pragma("user_version", of: store) == "\(StoreMigration.own.count)")
    }

    @Test(arguments: [0, 7]) func anotherApplicationsDatabaseIsRefusedUntouched(_ mark: Int32) throws {
        let other = try DatabaseQueue(path: folder.store)
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(mark); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        }
        try other.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.store))
        let foreign = StoreError.foreign(path: folder.store, applicationID: mark)
        #expect(throws: foreign) { try LocationDatabase.open(at: folder.store) }
        #expect(throws: foreign) { try LocationDatabase.openForReading(at: folder.store) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.store)) == before)
    }

    @Test(arguments: ["short", String(repeating: "This is no database. ", count: 500)])
    func aFileThatIsNoDatabaseIsRefusedUntouched(_ text: String) throws {
        try text.write(toFile: folder.store, atomically: false, encoding: .utf8)
        let error = StoreError.notADatabase(path: folder.store)
        #expect(throws: error) { try LocationDatabase.open(at: folder.store) }
        #expect(throws: error) { try LocationDatabase.openForReading(at: folder.store) }
        #expect(try String(contentsOfFile: folder.store, encoding: .utf8) == text)
    }

    @Test func anEmptyFileBecomesAStore() throws {
        try Data().write(to: URL(fileURLWithPath: folder.store))
        try LocationDatabase.open(at: folder.store).close()
        try LocationDatabase.openForReading(at: folder.store).close()
    }

    @Test func aDamagedStoreIsReportedAsDamaged() throws {
        let store = try LocationDatabase.open(at: folder.store)
        var pending = PendingCommit()
        pending.events = (0..<2000).map { .plain("event\($0)") }
        _ = try store.commit(pending)
        try store.close()
        let file = try #require(FileHandle(forUpdatingAtPath: folder.store))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
        try file.close()
        let error = #expect(throws: StoreError.self) {
            let reader = try LocationDatabase.openForReading(at: folder.store)
            _ = try reader.events(after: 0, limit: 5000)
        }
        guard case .damaged = try #require(error) else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
    }

    @Test func openingForReadingDoesNotCreateAFile() throws {
        #expect(throws: StoreError.missing(path: folder.store)) {
            try LocationDatabase.openForReading(at: folder.store)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        ("file/waymark.db", "cannot use the folder"), ("nowhere/waymark.db", "cannot use the folder"),
        ("", "is a folder"), ("folder", "is a folder"), ("file/", "is a folder"), ("dangling", "cannot be created"),
    ])
    func anUnusablePathIsRefusedWithTheReason(_ name: String, _ reason: String) throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/dangling", withDestinationPath: folder.path + "/nothing")
        let error = #expect(throws: StoreError.self) {
            try LocationDatabase.open(at: "\(folder.path)/\(name)")
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(.enabled(if: geteuid() == 0)) func rootCreatesFilesAsTheOwnerOfTheFolder() async {
        // Runs in a process of its own because opening changes the effective user.
        await #expect(processExitsWith: .success) {
            let nobody = 65_534
            let folder = try TemporaryFolder()
            try FileManager.default.setAttributes(
                [.ownerAccountID: nobody, .groupOwnerAccountID: nobody], ofItemAtPath: folder.path)
            let store = try LocationDatabase.open(at: folder.store)
            var pending = PendingCommit()
            pending.events = [.plain("a")]
            _ = try store.commit(pending)
            _ = try store.logExtent()
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.count == 4)
            for file in files {
                let facts = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file)")
                #expect(facts[.ownerAccountID] as? Int == nobody, "\(file)")
                #expect(facts[.groupOwnerAccountID] as? Int == nobody, "\(file)")
            }
            #expect(geteuid() == uid_t(nobody))
        }
    }
}
