import Glibc

/// Work on the files of a store before SQLite opens them: their paths, owners and permissions.
enum StoreFile {
    /// The permissions of a store's files: only the owner may read where people have been.
    static let mode: mode_t = 0o600

    /// Returns the path of a store without symbolic links; the last part need not exist.
    ///
    /// The lock file beside the store is therefore the same for every path that leads to it.
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

    /// Creates the folder of a store and its parents if they are missing, for their owner alone.
    ///
    /// A process of root creates them as the owner of the nearest folder that exists; see ``assumeOwner(of:)``.
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
                // Another process has just created it.
            } catch {
                throw .unusable(path: path, reason: "cannot create the folder \(folder): \(error)")
            }
        }
    }

    /// Makes a process of root act as the owner of the store, or of its folder if there is no store yet.
    ///
    /// This lasts for the rest of the process. Root then owns no file of the store, and symbolic links that the owner
    /// created cannot lead root astray.
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
            throw .unusable(path: path, reason: "cannot switch to its owner: \(error)")
        }
    }

    /// Creates an empty file if there is none, or removes the permissions of others from the existing files.
    ///
    /// An existing file is never opened here: closing it would drop the locks that SQLite holds on it anywhere in this
    /// process (POSIX advisory locks).
    static func prepare(_ path: String) throws(StoreError) {
        if (try? FileCalls().status(path, links: .followed)) == nil { return try create(path) }
        for file in [path, path + "-wal", path + "-shm"] {
            let status = try? FileCalls().status(file, links: .followed)
            guard let status, status.mode & 0o077 != 0 else { continue }
            // Only the owner can change the mode. For anyone else the failure does not matter.
            try? FileCalls().changeMode(file, to: mode)
        }
    }

    /// Writes a write-ahead log that a previous process left behind to the disk once more.
    ///
    /// After a failed fsync, the system considers the unwritten pages written, and the next fsync succeeds (fsync(2),
    /// "EIO"). The log as it is read may therefore exist in memory only. SQLite would append to it, or copy it into the
    /// store, and a power cut would then lose the later commits as well.
    static func secureLog(of path: String) throws(StoreError) {
        guard size(path + "-wal") > 0 else { return }
        do {
            try FileCalls().rewrite(path + "-wal")
        } catch {
            if error.number == ENOSPC { throw .full(path: path) }
            throw .unusable(path: path + "-wal", reason: "cannot be written: \(error)")
        }
    }

    /// Creates an empty file, which must not exist yet.
    static func create(_ path: String) throws(StoreError) {
        do {
            _ = try FileCalls().open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode)
        } catch {
            throw .unusable(path: path, reason: "cannot be created: \(error)")
        }
    }

    /// Returns the size of a file in bytes; 0 if there is none.
    static func size(_ path: String) -> Int64 {
        (try? FileCalls().status(path, links: .followed)).map { Int64($0.size) } ?? 0
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }
}
