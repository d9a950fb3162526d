import Foundation
import GRDB

extension LocationDatabase {
    /// A text in small letters without accents, as names are searched; SQL has it as the function `folded`.
    public static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// Seconds to wait for another connection, such as a backup's, before giving up.
    static let busyTimeout = 5.0
    /// The connections that read beside the writer; each has a cache of up to 2 MB.
    private static let readers = 3
    /// What a page of a store that is made has, in bytes; one that is there keeps its own.
    ///
    /// A commit writes each page that it changes whole, and most change some hundred bytes of several pages: an hour of
    /// driving writes a third less than with the 4096 bytes of SQLite's own choice. A card writes larger blocks in any
    /// case, so that pages as large as those of the file system would not keep neighbours apart.
    static let pageSize = 1024
    /// What the write-ahead log is cut back to after a long read has made it grow, in bytes.
    private static let longestLog = 8 << 20

    /// Opens a store for writing and reading, and makes it where there is none.
    ///
    /// Takes the lock on `FILE.lock` for as long as the store is open. A commit is on the disk when it returns
    /// (`synchronous=FULL`). The files are readable for their owner alone. Root becomes the owner of the store, or of
    /// the folder of one to be made, for the rest of the process: open before it what only root may open.
    ///
    /// - Parameters:
    ///   - socket: Where this process serves, for others to be told who find the store in use.
    ///   - makesFolder: Whether a folder that is missing is made, for its owner alone.
    ///   - migrations: What other rooms add to the schema, always the whole list.
    /// - Throws: ``StoreError``; a file that is refused is not changed.
    public static func open(
        at path: String, socket: String? = nil, makesFolder: Bool = false, migrations: [StoreMigration] = []
    ) throws(StoreError) -> LocationDatabase {
        if makesFolder { try StoreFile.makeFolder(of: path) }
        let path = try StoreFile.resolve(path)
        try StoreFile.assumeOwner(of: path)
        let schema = StoreSchema(adding: migrations)
        try checkUntouched(path, schema)
        let lock = try StoreLock(storeAt: path, socket: socket)
        do {
            try StoreFile.prepare(path)
            let claim = try StoreClaim(path)
            try StoreFile.secureLog(of: path)
            let configuration = configuration(schema, path: path, claim)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // Each step waits for no disk: what a power cut takes of them is done again. The next commit waits for all.
            try schema.migrator.migrate(pool)
            try makeDurable(pool)
            let (reach, hasNewLog) = try pool.write { try nameLog(after: lock.previous.log, in: $0) }
            lock.note(reach)
            claim.watchLog()
            let connections = StoreConnections(pool) { [weak lock] in
                let pool = try DatabasePool(path: path, configuration: configuration)
                try makeDurable(pool)
                // Another log, or a shorter one, is not the one that was acknowledged.
                let extent = try pool.read(EventLog.extent)
                guard let known = lock?.reach, known.name == extent.name, known.last <= extent.last else {
                    throw StoreError.moved(path: path)
                }
                return pool
            }
            return LocationDatabase(
                path: path, connections: connections, hold: StoreHold(lock: lock, claim: claim),
                opening: StoreOpening(wasCutOff: lock.previous.writer != nil, hasNewLog: hasNewLog))
        } catch {
            lock.abandon()
            throw StoreError(error, path: path)
        }
    }

    /// Has each commit from now on be on the disk when it returns.
    ///
    /// A pool sets NORMAL when it opens, with which commits are in order, and the last ones may be lost.
    private static func makeDurable(_ pool: DatabasePool) throws {
        // Inside a transaction it cannot be changed.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA journal_size_limit = \(longestLog)")
        }
    }

    /// Gives the event log a new name where its end is lost: a number must never mean two events of one log.
    ///
    /// It writes in any case. What was written before `synchronous` was set is waited for with it, and where that fails the
    /// store is not opened: no later commit would write it again.
    ///
    /// That is so where the last writer has noted a greater number than there is. The write-ahead log was removed
    /// then, or damaged, or an older copy of the file was put in its place.
    private static func nameLog(
        after known: StoreNote.Log?, in db: Database
    ) throws -> (reach: StoreNote.Log, isNew: Bool) {
        let extent = try EventLog.extent(in: db)
        guard let known, known.name == extent.name, known.last > extent.last else {
            // SQLite writes a page for this in any case, and none for a row that is updated to what it is.
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return (StoreNote.Log(name: extent.name, last: extent.last), false)
        }
        try EventLog.rename(in: db)
        return (StoreNote.Log(name: try EventLog.extent(in: db).name, last: extent.last), true)
    }

    /// Opens a store for reading alone, beside a writer or without one.
    ///
    /// - Parameter migrations: What other rooms add to the schema, always the whole list.
    /// - Throws: ``StoreError``; also where the store lacks a step of the schema, for reading does not upgrade it.
    public static func openForReading(
        at path: String, migrations: [StoreMigration] = []
    ) throws(StoreError) -> LocationDatabase {
        let path = try StoreFile.resolve(path)
        guard (try? FileCalls().status(path, links: .followed)) != nil else { throw .missing(path: path) }
        let schema = StoreSchema(adding: migrations)
        var configuration = configuration(schema, path: path)
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { try schema.checkComplete($0, path: path) }
            return LocationDatabase(path: path, queue: queue)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Makes a store without a name, gone when it is closed.
    ///
    /// SQLite keeps it in a file of its own, so that memory does not grow with what is written.
    public static func temporary(migrations: [StoreMigration] = []) throws(StoreError) -> LocationDatabase {
        let schema = StoreSchema(adding: migrations)
        do {
            // An empty name is a private database on disk (sqlite.org/inmemorydb.html, "Temporary Databases").
            var configuration = Configuration()
            configuration.makeSmallPages()
            configuration.addFunctions()
            let queue = try DatabaseQueue(path: "", configuration: configuration)
            try schema.migrator.migrate(queue)
            return LocationDatabase(path: nil, queue: queue)
        } catch {
            throw StoreError(error, path: "temporary store")
        }
    }

    /// Refuses a file that is no store, before anything of it or beside it is changed.
    private static func checkUntouched(_ path: String, _ schema: StoreSchema) throws(StoreError) {
        guard StoreFile.size(path) > 0 else { return }
        var configuration = configuration(schema, path: path)
        configuration.readonly = true
        do {
            try DatabaseQueue(path: path, configuration: configuration).close()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            // Its last writer was cut off in a transaction, as where a store is made: it can only be looked at once
            // SQLite has rolled that back, which it does for any application. Then the writer looks again.
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
        configuration.maximumReaderCount = readers
        // Runs before a pool changes the journal mode, which would write into another application's database.
        configuration.prepareDatabase { [weak claim] db in
            // A reader is opened when it is first needed, by the path.
            try claim?.check()
            try schema.check(db, path: path)
        }
        configuration.makeSmallPages()
        configuration.prepareDatabase { db in
            // What is deleted is overwritten where its page is written anyway.
            try db.execute(sql: "PRAGMA secure_delete = FAST")
        }
        configuration.addFunctions()
        return configuration
    }
}

extension Configuration {
    /// Gives SQL the function `folded(text)`: small letters without accents, as names are searched.
    mutating func addFunctions() {
        prepareDatabase { db in
            db.add(
                function: DatabaseFunction("folded", argumentCount: 1, pure: true) { values in
                    values.first.flatMap(String.fromDatabaseValue).map(LocationDatabase.folded)
                })
        }
    }

    /// Has a store that is made by it have pages of ``LocationDatabase/pageSize``.
    mutating func makeSmallPages() {
        prepareDatabase { try $0.execute(sql: "PRAGMA page_size = \(LocationDatabase.pageSize)") }
    }
}
