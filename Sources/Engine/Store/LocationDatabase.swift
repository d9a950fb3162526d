public import GRDB
import Synchronization
public import Tracking

/// The store: one SQLite file that holds the event log, the devices with their state, and the trips.
///
/// It always holds the complete state after some fix of each device. One process writes it (see
/// ``open(at:socket:makesFolder:migrations:)``); any number of processes can read it at the same time. All methods may
/// be called from any thread; writers wait for each other.
public final class LocationDatabase: Sendable {
    /// The path of the store without symbolic links; `nil` if it is temporary.
    public let path: String?
    let connections: StoreConnections
    /// The state in which the last writer left the store.
    public let opening: StoreOpening
    /// The damaged values that reads and writes have come across.
    public let damage = DamageNotes()
    private let hold: Mutex<StoreLocks?>
    private let isOpen = Mutex(true)
    private let commitCount = Atomic<Int>(0)
    private let turns: ReadScheduler
    let gate = ReaderGate()
    /// The devices as the writer last left them; used on the writer's queue.
    let known = Mutex(KnownDevices())
    /// Processes events in the transaction that appends them.
    let commitObserver = Mutex<CommitObserver?>(nil)

    init(
        path: String?, connections: StoreConnections, hold: StoreLocks? = nil, opening: StoreOpening = StoreOpening()
    ) {
        self.path = path
        self.connections = connections
        turns = ReadScheduler(readers: connections.current.readers, deadline: Self.longestRead)
        self.hold = Mutex(hold)
        self.opening = opening
    }

    /// Creates a store whose connections are never replaced: a temporary or read-only one.
    convenience init(path: String?, queue: DatabaseQueue) {
        self.init(path: path, connections: StoreConnections(.single(queue)) { .single(queue) })
    }

    /// The connection that writes now.
    var queue: any DatabaseWriter { connections.current.writer }

    /// The store's location for messages.
    var place: String { path ?? "temporary store" }

    /// Runs `body` in the transaction of each later commit that appends events, so that its writes are committed with
    /// them.
    ///
    /// An error that `body` throws fails the commit, which is then tried again. `body` must therefore handle errors
    /// that would occur each time.
    public func observeCommits(_ body: @escaping CommitObserver) { commitObserver.withLock { $0 = body } }

    /// The executor on which a task reads this store without changing threads.
    ///
    /// Its threads are few, and wait for the disk. Nothing that takes long without reading should run there.
    public var executor: any TaskExecutor { turns.executor }

    /// The number of transactions committed since the store was opened.
    public var commits: Int { commitCount.load(ordering: .relaxed) }

    /// Lets go of the memory that SQLite keeps to be faster next time, such as connections that nobody reads on.
    ///
    /// It does not wait until that is done.
    public func releaseMemory() { connections.releaseMemory() }

    /// Reads within one consistent snapshot of the store, beside any writer.
    ///
    /// `body` runs again, without the damaged rows of a list, if it has come across such rows. It must not change
    /// anything outside then.
    ///
    /// - Throws: ``StoreError`` for errors of SQLite, and what `body` throws.
    public func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try gate.pass {
                try connections.current.read { db in try StoreDamage.reading(at: place, damage) { try body(db) } }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// The longest that one read for a connection may take, because others wait for it.
    ///
    /// What people ask for takes less than a second on a small board with a memory card and a hundred thousand sights.
    static let longestRead = Duration.seconds(10)

    /// Reads within one consistent snapshot of the store, without blocking the thread; see the synchronous form.
    ///
    /// Each ``StoreReader`` gets a fair turn. The read ends when the task is cancelled and, for a connection, after
    /// ``longestRead``.
    ///
    /// - Throws: `CancellationError`, ``StoreError/tooLong(path:limit:)``, and what the synchronous form throws.
    public func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await turns.read(at: place) { [self] reading in
                try gate.pass {
                    try connections.current.read { db in
                        try StoreDamage.reading(at: place, damage) { try reading.run(on: db, body) }
                    }
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// Writes within one transaction, which is on the disk when this returns; an error leaves nothing changed.
    ///
    /// - Throws: ``StoreError`` for errors of SQLite, and what `body` throws. After ``StoreError/moved(path:)`` the
    ///   change may have gone to a file that nobody will look at, and nothing more can be written.
    public func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            let written = try writing { queue in
                try queue.write { db in
                    try connections.check(queue)
                    forgetDevices()
                    return try StoreDamage.checking(at: place, damage) {
                        let value = try body(db)
                        try TripSums.settle(in: db)
                        return Written(value: value, logEnd: try logEnd(db))
                    }
                }
            }
            return try acknowledge(written)
        } catch let error as DatabaseError {
            throw refusal(of: error)
        }
    }

    /// Writes within one transaction, without blocking the thread; see the synchronous form.
    ///
    /// The write runs to its end even if the task is cancelled, so that a caller that gives up does not leave several
    /// changes half done.
    public func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            let change = Task { [self] in
                try await writing { queue in
                    try await queue.write { [self] db in
                        try connections.check(queue)
                        forgetDevices()
                        return try StoreDamage.checking(at: place, damage) {
                            let value = try body(db)
                            try TripSums.settle(in: db)
                            return Written(value: value, logEnd: try logEnd(db))
                        }
                    }
                }
            }
            return try acknowledge(try await change.value)
        } catch let error as DatabaseError {
            throw refusal(of: error)
        }
    }

    /// Returns the error of a write that SQLite has refused.
    ///
    /// If rows refer to a row that does not exist, a change beside them may be refused although nothing is wrong with it.
    private func refusal(of error: DatabaseError) -> StoreError {
        guard error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY,
            let row = try? read({ try $0.foreignKeyViolations().next() })
        else { return StoreError(error, path: place) }
        let detail = "a row of \(row.originTable) belongs to a row of \(row.destinationTable) that is not there"
        return .damaged(path: place, detail: detail)
    }

    /// Runs `body` on trusted connections, and distrusts them after certain errors.
    func writing<Value>(_ body: (any DatabaseWriter) throws -> Value) throws -> Value {
        let queue = try connections.trusted()
        do {
            return try body(queue)
        } catch {
            connections.doubt(error, of: queue)
            throw error
        }
    }

    /// Runs `body` on trusted connections without blocking the thread, and distrusts them after certain errors.
    func writing<Value: Sendable>(_ body: (any DatabaseWriter) async throws -> Value) async throws -> Value {
        let queue = try connections.trusted()
        do {
            return try await body(queue)
        } catch {
            connections.doubt(error, of: queue)
            throw error
        }
    }

    /// Returns the end of the event log within a transaction; `nil` for a temporary store, which nobody opens again.
    func logEnd(_ db: Database) throws -> StoreNote.Log? {
        guard path != nil else { return nil }
        let selection = try db.cachedStatement(sql: "SELECT name, next_seq FROM log")
        return try StoredRow.fetchOne(selection).map { StoreNote.Log(name: $0[0], last: $0[1] - 1) }
    }

    /// Counts a commit and notes the new end of the log, if the store's paths still lead to the files that were
    /// written.
    func acknowledge<Value>(_ written: Written<Value>) throws(StoreError) -> Value {
        try checkFiles()
        if let logEnd = written.logEnd { hold.withLock { $0?.lock.note(logEnd) } }
        commitCount.add(1, ordering: .relaxed)
        return written.value
    }

    /// - Throws: ``StoreError/moved(path:)`` if the files are no longer those that were opened.
    func checkFiles() throws(StoreError) { try hold.withLock { $0?.claim }?.check() }

    /// Writes other than commits may change devices and trips.
    private func forgetDevices() { known.withLock { $0 = KnownDevices() } }

    /// Closes the file, and releases the right to write it.
    ///
    /// Reads in progress for tasks are cancelled, all others end first, and reads that begin later are refused.
    ///
    /// The one file then holds everything committed, without a `-wal` beside it. Closing twice is no error. A store
    /// that is no longer referenced closes itself.
    public func close() throws(StoreError) {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        turns.cancelAll()
        gate.close()
        let hold = self.hold.withLock { $0.take() }
        let isWhole = hold.map { (try? $0.claim.check()) != nil } ?? true
        do {
            // SQLite leaves the write-ahead log of a moved file where it was, for the next file of that name.
            if !isWhole { try? queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
            // Releasing the claim drops SQLite's locks, so it must outlive the connections.
            try withExtendedLifetime(hold) { try connections.close() }
        } catch {
            throw StoreError(error, path: place)
        }
        hold?.lock.release(isClean: isWhole)
    }

    deinit { try? close() }
}

/// Processes events in the transaction that appends them.
public typealias CommitObserver = @Sendable (_ events: [EventRecord], _ db: Database) throws -> Void

/// The state in which the last writer left a store.
public struct StoreOpening: Hashable, Sendable {
    /// Whether the last writer ended without closing the store, for example in a power cut.
    public var wasShutDownUncleanly = false
    /// Whether the end of the event log was lost, so that the log has a new name and reuses its numbers.
    public var hasNewLog = false
}

/// The result of a transaction, and the end of the event log after it.
struct Written<Value> {
    let value: Value
    let logEnd: StoreNote.Log?
}

extension Written: Sendable where Value: Sendable {}

/// The locks that keep others from writing a store.
struct StoreLocks {
    let lock: StoreLock
    let claim: StoreClaim
}
