package import Glibc

/// The identity of a file, independent of its name.
struct FileIdentity: Hashable {
    let device: dev_t
    let number: ino_t
}

/// System calls on files, each repeated if a signal interrupts it.
///
/// Every `unsafe` of this file passes a Swift string or array to a C function that reads or fills it during the call
/// only, with its true length.
package struct FileCalls: Sendable {
    /// A kind of system call that can fail.
    package enum Call: String, CaseIterable, Sendable {
        case open, status, read, write, synchronize, lock, link, rename, remove, make
    }

    /// A failed system call and its error number.
    package struct Failure: Error, CustomStringConvertible {
        package let call: Call
        package let number: Int32

        /// Whether there is no such file.
        package var isMissing: Bool { number == ENOENT }

        /// The system's own words for the error.
        package var description: String {
            // strerror returns a valid string for every number; it is copied at once.
            unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        }
    }

    /// The treatment of a path whose last part is a symbolic link.
    package enum Links: Sendable {
        /// The status is that of the link itself; opening it fails.
        case refused
        /// The call applies to the file that the link leads to.
        case followed
    }

    /// The type, size, owner, identity and age of a file.
    package struct Status {
        package let isRegular: Bool
        package let isFolder: Bool
        package let size: Int
        let owner: uid_t
        let group: gid_t
        let mode: mode_t
        let identity: FileIdentity
        /// When the content last changed, in whole seconds since 1970 and nanoseconds.
        package let modified: (seconds: Int, nanoseconds: Int)

        fileprivate init(_ status: stat) {
            isRegular = status.st_mode & S_IFMT == S_IFREG
            isFolder = status.st_mode & S_IFMT == S_IFDIR
            size = Int(status.st_size)
            owner = status.st_uid
            group = status.st_gid
            mode = status.st_mode
            identity = FileIdentity(device: status.st_dev, number: status.st_ino)
            modified = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
        }
    }

    /// An open file, which is closed when this value is destroyed.
    package struct OpenFile: ~Copyable, Sendable {
        fileprivate let descriptor: Int32

        deinit { close(descriptor) }

        /// Leaves the file open until the process ends.
        consuming func leaveOpen() { discard self }
    }

    /// Returns the error number that a call fails with instead of being made; `nil` to make the call.
    ///
    /// Tests use it to inject failures.
    package var fault: @Sendable (Call) -> Int32?

    /// Makes the system's own calls, except those for which `fault` returns an error number.
    package init(fault: @escaping @Sendable (Call) -> Int32? = { _ in nil }) { self.fault = fault }

    private func make(_ call: Call, _ body: () -> Int) throws(Failure) -> Int {
        while true {
            let injected = fault(call)
            let result = injected == nil ? body() : -1
            guard result < 0 else { return result }
            let number = injected ?? errno
            guard number == EINTR else { throw Failure(call: call, number: number) }
        }
    }

    /// Opens a file, or creates it with a mode.
    ///
    /// A pipe or a device is opened without waiting.
    package func open(
        _ path: String, flags: Int32 = O_RDONLY, mode: mode_t = 0o600, links: Links = .refused
    ) throws(Failure) -> OpenFile {
        let flags = flags | O_CLOEXEC | O_NONBLOCK | (links == .refused ? O_NOFOLLOW : 0)
        return OpenFile(descriptor: Int32(try make(.open) { Int(unsafe Glibc.open(path, flags, mode)) }))
    }

    package func status(_ path: String, links: Links = .refused) throws(Failure) -> Status {
        var result = stat()
        _ = try make(.status) {
            Int(links == .refused ? unsafe lstat(path, &result) : unsafe stat(path, &result))
        }
        return Status(result)
    }

    package func status(_ file: borrowing OpenFile) throws(Failure) -> Status {
        let descriptor = file.descriptor
        var result = stat()
        _ = try make(.status) { Int(unsafe fstat(descriptor, &result)) }
        return Status(result)
    }

    /// Reads at most `count` bytes at an offset; fewer if the file ends before.
    package func read(_ file: borrowing OpenFile, from offset: Int, count: Int) throws(Failure) -> [UInt8] {
        let descriptor = file.descriptor
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let begin = length
            let size = try make(.read) {
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe pread(
                        descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[begin...]).baseAddress,
                        count - begin, off_t(offset + begin))
                }
            }
            guard size > 0 else { break }
            length += size
        }
        bytes.removeLast(count - length)
        return bytes
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: [UInt8], to file: borrowing OpenFile, at offset: Int = 0) throws(Failure) {
        let descriptor = file.descriptor
        var begin = 0
        while begin < bytes.count {
            let written = begin
            let size = try make(.write) {
                unsafe bytes.withUnsafeBytes { buffer in
                    unsafe pwrite(
                        descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]).baseAddress,
                        bytes.count - written, off_t(offset + written))
                }
            }
            guard size > 0 else { throw Failure(call: .write, number: EIO) }
            begin += size
        }
    }

    /// Replaces the contents of a small file.
    ///
    /// If the disk is full, the old contents stay.
    func replaceContents(of file: borrowing OpenFile, with bytes: [UInt8]) throws(Failure) {
        try write(bytes, to: file)
        let descriptor = file.descriptor
        _ = try make(.write) { Int(ftruncate(descriptor, off_t(bytes.count))) }
    }

    /// Writes a file's contents over themselves, and waits until they are on the disk.
    func rewrite(_ path: String) throws(Failure) {
        let file = try open(path, flags: O_RDWR, links: .followed)
        var offset = 0
        while true {
            let bytes = try read(file, from: offset, count: 1 << 16)
            guard !bytes.isEmpty else { break }
            try write(bytes, to: file, at: offset)
            offset += bytes.count
        }
        try synchronize(file)
    }

    /// Waits until a file, or the names in a folder, are on the disk.
    package func synchronize(_ file: borrowing OpenFile) throws(Failure) {
        let descriptor = file.descriptor
        _ = try make(.synchronize) { Int(fsync(descriptor)) }
    }

    package func link(_ path: String, as other: String) throws(Failure) {
        _ = try make(.link) { Int(unsafe Glibc.link(path, other)) }
    }

    package func rename(_ path: String, to other: String) throws(Failure) {
        _ = try make(.rename) { Int(unsafe Glibc.rename(path, other)) }
    }

    /// Removes a file, or an empty folder.
    package func remove(_ path: String) throws(Failure) {
        _ = try make(.remove) { Int(unsafe Glibc.remove(path)) }
    }

    /// Creates a folder that only its owner may use.
    package func makeFolder(_ path: String) throws(Failure) {
        _ = try make(.make) { Int(unsafe mkdir(path, 0o700)) }
    }

    /// Returns the path without symbolic links; the file must exist.
    func resolve(_ path: String) throws(Failure) -> String {
        var resolved: String?
        _ = try make(.status) {
            // Without a buffer, realpath allocates one that this function must free.
            guard let text = unsafe realpath(path, nil) else { return -1 }
            resolved = unsafe String(cString: text)
            unsafe free(text)
            return 0
        }
        guard let resolved else { throw Failure(call: .status, number: ENOENT) }
        return resolved
    }

    /// Checks that this process may write a file, or create files in a folder.
    func checkWritable(_ path: String) throws(Failure) {
        _ = try make(.status) { Int(unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS)) }
    }

    func checkReadable(_ path: String) throws(Failure) {
        _ = try make(.status) { Int(unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS)) }
    }

    func changeMode(_ path: String, to mode: mode_t) throws(Failure) {
        _ = try make(.status) { Int(unsafe chmod(path, mode)) }
    }

    /// Takes the exclusive lock of an open file without waiting.
    ///
    /// - Returns: `false` if another process or opening holds it.
    func lock(_ file: borrowing OpenFile) throws(Failure) -> Bool {
        let descriptor = file.descriptor
        do {
            _ = try make(.lock) { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
            return true
        } catch  where error.number == EWOULDBLOCK {
            return false
        }
    }

    /// Releases the lock of an open file, for all who share it.
    func unlock(_ file: borrowing OpenFile) { _ = flock(file.descriptor, LOCK_UN) }

    /// Takes the exclusive lock of one byte of a file without waiting, for all who share this opening of the file.
    ///
    /// Such a lock (F_OFD_SETLK of fcntl(2)) is independent of the locks of a whole process, which SQLite uses.
    ///
    /// - Returns: `false` if another opening holds it.
    func lock(_ file: borrowing OpenFile, byte: off_t) throws(Failure) -> Bool {
        let descriptor = file.descriptor
        var range = Self.range(of: byte, F_WRLCK)
        do {
            _ = try make(.lock) { Int(unsafe fcntl(descriptor, Self.setOwnLock, &range)) }
            return true
        } catch  where error.number == EAGAIN || error.number == EACCES {
            return false
        }
    }

    /// Releases the lock of one byte, for all who share this opening of the file.
    func unlock(_ file: borrowing OpenFile, byte: off_t) {
        var range = Self.range(of: byte, F_UNLCK)
        _ = unsafe fcntl(file.descriptor, Self.setOwnLock, &range)
    }

    private static func range(of byte: off_t, _ type: Int32) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = byte
        range.l_len = 1
        return range
    }

    /// F_OFD_SETLK of Linux's <fcntl.h>, which Glibc defines only with _GNU_SOURCE.
    private static let setOwnLock: Int32 = 37
}
