import Glibc
import Synchronization

/// A claim to the file of a store itself, whatever it is called and whatever becomes of `FILE.lock`.
///
/// It keeps others from writing the file under another name, and says whether the store's paths still lead to what was
/// opened: a file that was moved or removed takes commits that nobody finds again.
final class StoreClaim: Sendable {
    private let path: String
    private let descriptor: Int32
    private let identity: FileIdentity
    private let log = Mutex<FileIdentity?>(nil)
    private let isBroken = Atomic<Bool>(false)

    /// The byte of the file that is locked: none of those at 1 GiB that SQLite locks
    /// (sqlite.org/fileformat.html, "The Lock-Byte Page"), and none that a file has.
    private static let byte: off_t = 1 << 62

    /// Claims the file at a path.
    ///
    /// - Throws: ``StoreError/inUse(path:processID:socket:)`` where another has claimed it.
    init(_ path: String) throws(StoreError) {
        self.path = path
        do {
            descriptor = try SystemCalls.open(path, flags: O_RDWR)
            // Where it fails from here on, the file stays open: closing it would drop the locks that SQLite has on it
            // for another store of this process (POSIX advisory locks).
            identity = try SystemCalls.status(descriptor).identity
            guard try SystemCalls.lock(descriptor, byte: Self.byte) else {
                throw StoreError.inUse(path: path, processID: nil, socket: nil)
            }
        } catch let error as SystemCalls.Failure {
            throw .unusable(path: path, reason: "cannot be claimed: \(error.reason)")
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Watches the write-ahead log too, which is there from now on.
    func watchLog() { log.withLock { $0 = try? SystemCalls.status(path + "-wal").identity } }

    /// Whether the files are still those that were opened.
    ///
    /// Once they were not they never are again: what was written meanwhile may be in either.
    ///
    /// - Throws: ``StoreError/moved(path:)``.
    func check() throws(StoreError) {
        if !isBroken.load(ordering: .acquiring) {
            let file = try? SystemCalls.status(path).identity
            let log = log.withLock { $0 }
            if file == identity, log == nil || (try? SystemCalls.status(path + "-wal").identity) == log { return }
            isBroken.store(true, ordering: .releasing)
        }
        throw .moved(path: path)
    }

    /// Gives the file up; to be called when SQLite has closed it.
    deinit { SystemCalls.close(descriptor) }
}
