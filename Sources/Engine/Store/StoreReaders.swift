import Deadlines
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// The connections that read a store beside its writer, each one read at a time.
///
/// A connection opens when it is first needed, and closes when it was not needed for a while, because it takes a megabyte
/// for the schema alone. One stays open.
///
/// GRDB's pool reads, too, but prepares the statements that begin and end the transaction for each read, and asks for the
/// version of the schema. That takes longer than most reads do.
final class StoreReaders: Sendable {
    private let open: @Sendable () throws -> DatabaseQueue
    private let free: DispatchSemaphore
    private let patience: Duration
    /// The queue on which connections close.
    private let closing = DispatchQueue(label: "store.readers")
    private let state = Mutex(State())

    private struct State {
        /// The open connections on which nobody reads; the last one has been used last.
        var idle: [(queue: DatabaseQueue, since: ContinuousClock.Instant)] = []
        /// Whether ``closeWhatIsUnused()`` will be called.
        var isWatched = false
    }

    /// Creates readers of the store at `path`, at most `count` at a time.
    ///
    /// - Parameter patience: The time after which a connection that nobody needs is closed.
    init(path: String, configuration: Configuration, count: Int, patience: Duration = .seconds(60)) {
        var configuration = configuration
        configuration.readonly = true
        open = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
        free = DispatchSemaphore(value: count)
        self.patience = patience
    }

    /// The number of open connections on which nobody reads.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// Reads within one consistent snapshot, and blocks the thread until a connection is free.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        free.wait()
        defer { free.signal() }
        let queue = try state.withLock { $0.idle.popLast()?.queue } ?? open()
        defer { giveBack(queue) }
        return try queue.readSnapshot(body)
    }

    private func giveBack(_ queue: DatabaseQueue) {
        let now = ContinuousClock.now
        let needsWatch = state.withLock { state in
            state.idle.append((queue, now))
            guard state.idle.count > 1, !state.isWatched else { return false }
            state.isWatched = true
            return true
        }
        if needsWatch { watch() }
    }

    private func watch() {
        // Deadlines must not wait for the disk.
        _ = DeadlineClock.shared.after(patience) { [weak self, closing] in
            closing.async { [weak self] in self?.closeWhatIsUnused() }
        }
    }

    /// Closes the connections that were not used for a while, except for the last one; called on ``closing``.
    private func closeWhatIsUnused() {
        let now = ContinuousClock.now
        let (unused, isNeeded) = state.withLock { state in
            let unused = state.idle.dropLast().prefix { $0.since + patience <= now }
            state.idle.removeFirst(unused.count)
            state.isWatched = state.idle.count > 1
            return (unused, state.isWatched)
        }
        if isNeeded { watch() }
        withExtendedLifetime(unused) {}
    }

    /// Closes the connections, on which nobody may read any more, and waits until all are closed.
    func close() { closing.sync { state.withLock { $0.idle.removeAll() } } }
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
