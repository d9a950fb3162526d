import Foundation
import GRDB
import Glibc

/// Reading a store that cannot be written beside: on a card that has gone read-only, or in a folder of someone else.
///
/// SQLite reads a store with a write-ahead log only if it may create or write the files `-wal` and `-shm` beside it.
/// Where it may not, the store and its log are copied to the folder for temporary files, and the copy is read. Nothing
/// in the log is left out. The copy loses its name as soon as it is open, so that it does not outlive the process.
enum ReadOnlyStore {
    /// Opens a store for reading, or else a copy of it; `path` has no symbolic links.
    ///
    /// - Parameter check: Reads something, which makes SQLite open all files.
    /// - Throws: ``StoreError``, what `check` throws, and errors of SQLite.
    static func open(
        _ path: String, _ configuration: Configuration, _ check: (Database) throws -> Void = readSchema
    ) throws -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read(check)
            return queue
        } catch let error as DatabaseError
            where error.mayComeFromReadOnlyFiles && writingFailure(path, hasFailed: true) != nil
        {
            return try openCopy(of: path, configuration, check)
        }
    }

    static func readSchema(_ db: Database) throws {
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
    }

    /// Returns the system's words for why a store cannot be written where it is; `nil` if it can.
    ///
    /// - Parameter hasFailed: Whether writing has failed already. It is then tried, because a file system that the kernel
    ///   has made read-only after an error still counts as writable (`emergency_ro` of ext4).
    static func writingFailure(_ path: String, hasFailed: Bool, _ calls: FileCalls = FileCalls()) -> String? {
        let folder = (path as NSString).deletingLastPathComponent
        for file in [path, path + "-wal", path + "-shm"] {
            do { try calls.checkWritable(file) } catch  where error.isMissing {} catch { return "\(error)" }
        }
        do { try calls.checkWritable(folder.isEmpty ? "." : folder) } catch { return "\(error)" }
        guard hasFailed else { return nil }
        let trial = "\(path)-trial-\(UUID().uuidString)"
        do {
            _ = try calls.open(trial, flags: O_RDWR | O_CREAT | O_EXCL, mode: StoreFile.mode)
        } catch {
            // A full disk, for example, is another matter.
            return error.number == EROFS ? "\(error)" : nil
        }
        try? calls.remove(trial)
        return nil
    }

    /// Returns the system's words for why a store cannot even be read; `nil` if it can, or if there is none.
    static func readingFailure(_ path: String) -> String? {
        do { try FileCalls().checkReadable(path) } catch  where error.isMissing {} catch { return "\(error)" }
        return nil
    }

    private static func openCopy(
        of path: String, _ configuration: Configuration, _ check: (Database) throws -> Void
    ) throws -> DatabaseQueue {
        let calls = FileCalls()
        let folder = NSTemporaryDirectory() + "waymark-\(UUID().uuidString)"
        let copy = folder + "/store"
        let files = [copy, copy + "-wal", copy + "-shm"]
        do {
            try calls.makeFolder(folder)
        } catch {
            throw unreadable(
                path, "its file system is read-only, and no copy to read can be made in \(folder): \(error)")
        }
        // SQLite has all files open by then.
        defer { for name in files + [folder] { try? calls.remove(name) } }
        for suffix in ["", "-wal"] {
            do {
                try copyBytes(of: path + suffix, to: copy + suffix)
            } catch  where error.isMissing && !suffix.isEmpty {
            } catch  where error.number == ENOSPC {
                throw unreadable(
                    path,
                    "its file system is read-only, and there is no room for a copy to read in "
                        + "\(NSTemporaryDirectory()): set TMPDIR to a folder with room for the store")
            } catch {
                throw unreadable(path + suffix, "cannot be read: \(error)")
            }
        }
        let queue = try DatabaseQueue(path: copy, configuration: configuration)
        try queue.read(check)
        return queue
    }

    private static func unreadable(_ path: String, _ reason: String) -> StoreError {
        .unusable(path: path, reason: reason)
    }

    private static func copyBytes(of path: String, to copy: String) throws(FileCalls.Failure) {
        let calls = FileCalls()
        let source = try calls.open(path, links: .followed)
        let target = try calls.open(copy, flags: O_RDWR | O_CREAT | O_EXCL, mode: StoreFile.mode)
        var offset = 0
        while true {
            let bytes = try calls.read(source, from: offset, count: 1 << 20)
            guard !bytes.isEmpty else { return }
            try calls.write(bytes, to: target, at: offset)
            offset += bytes.count
        }
    }
}

extension DatabaseError {
    /// Whether SQLite gives this error when it may not write beside a store.
    fileprivate var mayComeFromReadOnlyFiles: Bool {
        switch resultCode {
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR: true
        default: false
        }
    }
}

extension LocationDatabase {
    /// Returns why the store at a path cannot be written, in the system's words; `nil` if nothing speaks against it.
    ///
    /// It writes nothing to find out. So it does not notice a full disk, or a file system that the kernel has made
    /// read-only after an error.
    public static func reasonAgainstWriting(at path: String) -> String? {
        ReadOnlyStore.writingFailure(path, hasFailed: false)
    }
}
