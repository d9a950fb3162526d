import Glibc
import Synchronization

/// A claim on the file of a store itself, independent of the file's name and of `FILE.lock`.
///
/// It keeps others from writing the file under another name. It also detects when the store's paths no longer lead to
/// the files that were opened, because commits to a moved or removed file would never be found again.
final class StoreClaim: Sendable {
    private let path: String
    /// The store's file.
    ///
    /// It is closed with this claim, which must be released after SQLite has closed its own descriptors.
    private let file: FileCalls.OpenFile
    private let identity: FileIdentity
    private let log = Mutex<FileIdentity?>(nil)
    private let isBroken = Atomic<Bool>(false)

    /// The byte of the file that is locked.
    ///
    /// It is beyond the end of any real file, and apart from the bytes at 1 GiB that SQLite locks
    /// (sqlite.org/fileformat.html, "The Lock-Byte Page").
    private static let byte: off_t = 1 << 62

    /// Claims the file at a path.
    ///
    /// - Throws: ``StoreError/inUse(path:processID:socket:)`` if another process or store has claimed it.
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
        // Closing the file would drop the locks that SQLite holds on it for another store of this process (POSIX
        // advisory locks).
        file.leaveOpen()
        throw .inUse(path: path, processID: nil, socket: nil)
    }

    deinit {
        // A child that was forked and has not yet called exec shares the lock. Closing the file alone would leave the
        // lock to it.
        FileCalls().unlock(file, byte: Self.byte)
    }

    private static func refusal(_ path: String, _ failure: FileCalls.Failure) -> StoreError {
        .unusable(path: path, reason: "cannot be opened or locked: \(failure)")
    }

    /// Starts to watch the write-ahead log as well, which exists from now on.
    func watchLog() { log.withLock { $0 = Self.identity(of: path + "-wal") } }

    /// Throws unless the paths still lead to the files that were opened.
    ///
    /// After one failure it always throws, because what was written meanwhile may be in either file.
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
