public import GRDB
import Synchronization

/// The store: one SQLite file that holds the event log, the devices with their state, and the trips.
///
/// It always equals the state after some fix of each device. One process writes it (see ``open(at:socket:migrations:)``);
/// any number read it at the same time. All methods may be called from any thread; those that write wait for each
/// other.
public final class LocationDatabase: Sendable {
    /// Where the store is, without links; nil where it is a temporary one.
    public let path: String?
    let connections: StoreConnections
    /// In what state the last writer has left the store.
    public let opening: StoreOpening
    private let hold: Mutex<StoreHold?>
    private let isOpen = Mutex(true)
    private let commitCount = Atomic<Int>(0)
    private let turns: ReadTurns
    /// Of the writer, on its queue.
    let known = Mutex(KnownDevices())
    /// What works on events in the transaction that appends them.
    let follower = Mutex<CommitFollower?>(nil)

    init(
        path: String?, connections: StoreConnections, hold: StoreHold? = nil, opening: StoreOpening = StoreOpening()
    ) {
        self.path = path
        self.connections = connections
        turns = ReadTurns(readers: connections.current.configuration.maximumReaderCount, deadline: Self.longestRead)
        self.hold = Mutex(hold)
        self.opening = opening
    }

    /// A store whose connections are not made anew: one that is temporary, or only read.
    convenience init(path: String?, queue: any DatabaseWriter) {
        self.init(path: path, connections: StoreConnections(queue) { queue })
    }

    /// The connections that are open now.
    var queue: any DatabaseWriter { connections.current }

    /// Where the store is, for messages.
    var place: String { path ?? "temporary store" }

    /// Has what `body` does with the events of a commit be committed with them, from the next commit on.
    ///
    /// What it throws fails the commit, which is tried again: it keeps to itself what would fail each time.
    public func followCommits(_ body: @escaping CommitFollower) { follower.withLock { $0 = body } }

    /// How many transactions have been committed since the store was opened.
    public var commits: Int { commitCount.load(ordering: .relaxed) }

    /// Reads within one consistent view of the store, beside any writer.
    ///
    /// - Throws: ``StoreError`` for what SQLite refuses, and what `body` throws.
    public func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try queue.read(body)
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// How long one reading for a connection may take: others wait for it.
    ///
    /// What people ask for takes less than a second on a board with a card, with a hundred thousand sights.
    static let longestRead = Duration.seconds(10)

    /// Reads within one consistent view of the store as the other form does, without blocking the thread meanwhile.
    ///
    /// Each ``StoreReader`` gets a fair turn. The reading ends when the task is cancelled, and for a connection
    /// after ``longestRead``.
    /// - Throws: `CancellationError`, ``StoreError/tooLong(path:limit:)``, and what the other form throws.
    public func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await turns.read(at: place) { [self] reading in
                try queue.read { db in try reading.run(on: db, body) }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// Writes within one transaction, which is on the disk when this returns; an error leaves nothing changed.
    ///
    /// - Throws: ``StoreError`` for what SQLite refuses, and what `body` throws. After ``StoreError/moved(path:)`` it may
    ///   have been written where nobody finds it again; nothing more can be written then.
    public func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            let written = try writing { queue in
                try queue.write { db in
                    try connections.check(queue)
                    forgetDevices()
                    return Written(value: try body(db), reach: try reach(db))
                }
            }
            return try acknowledge(written)
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// Writes within one transaction as the other form does, without blocking the thread meanwhile.
    ///
    /// It is done to its end, also where the task is cancelled: whoever gives up may not leave half of several changes.
    public func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            let change = Task { [self] in
                try await writing { queue in
                    try await queue.write { [self] db in
                        try connections.check(queue)
                        forgetDevices()
                        return Written(value: try body(db), reach: try reach(db))
                    }
                }
            }
            return try acknowledge(try await change.value)
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// Writes by connections that can be trusted.
    func writing<Value>(_ body: (any DatabaseWriter) throws -> Value) throws -> Value {
        let queue = try connections.trusted()
        do {
            return try body(queue)
        } catch {
            connections.doubt(error, of: queue)
            throw error
        }
    }

    /// Writes by connections that can be trusted, without blocking the thread meanwhile.
    func writing<Value: Sendable>(_ body: (any DatabaseWriter) async throws -> Value) async throws -> Value {
        let queue = try connections.trusted()
        do {
            return try await body(queue)
        } catch {
            connections.doubt(error, of: queue)
            throw error
        }
    }

    /// How far the event log reaches within a transaction; nil of a temporary store, which nobody opens again.
    func reach(_ db: Database) throws -> StoreNote.Log? {
        guard path != nil else { return nil }
        let selection = try db.cachedStatement(sql: "SELECT name, next_seq FROM log")
        return try Row.fetchOne(selection).map { StoreNote.Log(name: $0[0], last: $0[1] - 1) }
    }

    /// What was committed counts only if it is in the files that the store's paths lead to.
    func acknowledge<Value>(_ written: Written<Value>) throws(StoreError) -> Value {
        try checkFiles()
        if let reach = written.reach { hold.withLock { $0?.lock.note(reach) } }
        commitCount.add(1, ordering: .relaxed)
        return written.value
    }

    /// - Throws: ``StoreError/moved(path:)`` where the files are not those any more that were opened.
    func checkFiles() throws(StoreError) { try hold.withLock { $0?.claim }?.check() }

    /// What is written by others than commits may be devices and trips.
    private func forgetDevices() { known.withLock { $0 = KnownDevices() } }

    /// Closes the file, and gives back the right to write it.
    ///
    /// Everything committed is in the one file then, without a `-wal` beside it. Closing twice is no error; a store
    /// that is no longer used closes by itself.
    public func close() throws(StoreError) {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        let hold = self.hold.withLock { $0.take() }
        let isWhole = hold.map { (try? $0.claim.check()) != nil } ?? true
        do {
            // SQLite leaves the write-ahead log of a file that was moved where it was, for the next that is called so.
            if !isWhole { try? queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
            // Only the writer can tidy up, so that it must be the last to close.
            (queue as? DatabasePool)?.releaseMemory()
            // The claim's end drops SQLite's locks.
            try withExtendedLifetime(hold) { try queue.close() }
        } catch {
            throw StoreError(error, path: place)
        }
        hold?.lock.release(isClean: isWhole)
    }

    deinit { try? close() }
}

/// Works on events in the transaction that appends them.
public typealias CommitFollower = @Sendable (_ events: [StoredEvent], _ db: Database) throws -> Void

/// In what state the last writer has left a store.
public struct StoreOpening: Hashable, Sendable {
    /// Whether it ended without closing the store, as by a power cut.
    public var wasCutOff = false
    /// Whether the end of the event log is lost, so that the log has a new name: its numbers are given again.
    public var hasNewLog = false
}

/// What a transaction gave, and how far the event log reaches after it.
struct Written<Value> {
    let value: Value
    let reach: StoreNote.Log?
}

extension Written: Sendable where Value: Sendable {}

/// What keeps others from writing a store.
struct StoreHold {
    let lock: StoreLock
    let claim: StoreClaim
}
