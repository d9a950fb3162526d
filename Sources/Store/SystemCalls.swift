import Glibc

/// Which file it is, whatever it is called.
struct FileIdentity: Hashable {
    let device: dev_t
    let number: ino_t
}

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
        let identity: FileIdentity

        init(_ status: stat) {
            owner = status.st_uid
            group = status.st_gid
            mode = status.st_mode
            size = Int64(status.st_size)
            identity = FileIdentity(device: status.st_dev, number: status.st_ino)
        }

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
        return Status(result)
    }

    /// What is known of an open file.
    static func status(_ descriptor: Int32) throws(Failure) -> Status {
        var result = stat()
        guard unsafe fstat(descriptor, &result) == 0 else { throw Failure() }
        return Status(result)
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

    /// Takes the exclusive lock of one byte of a file for those who share this opening of it, without waiting; false
    /// where another has it.
    ///
    /// Such a lock (F_OFD_SETLK of fcntl(2)) is apart from those that belong to a whole process, which SQLite uses.
    static func lock(_ descriptor: Int32, byte: off_t) throws(Failure) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = byte
        range.l_len = 1
        if unsafe fcntl(descriptor, setOwnLock, &range) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw Failure() }
        return false
    }

    /// F_OFD_SETLK of Linux's <fcntl.h>, which Glibc shows only to those who define _GNU_SOURCE.
    private static let setOwnLock: Int32 = 37

    /// Replaces what is in a small file; what was there stays where the disk is full.
    static func replaceContents(_ descriptor: Int32, with bytes: [UInt8]) throws(Failure) {
        guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            ftruncate(descriptor, off_t(bytes.count)) == 0
        else { throw Failure() }
    }

    /// Waits until what was written to a file is on the disk.
    static func synchronize(_ descriptor: Int32) throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Failure() }
    }

    /// Writes a file once more as it is read, and waits until it is on the disk.
    static func rewrite(_ path: String) throws(Failure) {
        let descriptor = try open(path, flags: O_RDWR)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var offset: off_t = 0
        while true {
            let count = unsafe pread(descriptor, &bytes, bytes.count, offset)
            guard count >= 0 else { throw Failure() }
            guard count > 0 else { break }
            guard unsafe pwrite(descriptor, bytes, count, offset) == count else { throw Failure() }
            offset += off_t(count)
        }
        try synchronize(descriptor)
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
