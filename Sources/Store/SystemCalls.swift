import Glibc

/// The calls of the operating system that a store needs, each made safe.
///
/// Every `unsafe` of this file passes a Swift string or array to a C function that reads it, or fills it, during the
/// call alone, with its true length.
enum SystemCalls {
    /// The number of a failed call, with the words for it.
    struct Failure: Error {
        let number: Int32

        init() { number = errno }

        var reason: String {
            // strerror gives a valid string for every number; it is copied at once.
            unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        }
    }

    /// What is known of a file.
    struct Status {
        let owner: uid_t
        let group: gid_t
        let mode: mode_t
        let size: Int64

        var isFolder: Bool { mode & S_IFMT == S_IFDIR }
        var isRegular: Bool { mode & S_IFMT == S_IFREG }
    }

    /// Opens a file and gives its descriptor; `mode` is for one that is made.
    static func open(_ path: String, flags: Int32, mode: mode_t = 0o600) throws(Failure) -> Int32 {
        let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure() }
        return descriptor
    }

    /// What is known of the file at a path, links followed.
    static func status(_ path: String) throws(Failure) -> Status {
        var result = stat()
        guard unsafe stat(path, &result) == 0 else { throw Failure() }
        return Status(
            owner: result.st_uid, group: result.st_gid, mode: result.st_mode, size: Int64(result.st_size))
    }

    /// The path without links; the file must be there.
    static func resolve(_ path: String) throws(Failure) -> String {
        // With no buffer given, realpath makes one that is ours to free.
        guard let resolved = unsafe realpath(path, nil) else { throw Failure() }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    static func changeMode(_ path: String, to mode: mode_t) throws(Failure) {
        guard unsafe chmod(path, mode) == 0 else { throw Failure() }
    }

    static func remove(_ path: String) throws(Failure) {
        guard unsafe unlink(path) == 0 else { throw Failure() }
    }

    /// Takes the exclusive lock of an open file without waiting; false where another holds it.
    static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw Failure() }
        return false
    }

    /// Gives the lock of an open file back, for all who share it.
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Replaces what is in a small file.
    static func replaceContents(_ descriptor: Int32, with bytes: [UInt8]) throws(Failure) {
        guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw Failure()
        }
    }

    /// The beginning of a file.
    static func contents(_ descriptor: Int32, atMost count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(descriptor, &bytes, count, 0)
        return Array(bytes.prefix(max(0, read)))
    }

    /// Makes this process act as another user; only root may.
    static func assume(owner: uid_t, group: gid_t) throws(Failure) {
        guard setegid(group) == 0, seteuid(owner) == 0 else { throw Failure() }
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
    static var effectiveUser: uid_t { geteuid() }
    static var processID: Int32 { getpid() }
}
