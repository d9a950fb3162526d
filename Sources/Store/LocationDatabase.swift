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
    let queue: any DatabaseWriter
    private let lock: Mutex<StoreLock?>
    private let isOpen = Mutex(true)
    private let commitCount = Atomic<Int>(0)
    /// Of the writer, on its queue.
    let known = Mutex(KnownDevices())

    init(path: String?, queue: any DatabaseWriter, lock: StoreLock?) {
        self.path = path
        self.queue = queue
        self.lock = Mutex(lock)
    }

    /// Where the store is, for messages.
    var place: String { path ?? "temporary store" }

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

    /// Reads within one consistent view of the store as the other form does, without blocking the thread meanwhile.
    public func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await queue.read(body)
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// Writes within one transaction, which is on the disk when this returns; an error leaves nothing changed.
    ///
    /// - Throws: ``StoreError`` for what SQLite refuses, and what `body` throws.
    public func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            let value = try queue.write { db in
                forgetDevices()
                return try body(db)
            }
            count()
            return value
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// Writes within one transaction as the other form does, without blocking the thread meanwhile.
    public func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            let value = try await queue.write { [self] db in
                forgetDevices()
                return try body(db)
            }
            count()
            return value
        } catch let error as DatabaseError {
            throw StoreError(error, path: place)
        }
    }

    /// What is written by others than commits may be devices and trips.
    private func forgetDevices() { known.withLock { $0 = KnownDevices() } }

    /// Counts a transaction.
    func count() { commitCount.add(1, ordering: .relaxed) }

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
        do {
            // Only the writer can tidy up, so that it must be the last to close.
            (queue as? DatabasePool)?.releaseMemory()
            try queue.close()
        } catch {
            throw StoreError(error, path: place)
        }
        lock.withLock { $0 = nil }
    }

    deinit { try? close() }
}
