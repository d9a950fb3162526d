import Foundation
import GRDB
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite(.slow) struct RecoveryTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var saved: String { folder.file("saved.db") }

    /// The tables of another module: rows with a search index, and a trigger that counts them.
    private static let additions = [
        StoreMigration(
            name: "test.notes.1",
            sql: """
                CREATE TABLE note (number INTEGER PRIMARY KEY, device INTEGER REFERENCES device (number), text TEXT);
                CREATE VIRTUAL TABLE note_text USING fts5 (text, content = 'note', content_rowid = 'number');
                CREATE TABLE note_count (one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL) STRICT;
                INSERT INTO note_count VALUES (1, 0);
                CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
                    UPDATE note_count SET count = count + 1;
                    INSERT INTO note_text (rowid, text) VALUES (NEW.number, NEW.text);
                END;
                """)
    ]

    private func fill() throws {
        let store = try LocationDatabase.open(at: folder.store, migrations: Self.additions)
        var pending = PendingCommit()
        pending.events = (0..<4000).map { .plain("event\($0)") }
        _ = try store.commit(pending)
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO device (number, name) VALUES (1, 'van');
                    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 30)
                    INSERT INTO trip (number, id, device, start, "end", algorithm, settings)
                        SELECT n, 'van@' || n, 1, n * 1000, n * 1000 + 999, 1, '{}' FROM n;
                    WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 299)
                    INSERT INTO trace (key, lat_e7, lon_e7) SELECT number << 40 | n * 3, n, n FROM trip, n;
                    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
                    INSERT INTO note SELECT n, 1, 'word' || n FROM n;
                    """)
        }
        try store.close()
    }

    @Test func whatAStepKeepsIsComputedAgain() throws {
        let step = StoreMigration(
            name: "test.notes.1",
            sql: """
                CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT);
                CREATE TABLE note_count (count INTEGER NOT NULL) STRICT;
                INSERT INTO note_count VALUES (0);
                """
        ).rebuilding { try $0.execute(sql: "UPDATE note_count SET count = (SELECT count(*) FROM note)") }
        let store = try LocationDatabase.open(at: folder.store, migrations: [step])
        try store.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('one'), ('two')") }
        try store.close()
        _ = try StoreRecovery.run(from: folder.store, to: saved, migrations: [step])
        #expect(try rows("note_count", of: saved) == ["[count:2]"])
    }

    private func rows(_ table: String, of path: String) throws -> Set<String> {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { Set(try Row.fetchAll($0, sql: "SELECT * FROM \(table)").map { "\($0)" }) }
    }

    private static let tables = ["event", "device", "trip", "trace", "note", "note_count"]

    @Test func anUndamagedStoreIsRecoveredCompletely() throws {
        try fill()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.store))
        let found = try StoreRecovery.run(from: folder.store, to: saved, migrations: Self.additions)
        #expect(found.isWhole, "\(found)")
        #expect(found.tables.first { $0.name == "trace" }?.rows == 9000)
        for table in Self.tables { #expect(try rows(table, of: saved) == rows(table, of: folder.store), "\(table)") }
        let store = try LocationDatabase.open(at: saved, migrations: Self.additions)
        #expect(
            try store.read { try Int.fetchOne($0, sql: "SELECT rowid FROM note_text WHERE note_text MATCH 'word7'") }
                == 7)
        #expect(try store.logExtent().last == 4000)
        try store.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('new')") }
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count FROM note_count") } == 2001)
        try store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.store)) == before)
        #expect(try FileManager.default.attributesOfItem(atPath: saved)[.posixPermissions] as? Int == 0o600)
    }

    /// Returns the leaf pages of a table's own tree, in the order of the file.
    private func pages(of table: String) throws -> [UInt64] {
        let queue = try DatabaseQueue(path: folder.store)
        defer { try? queue.close() }
        return try queue.read { db in
            // The pages of a table that grew alone are adjacent; the lost rows show what a page contained.
            return try UInt64.fetchAll(
                db, sql: "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno",
                arguments: [table])
        }
    }

    private func destroy(_ pages: [UInt64], _ random: inout SeededGenerator) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.store))
        for page in pages {
            try file.seek(toOffset: (page - 1) * UInt64(LocationDatabase.pageSize))
            try file.write(
                contentsOf: Data((0..<LocationDatabase.pageSize).map { _ in UInt8.random(in: 0...255, using: &random) })
            )
        }
        try file.close()
    }

    @Test(arguments: 1...2) func rowsOutsideDamagedPagesAreRecovered(_ seed: UInt64) throws {
        try fill()
        var random = SeededGenerator(seed: seed)
        let before = try Self.tables.map { try rows($0, of: folder.store) }
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: folder.store)[.size] as? Int)
        let pages = (0..<3).map { _ in UInt64.random(in: 8...UInt64(size / LocationDatabase.pageSize), using: &random) }
        try destroy(pages, &random)
        let found = try StoreRecovery.run(from: folder.store, to: saved, migrations: Self.additions)
        for (table, rows) in zip(Self.tables, before) where table != "note_count" {
            let kept = try self.rows(table, of: saved)
            #expect(kept.isSubset(of: rows), "\(table)")
            // A leaf of 4 KiB holds about 150 of the smallest rows.
            if found.tables.first(where: { $0.name == table })?.lost.isEmpty == true {
                #expect(kept == rows, "\(table)")
            } else {
                #expect(kept.count < rows.count)
            }
        }
        #expect(try StoreCheckTests.integrity(of: saved) == "ok")
    }

    @Test(arguments: ["event", "trace", "note"]) func aDamagedLeafPageLosesOnlyItsOwnRows(_ table: String) throws {
        try fill()
        let before = try rows(table, of: folder.store)
        let leaves = try pages(of: table)
        try #require(leaves.count > 8)
        var random = SeededGenerator(seed: 1)
        // The second, the last, and two with others between them.
        let chosen = [leaves[1], leaves[leaves.count / 3], leaves[leaves.count / 2], leaves[leaves.count - 1]]
        try destroy(chosen, &random)
        let found = try StoreRecovery.run(from: folder.store, to: saved, migrations: Self.additions)
        let kept = try rows(table, of: saved)
        #expect(kept.isSubset(of: before))
        #expect(kept.count > before.count - before.count * 6 / leaves.count)
        let result = try #require(found.tables.first { $0.name == table })
        #expect(result.rows == kept.count)
        #expect(!result.lost.isEmpty)
        #expect(result.lost.count <= 12, "\(result.lost)")
        #expect(try StoreCheckTests.integrity(of: saved) == "ok")
    }

    @Test func recoveryIncludesTheWriteAheadLog() throws {
        let store = try LocationDatabase.open(at: folder.store)
        var pending = PendingCommit()
        pending.events = [.plain("a"), .plain("b")]
        _ = try store.commit(pending)
        let name = try store.logExtent().name
        let found = try StoreRecovery.run(from: folder.store, to: saved)
        #expect(found.isWhole)
        let other = try LocationDatabase.open(at: saved)
        #expect(try other.logExtent().last == 2)
        #expect(try other.logExtent().name != name)
    }

    @Test func rowsThatNeedALostParentAreNotRecovered() throws {
        try fill()
        let queue = try DatabaseQueue(path: folder.store)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.execute(sql: "DELETE FROM device")
        }
        try queue.close()
        let found = try StoreRecovery.run(from: folder.store, to: saved, migrations: Self.additions)
        #expect(found.tables.first { $0.name == "trip" }?.refused == 30)
        #expect(found.tables.first { $0.name == "note" }?.rows == 2000)
        let violations = try DatabaseQueue(path: saved).read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }
        #expect(violations.isEmpty)
    }

    @Test func anOlderStoreIsRecoveredAndUpgraded() throws {
        let queue = try DatabaseQueue(path: folder.store)
        try StoreSchema(migrations: Array(StoreMigration.own.prefix(4))).migrator.migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO device (name) VALUES ('van')") }
        try queue.close()
        let found = try StoreRecovery.run(from: folder.store, to: saved, migrations: Self.additions)
        #expect(found.isWhole)
        let store = try LocationDatabase.open(at: saved, migrations: Self.additions)
        #expect(try store.devices().map(\.name) == ["van"])
    }

    @Test func recoveryOverwritesNoFileAndLeavesNoneWhenItFails() throws {
        try fill()
        try "Dear diary".write(toFile: saved, atomically: false, encoding: .utf8)
        #expect(throws: StoreError.self) {
            try StoreRecovery.run(from: folder.store, to: saved, migrations: Self.additions)
        }
        #expect(try String(contentsOfFile: saved, encoding: .utf8) == "Dear diary")
        try Data(repeating: 0xA5, count: 100_000).write(to: URL(fileURLWithPath: folder.store))
        #expect(throws: StoreError.notADatabase(path: folder.store)) {
            try StoreRecovery.run(from: folder.store, to: folder.file("other.db"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("other.db")))
    }
}
