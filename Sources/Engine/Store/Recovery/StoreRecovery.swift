import Foundation
import GRDB

/// The result of copying what is readable of a damaged store.
public struct StoreRecovery: Hashable, Sendable {
    /// The result for one table.
    public struct Table: Hashable, Sendable {
        /// The name of the table.
        public var name: String
        /// The number of rows in the new store.
        public var rows: Int
        /// The ranges of keys that cannot be read, in words, such as `rowid > 41, rowid < 90`.
        public var lost: [String]
        /// The number of rows that were read but are not in the new store.
        ///
        /// They violate a constraint of the schema, or refer to a row that is lost.
        public var refused: Int
        /// What is lost as people call it: trips, days and sights.
        ///
        /// It is empty if that cannot be found out.
        public var lostNames: [String] = []
    }

    /// Every table of the schema, by name; indexes and derived tables are rebuilt.
    public var tables: [Table]

    /// Whether everything was saved.
    public var isWhole: Bool { tables.allSatisfy { $0.lost.isEmpty && $0.refused == 0 } }

    /// Copies the readable rows of a store into a new one, and leaves the damaged store as it is.
    ///
    /// Each table is read in the order of its key from both ends. The range around an unreadable page is halved until
    /// no more rows are found. Indexes are not used. A write-ahead log beside the store is read with it. The event log
    /// of the new store has another name, because its end may be lost.
    ///
    /// - Parameters:
    ///   - destination: A file that must not exist yet. If the recovery fails, the file is removed.
    ///   - migrations: The steps that other rooms add to the schema; always the whole list.
    /// - Complexity: O(*n*) for *n* bytes, and some thousand searches for each unreadable page.
    /// - Throws: ``StoreError``, also if so little is readable that the tables are not known.
    public static func run(
        from source: String, to destination: String, migrations: [StoreMigration] = []
    ) throws(StoreError) -> StoreRecovery {
        let source = try StoreFile.resolve(source)
        try LocationDatabase.checkReadable(source)
        guard StoreFile.size(source) > 0 else { throw .missing(path: source) }
        try StoreFile.assumeOwner(of: source)
        let destination = try StoreFile.resolve(destination)
        let strays = ["-wal", "-shm"].filter { (try? FileCalls().status(source + $0, links: .followed)) == nil }
        // Reading a store may create these files beside it; they are removed again.
        defer { for suffix in strays { try? FileCalls().remove(source + suffix) } }
        let damaged: DatabaseQueue
        do {
            damaged = try open(source)
        } catch {
            throw StoreError(error, path: source)
        }
        defer { try? damaged.close() }
        try StoreFile.create(destination)
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.makeSmallPages()
            let copy = try DatabaseQueue(path: destination, configuration: configuration)
            // One transaction, so that all reads see the same state while another process writes. It is rolled back,
            // because it cannot be committed after an error.
            let tables = try damaged.unsafeRead { damaged in
                try damaged.execute(sql: "BEGIN")
                defer { try? damaged.execute(sql: "ROLLBACK") }
                let steps = try setUp(copy, after: damaged, path: source, StoreSchema(adding: migrations).migrations)
                return try copy.inDatabase { try fill($0, after: steps, from: damaged) }
            }
            try copy.close()
            try LocationDatabase.open(at: destination, migrations: migrations).close()
            return StoreRecovery(tables: tables)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal", ".lock"] { try? FileCalls().remove(destination + suffix) }
            throw StoreError(error, path: source)
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "recovery"
        configuration.readonly = true
        configuration.busyMode = .timeout(LocationDatabase.busyTimeout)
        configuration.prepareDatabase { db in
            // Makes SQLite load the readable part of a damaged schema (sqlite.org/pragma.html, "writable_schema").
            // Nothing is written.
            try db.execute(sql: "PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON")
        }
        // The first read of a damaged schema may fail, which must not matter here.
        return try ReadOnlyStore.open(path, configuration) { try $0.execute(sql: "PRAGMA schema_version") }
    }

    /// Creates the schema of the damaged store in the new one, so that the rows fit, and returns its steps.
    private static func setUp(
        _ copy: DatabaseQueue, after damaged: Database, path: String, _ migrations: [StoreMigration]
    ) throws -> [StoreMigration] {
        let mark = try Int32.fetchOne(damaged, sql: "PRAGMA application_id") ?? 0
        guard mark == StoreSchema.applicationID else { throw StoreError.foreign(path: path, applicationID: mark) }
        let found = try Int.fetchOne(damaged, sql: "PRAGMA user_version") ?? 0
        guard found <= migrations.count else {
            throw StoreError.newer(path: path, found: found, known: migrations.count)
        }
        // If the list of steps is unreadable or does not match the schema number, the first `found` steps were applied.
        let applied = (try? Set(String.fetchAll(damaged, sql: "SELECT identifier FROM grdb_migrations"))) ?? []
        let known = migrations.filter { applied.contains($0.name) }
        let steps = known.count == found ? known : Array(migrations.prefix(found))
        try StoreSchema(migrations: steps).migrator.migrate(copy)
        return steps
    }

    private static func fill(
        _ copy: Database, after steps: [StoreMigration], from damaged: Database
    ) throws -> [Table] {
        let tables = try TableShape.all(in: copy)
        let triggers = try Row.fetchAll(copy, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        for trigger in triggers {
            try copy.execute(sql: "DROP TRIGGER \((trigger[0] as String).quotedDatabaseIdentifier)")
        }
        var results: [Table] = []
        for table in tables {
            try copy.inTransaction {
                try copy.execute(sql: "DELETE FROM \(table.quoted)")
                var salvage = try TableSalvage(table, from: damaged, to: copy)
                results.append(try salvage.run())
                return .commit
            }
        }
        try copy.inTransaction {
            try removeOrphans(tables, &results, in: copy)
            try repairLog(in: copy)
            let searches = try String.fetchAll(
                copy,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %fts5%'")
            for name in searches.map(\.quotedDatabaseIdentifier) {
                try copy.execute(sql: "INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
            }
            for trigger in triggers { try copy.execute(sql: trigger[1]) }
            // The numbers of trips may be lost, and with them what the sums were made of.
            // It says where there is nothing to find, which must be true of the events that are left.
            if try copy.tableExists("event_block") { try EventBlocks.rebuild(in: copy) }
            if try copy.tableExists("trip_due") { try TripSums.markAll(in: copy) }
            if try copy.tableExists("heat_due") { try TripHeat.restart(in: copy) }
            for step in steps { try step.rebuild?(copy) }
            return .commit
        }
        return results
    }

    /// Resolves references to rows that are lost: sets the reference to `NULL` or, where the schema forbids that,
    /// deletes the row.
    private static func removeOrphans(_ tables: [TableShape], _ results: inout [Table], in db: Database) throws {
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for (index, table) in tables.enumerated() {
                for reference in try TableShape.Reference.all(of: table, in: db) {
                    if reference.isOptional, try reference.forget(in: db) > 0 { hasChanged = true }
                    let removed = try reference.removeRows(in: db)
                    results[index].rows -= removed
                    results[index].refused += removed
                    if removed > 0 { hasChanged = true }
                }
            }
        }
    }

    /// Ensures that the log has its one row, with a number beyond all events that are left.
    ///
    /// The log gets a new name, because its numbers may be assigned again.
    private static func repairLog(in db: Database) throws {
        // Before the step `store.log.4`, `log` was a table.
        let table = try db.tableExists("log_start") ? "log_start" : "log"
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO \(table) VALUES (1, '\(String(repeating: "0", count: 32))', 1);
                UPDATE \(table) SET
                    name = lower(hex(randomblob(16))),
                    next_seq = max(next_seq, 1 + coalesce((SELECT max(seq) FROM event), 0));
                """)
    }
}
