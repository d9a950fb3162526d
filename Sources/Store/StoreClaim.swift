import Glibc
import Synchronization

/// A claim to the file of a store itself, whatever it is called and whatever becomes of `FILE.lock`.
///
/// It keeps others from writing the file under another name, and says whether the store's paths still lead to what was
/// opened: a file that was moved or removed takes commits that nobody finds again.
final class StoreClaim: Sendable {
    private let path: String
    /// Closed with this claim, which is to be let go when SQLite has closed its own.
    private let file: FileCalls.OpenFile
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
        let file: FileCalls.OpenFile
        do throws(FileCalls.Failure) {
            file = try FileCalls().open(path, flags: O_RDWR, links: .followed)
        } catch {
            throw Self.refusal(path, error)
        }
        do throws(FileCalls.Failure) {
            identity = try FileCalls().status(file).identity
            if try FileCalls().lock(file, byte: Self.byte) {
                self.file = file
                return
            }
        } catch {
            file.leaveOpen()
            throw Self.refusal(path, error)
        }
        // Closing it would drop the locks that SQLite has on it for another store of this process (POSIX advisory
        // locks).
        file.leaveOpen()
        throw .inUse(path: path, processID: nil, socket: nil)
    }

    deinit {
        // A child that was forked and has not begun its program yet shares the lock, which closing would leave to it.
        FileCalls().unlock(file, byte: Self.byte)
    }

    private static func refusal(_ path: String, _ failure: FileCalls.Failure) -> StoreError {
        .unusable(path: path, reason: "cannot be claimed: \(failure)")
    }

    /// Watches the write-ahead log too, which is there from now on.
    func watchLog() { log.withLock { $0 = Self.identity(of: path + "-wal") } }

    /// Whether the files are still those that were opened.
    ///
    /// Once they were not they never are again: what was written meanwhile may be in either.
    ///
    /// - Throws: ``StoreError/moved(path:)``.
    func check() throws(StoreError) {
        if !isBroken.load(ordering: .acquiring) {
            let log = log.withLock { $0 }
            if Self.identity(of: path) == identity, log == nil || Self.identity(of: path + "-wal") == log { return }
            isBroken.store(true, ordering: .releasing)
        }
        throw .moved(path: path)
    }

    private static func identity(of path: String) -> FileIdentity? {
        try? FileCalls().status(path, links: .followed).identity
    }
}
