import Foundation
import GRDB

extension LocationDatabase {
    /// Returns a text in lower case without diacritics, for searching names.
    ///
    /// SQL calls it as the function `folded`.
    public static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// The seconds to wait for another connection, such as a backup's, before giving up.
    static let busyTimeout = 5.0
    /// The number of connections that read beside the writer; each has a cache of up to 2 MB.
    static let readers = 3
    /// The page size of a new store, in bytes; an existing store keeps its own.
    ///
    /// A commit writes each changed page whole, and most commits change some hundred bytes of several pages. An hour of
    /// driving writes a third less than with SQLite's default of 4096 bytes. A memory card writes larger blocks in any
    /// case, so pages as large as the file system's would not keep neighbouring pages in separate blocks.
    static let pageSize = 1024
    /// The size to which the write-ahead log is truncated after a long read has made it grow, in bytes.
    private static let longestLog = 8 << 20

    /// Makes a process of root act as the owner of a store until it ends, as opening the store does.
    ///
    /// Call it before the process writes a file beside the store, and after it has opened what only root may open.
    ///
    /// - Throws: ``StoreError/unusable(path:reason:)`` if the folder of the store is missing.
    public static func assumeOwner(of path: String) throws(StoreError) {
        try StoreFile.assumeOwner(of: StoreFile.resolve(path))
    }

    /// Opens a store for reading and writing, and creates it if it does not exist.
    ///
    /// Holds the lock on `FILE.lock` for as long as the store is open. A commit is on the disk when it returns
    /// (`synchronous=FULL`). Only the owner can read the files. A process of root acts as the owner of the store, or
    /// of the folder of a new one, until it ends. It must open everything that only root may open before this.
    ///
    /// - Parameters:
    ///   - socket: The socket on which this process serves. It is reported to others that find the store in use.
    ///   - makesFolder: Whether to create a missing folder, for its owner alone.
    ///   - migrations: The steps that other rooms add to the schema; always the whole list.
    /// - Throws: ``StoreError``. A file that is refused is not changed.
    public static func open(
        at path: String, socket: String? = nil, makesFolder: Bool = false, migrations: [StoreMigration] = []
    ) throws(StoreError) -> LocationDatabase {
        if makesFolder { try StoreFile.makeFolder(of: path) }
        let path = try StoreFile.resolve(path)
        try StoreFile.assumeOwner(of: path)
        let schema = StoreSchema(adding: migrations)
        try checkReadable(path)
        try checkUntouched(path, schema)
        if let reason = ReadOnlyStore.writingFailure(path, hasFailed: false) {
            throw .readOnly(path: path, reason: reason)
        }
        let lock = try StoreLock(storeAt: path, socket: socket)
        do {
            try StoreFile.prepare(path)
            let claim = try StoreClaim(path)
            try StoreFile.secureLog(of: path)
            let configuration = configuration(schema, path: path, claim)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // The migration does not wait for the disk: steps that a power cut loses are run again. The next commit
            // waits for all of it.
            try schema.migrator.migrate(pool)
            try makeDurable(pool)
            let (logEnd, hasNewLog) = try pool.write { db in
                try StoreDamage.checking(at: path) {
                    try TripSums.setZone(LocalDays.zoneOfMachine, in: db)
                    return try nameLog(after: lock.previous.log, in: db)
                }
            }
            lock.note(logEnd)
            claim.watchLog()
            let readers = { @Sendable in StoreReaders(path: path, configuration: configuration, count: Self.readers) }
            let connections = StoreConnections(.beside(pool, readers())) { [weak lock] in
                let pool = try DatabasePool(path: path, configuration: configuration)
                try makeDurable(pool)
                // A log with another name or an earlier end is not the log whose events were acknowledged.
                let extent = try pool.write { db in try StoreDamage.checking(at: path) { try EventLog.extent(in: db) } }
                guard let known = lock?.logEnd, known.name == extent.name, known.last <= extent.last else {
                    throw StoreError.moved(path: path)
                }
                return .beside(pool, readers())
            }
            return LocationDatabase(
                path: path, connections: connections, hold: StoreLocks(lock: lock, claim: claim),
                opening: StoreOpening(wasShutDownUncleanly: lock.previous.writer != nil, hasNewLog: hasNewLog))
        } catch {
            lock.abandon()
            throw StoreError(error, path: path)
        }
    }

    /// - Throws: ``StoreError/unusable(path:reason:)`` if there is a store that this process may not read.
    static func checkReadable(_ path: String) throws(StoreError) {
        guard let reason = ReadOnlyStore.readingFailure(path) else { return }
        throw .unusable(
            path: path,
            reason:
                "it cannot be read (\(reason)): run this as the owner of the store, or let them read it and its folder")
    }

    /// Makes each later commit wait until it is on the disk.
    ///
    /// A pool opens with `NORMAL`, which keeps commits in order but may lose the last ones.
    private static func makeDurable(_ pool: DatabasePool) throws {
        // SQLite ignores this pragma inside a transaction.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA journal_size_limit = \(longestLog)")
        }
    }

    /// Renames the event log if its end is lost, because a number must never refer to two events of one log.
    ///
    /// The end is lost if the last writer noted a greater number than the log now has. In that case the write-ahead log
    /// was removed or damaged, or an older copy of the file was put in place.
    ///
    /// It writes a page in any case. That commit waits for everything written before `synchronous` was set. If it
    /// fails, the store is not opened, because no later commit would write those pages again.
    private static func nameLog(
        after known: StoreNote.Log?, in db: Database
    ) throws -> (logEnd: StoreNote.Log, isNew: Bool) {
        let extent = try EventLog.extent(in: db)
        guard let known, known.name == extent.name, known.last > extent.last else {
            // SQLite always writes a page for this. It would write none for a row that is updated to the same values.
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return (StoreNote.Log(name: extent.name, last: extent.last), false)
        }
        try EventLog.rename(in: db)
        return (StoreNote.Log(name: try EventLog.extent(in: db).name, last: extent.last), true)
    }

    /// Opens a store for reading only, beside a writer or without one.
    ///
    /// - Parameter migrations: The steps that other rooms add to the schema; always the whole list.
    /// - Throws: ``StoreError``, also if the store lacks a step of the schema, because a reader does not upgrade it.
    public static func openForReading(
        at path: String, migrations: [StoreMigration] = []
    ) throws(StoreError) -> LocationDatabase {
        let path = try StoreFile.resolve(path)
        try checkReadable(path)
        guard (try? FileCalls().status(path, links: .followed)) != nil else { throw .missing(path: path) }
        let schema = StoreSchema(adding: migrations)
        var configuration = configuration(schema, path: path)
        configuration.readonly = true
        do {
            let queue = try ReadOnlyStore.open(path, configuration) { try schema.checkComplete($0, path: path) }
            return LocationDatabase(path: path, queue: queue)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Creates a store without a name, which is deleted when it is closed.
    ///
    /// SQLite keeps it in a temporary file, so memory does not grow with what is written.
    public static func temporary(migrations: [StoreMigration] = []) throws(StoreError) -> LocationDatabase {
        let schema = StoreSchema(adding: migrations)
        do {
            // An empty name is a private database on disk (sqlite.org/inmemorydb.html, "Temporary Databases").
            var configuration = Configuration()
            configuration.makeSmallPages()
            configuration.addFunctions()
            let queue = try DatabaseQueue(path: "", configuration: configuration)
            try schema.migrator.migrate(queue)
            try queue.write { try TripSums.setZone(LocalDays.zoneOfMachine, in: $0) }
            return LocationDatabase(path: nil, queue: queue)
        } catch {
            throw StoreError(error, path: "temporary store")
        }
    }

    /// Creates a database in memory without a table, for features of which only the declarations are read.
    public static func withoutTables() throws(StoreError) -> LocationDatabase {
        do { return LocationDatabase(path: nil, queue: try DatabaseQueue()) } catch {
            throw StoreError(error, path: "temporary store")
        }
    }

    /// Refuses a file that is no store, before the file or anything beside it is changed.
    private static func checkUntouched(_ path: String, _ schema: StoreSchema) throws(StoreError) {
        guard StoreFile.size(path) > 0 else { return }
        var configuration = configuration(schema, path: path)
        configuration.readonly = true
        do {
            try ReadOnlyStore.open(path, configuration) { _ in }.close()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            // The last writer was cut off in a transaction, for example while creating the store. SQLite must roll that
            // back before the file can be read, as it does for any application that opens it. The writer's connection
            // checks the file again.
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func configuration(
        _ schema: StoreSchema, path: String, _ claim: StoreClaim? = nil
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.busyMode = .timeout(busyTimeout)
        // This runs before the pool sets the journal mode, which would write to another application's database.
        configuration.prepareDatabase { [weak claim] db in
            // Readers are opened by their path when they are first needed.
            try claim?.check()
            try schema.check(db, path: path)
        }
        configuration.makeSmallPages()
        configuration.prepareDatabase { db in
            // Overwrites deleted content where its page is written anyway.
            try db.execute(sql: "PRAGMA secure_delete = FAST")
        }
        configuration.addFunctions()
        return configuration
    }
}

extension Configuration {
    /// Adds the SQL function `folded(text)`: lower case without diacritics, for searching names.
    mutating func addFunctions() {
        prepareDatabase { db in
            db.add(
                function: DatabaseFunction("folded", argumentCount: 1, pure: true) { values in
                    values.first.flatMap(String.fromDatabaseValue).map(LocationDatabase.folded)
                })
        }
    }

    /// Sets the page size of a new database to ``LocationDatabase/pageSize``.
    mutating func makeSmallPages() {
        prepareDatabase { try $0.execute(sql: "PRAGMA page_size = \(LocationDatabase.pageSize)") }
    }
}
