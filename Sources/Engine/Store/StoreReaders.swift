import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// The connections that read a store beside its writer, each one read at a time.
///
/// A connection opens when it is first needed. GRDB's pool reads, too, but prepares the statements that begin and end the
/// transaction for each read, and asks for the version of the schema. That takes longer than most reads do.
final class StoreReaders: Sendable {
    private let open: @Sendable () throws -> DatabaseQueue
    private let free: DispatchSemaphore
    /// The open connections on which nobody reads; the last one has been used last.
    private let idle = Mutex<[DatabaseQueue]>([])

    /// Creates readers of the store at `path`, at most `count` at a time.
    init(path: String, configuration: Configuration, count: Int) {
        var configuration = configuration
        configuration.readonly = true
        open = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
        free = DispatchSemaphore(value: count)
    }

    /// Reads within one consistent snapshot, and blocks the thread until a connection is free.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        free.wait()
        defer { free.signal() }
        let queue = try idle.withLock { $0.popLast() } ?? open()
        defer { idle.withLock { $0.append(queue) } }
        return try queue.readSnapshot(body)
    }

    /// Closes the connections, on which nobody may read any more.
    func close() { idle.withLock { $0.removeAll() } }
}

extension DatabaseQueue {
    /// Reads within one consistent snapshot, and leaves the connection's statements prepared.
    ///
    /// If the connection also writes, which is so for a temporary store, `read` forbids writing by `PRAGMA query_only`,
    /// twice a read. SQLite prepares each statement of the connection again after that pragma (`OP_Expire` in pragma.c
    /// of SQLite 3.40). Here, everything that `body` does is rolled back instead.
    ///
    /// - Throws: An error with the code `SQLITE_READONLY` if `body` has begun to write, and what `body` throws.
    func readSnapshot<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try unsafeRead { db in
            // Prepared first, because the transaction must not stay open.
            let end = try DirectStatement("ROLLBACK", in: db)
            try DirectStatement("BEGIN", in: db).run()
            // It fails only if SQLite has ended the transaction because of an error.
            defer { try? end.run() }
            let value = try body(db)
            // The connection is open within `unsafeRead`. Without a name, the call asks for all its schemas.
            if unsafe sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_WRITE {
                throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
            }
            return value
        }
    }
}
