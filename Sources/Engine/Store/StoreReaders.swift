import Deadlines
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// The connections that read a store beside its writer, each one read at a time.
///
/// A connection takes a megabyte for the schema alone, and some milliseconds to open. So a further one opens only when
/// reads have waited as long for others as opening takes, all together, and closes when it was not needed for a while.
/// One stays open.
///
/// GRDB's pool reads, too, but prepares the statements that begin and end the transaction for each read, and asks for the
/// version of the schema. That takes longer than most reads do.
final class StoreReaders: Sendable {
    private let open: @Sendable () throws -> DatabaseQueue
    private let free: DispatchSemaphore
    private let patience: Duration
    /// The longest that reads wait for others, all together, before a further connection opens.
    ///
    /// The disk may have stalled while the last one opened.
    private static let longestWait = Duration.milliseconds(20)
    /// The queue on which connections close.
    private let closing = DispatchQueue(label: "store.readers")
    private let state = Mutex(State())

    /// Signalled when a connection has become idle while somebody waits for one.
    private let returned = DispatchSemaphore(value: 0)

    private struct State {
        /// The open connections on which nobody reads; the last one has been used last.
        var idle: [(queue: DatabaseQueue, since: ContinuousClock.Instant)] = []
        /// The number of connections that are open or being opened.
        var count = 0
        /// The number of reads that wait for a connection.
        var waiting = 0
        /// How long reads may still wait, all together, before a further connection opens.
        var allowance = Duration.zero
        /// The time that opening a connection has taken.
        var opening = Duration.zero
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
        let queue = try idleQueue() ?? opened()
        defer { giveBack(queue) }
        return try queue.readSnapshot(body)
    }

    /// Returns an idle connection; `nil` if another one must be opened, which is counted already.
    private func idleQueue() -> DatabaseQueue? {
        let (idle, allowance) = state.withLock { state -> (DatabaseQueue?, Duration) in
            if let idle = state.idle.popLast() { return (idle.queue, .zero) }
            guard state.count > 0, state.allowance > .zero else {
                state.count += 1
                return (nil, .zero)
            }
            state.waiting += 1
            return (nil, state.allowance)
        }
        if let idle { return idle }
        guard allowance > .zero else { return nil }
        let begin = ContinuousClock.now
        let limit = DispatchTime.now() + allowance / .seconds(1)
        while true {
            let isReturned = returned.wait(timeout: limit) == .success
            let waited = ContinuousClock.now - begin
            let (idle, mustOpen) = state.withLock { state -> (DatabaseQueue?, Bool) in
                let idle = state.idle.popLast()?.queue
                // Another read may have taken it. If none is open any more, none will be returned.
                guard idle != nil || !isReturned || state.count == 0 else { return (nil, false) }
                state.waiting -= 1
                state.allowance -= waited
                if idle == nil { state.count += 1 }
                return (idle, idle == nil)
            }
            if idle != nil || mustOpen { return idle }
        }
    }

    private func opened() throws -> DatabaseQueue {
        let begin = ContinuousClock.now
        do {
            // GRDB has SQLite read the schema at once.
            let queue = try open()
            let taken = min(ContinuousClock.now - begin, Self.longestWait)
            state.withLock { state in
                state.opening = taken
                state.allowance = taken
            }
            return queue
        } catch {
            let isAwaited = state.withLock { state in
                state.count -= 1
                return state.waiting > 0
            }
            if isAwaited { returned.signal() }
            throw error
        }
    }

    private func giveBack(_ queue: DatabaseQueue) {
        let now = ContinuousClock.now
        let (needsWatch, isAwaited) = state.withLock { state in
            state.idle.append((queue, now))
            let needsWatch = state.idle.count > 1 && !state.isWatched
            if needsWatch { state.isWatched = true }
            return (needsWatch, state.waiting > 0)
        }
        if isAwaited { returned.signal() }
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
            state.count -= unused.count
            if !unused.isEmpty { state.allowance = state.opening }
            state.isWatched = state.idle.count > 1
            return (unused, state.isWatched)
        }
        if isNeeded { watch() }
        withExtendedLifetime(unused) {}
    }

    /// Closes the connections on which nobody reads, without waiting for that.
    func closeIdle() { closing.async { [weak self] in withExtendedLifetime(self?.takeIdle()) {} } }

    /// Removes all idle connections, and returns them.
    private func takeIdle() -> [DatabaseQueue] {
        let (idle, isAwaited) = state.withLock { state -> ([DatabaseQueue], Bool) in
            defer {
                state.count -= state.idle.count
                state.idle.removeAll()
                state.allowance = state.opening
            }
            return (state.idle.map(\.queue), state.waiting > 0)
        }
        // One of them may have been returned for a read that has not taken it yet.
        if isAwaited { returned.signal() }
        return idle
    }

    /// Closes the connections, on which nobody may read any more, and waits until all are closed.
    func close() { closing.sync { withExtendedLifetime(takeIdle()) {} } }
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
