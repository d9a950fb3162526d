import Glibc

/// The files of a store, before SQLite sees them: where they are, whose, and who may read them.
enum StoreFile {
    /// Nobody but the owner reads where people have been.
    static let mode: mode_t = 0o600

    /// The path of a store without links, so that the lock beside it is the same whichever way one came; the last
    /// part need not be there.
    static func resolve(_ path: String) throws(StoreError) -> String {
        if let resolved = try? FileCalls().resolve(path) {
            let status = try? FileCalls().status(resolved, links: .followed)
            guard status?.isFolder != true else { throw .unusable(path: path, reason: "is a folder") }
            guard status?.isRegular != false else {
                throw .unusable(path: path, reason: "is a device, a pipe or a socket; a store is a regular file")
            }
            return resolved
        }
        let (folder, name) = split(path)
        guard !name.isEmpty else { throw .unusable(path: path, reason: "is a folder") }
        do {
            let folder = try FileCalls().resolve(folder)
            guard try FileCalls().status(folder, links: .followed).isFolder else {
                throw StoreError.unusable(path: path, reason: "cannot use the folder \(folder): it is a file")
            }
            return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
        } catch let error as FileCalls.Failure {
            throw .unusable(path: path, reason: "cannot use the folder \(folder): \(error)")
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Makes the folder of a store where it is missing, and those above it, for their owner alone.
    ///
    /// Root makes them as the owner of the one that is there; see ``assumeOwner(of:)``.
    static func makeFolder(of path: String) throws(StoreError) {
        var missing: [String] = []
        var folder = split(path).folder
        while (try? FileCalls().status(folder, links: .followed)) == nil, folder != "/", folder != "." {
            missing.append(folder)
            folder = split(folder).folder
        }
        guard let first = missing.last else { return }
        try assumeOwner(of: first)
        for folder in missing.reversed() {
            do {
                try FileCalls().makeFolder(folder)
            } catch  where error.number == EEXIST {
                // Another process was as quick.
            } catch {
                throw .unusable(path: path, reason: "cannot make the folder \(folder): \(error)")
            }
        }
    }

    /// Makes root act as the owner of the store, or of its folder while there is no store, for the rest of the
    /// process: so no file of the store becomes root's, and no link that the owner has set leads root astray.
    static func assumeOwner(of path: String) throws(StoreError) {
        guard geteuid() == 0 else { return }
        do throws(FileCalls.Failure) {
            let isThere = (try? FileCalls().status(path, links: .followed)) != nil
            let status = try FileCalls().status(isThere ? path : split(path).folder, links: .followed)
            guard status.owner != 0 else { return }
            guard setegid(status.group) == 0, seteuid(status.owner) == 0 else {
                throw FileCalls.Failure(call: .status, number: errno)
            }
        } catch {
            throw .unusable(path: path, reason: "cannot act as its owner: \(error)")
        }
    }

    /// Makes an empty file where there is none, and takes from others what they may do with one that is there.
    ///
    /// A file that is there is never opened here: closing it would drop the locks that SQLite has on it anywhere in
    /// this process (POSIX advisory locks).
    static func prepare(_ path: String) throws(StoreError) {
        if (try? FileCalls().status(path, links: .followed)) == nil { return try create(path) }
        for file in [path, path + "-wal", path + "-shm"] {
            let status = try? FileCalls().status(file, links: .followed)
            guard let status, status.mode & 0o077 != 0 else { continue }
            // Who is not the owner cannot, and need not.
            try? FileCalls().changeMode(file, to: mode)
        }
    }

    /// Makes sure of a write-ahead log that was left behind.
    ///
    /// Where waiting for the disk has failed, the system takes for written what is not, and the next wait comes through
    /// (fsync(2), "EIO"): what is read of the log may be nowhere but in memory. SQLite would write on behind it, or copy
    /// it into the store, and a power cut would then take what came later along.
    static func secureLog(of path: String) throws(StoreError) {
        guard size(path + "-wal") > 0 else { return }
        do {
            try FileCalls().rewrite(path + "-wal")
        } catch {
            if error.number == ENOSPC { throw .full(path: path) }
            throw .unusable(path: path + "-wal", reason: "cannot be written: \(error)")
        }
    }

    /// Makes an empty file that must not be there yet.
    static func create(_ path: String) throws(StoreError) {
        do {
            _ = try FileCalls().open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode)
        } catch {
            throw .unusable(path: path, reason: "cannot be made: \(error)")
        }
    }

    /// Bytes in a file; 0 where there is none.
    static func size(_ path: String) -> Int64 {
        (try? FileCalls().status(path, links: .followed)).map { Int64($0.size) } ?? 0
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }
}
