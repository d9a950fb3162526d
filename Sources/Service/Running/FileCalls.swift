package import Glibc

/// The calls of the operating system on files, each made again where a signal interrupts it.
///
/// Every `unsafe` of this file passes a Swift string or array to a C function that reads it, or fills it, during the
/// call alone, with its true length.
package struct FileCalls: Sendable {
    /// What can fail.
    package enum Call: String, CaseIterable, Sendable {
        case open, status, read, write, synchronize, link, rename, remove, make
    }

    /// What the system refuses, and why.
    package struct Failure: Error, CustomStringConvertible {
        package let call: Call
        package let number: Int32

        /// Whether there is no such file.
        package var isMissing: Bool { number == ENOENT }

        /// The reason in the words of the system.
        package var description: String {
            // strerror gives a valid string for every number; it is copied at once.
            unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        }
    }

    /// What is known of a file; links are not followed.
    package struct Status {
        package let isRegular: Bool
        let isFolder: Bool
        package let size: Int

        fileprivate init(_ status: stat) {
            isRegular = status.st_mode & S_IFMT == S_IFREG
            isFolder = status.st_mode & S_IFMT == S_IFDIR
            size = Int(status.st_size)
        }
    }

    /// A file that is open until this goes.
    package struct OpenFile: ~Copyable {
        fileprivate let descriptor: Int32

        deinit { close(descriptor) }
    }

    /// The number of the error that a call is to give instead of being made; nil for none.
    ///
    /// Tests give some.
    package var fault: @Sendable (Call) -> Int32?

    /// The calls as the system makes them, but for those for which `fault` gives the number of an error.
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

    /// Opens a file; a pipe or device in its place is opened without waiting, a link not at all.
    package func open(_ path: String, flags: Int32 = O_RDONLY, mode: mode_t = 0o600) throws(Failure) -> OpenFile {
        let descriptor = try make(.open) {
            Int(unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode))
        }
        return OpenFile(descriptor: Int32(descriptor))
    }

    package func status(_ path: String) throws(Failure) -> Status {
        var result = stat()
        _ = try make(.status) { Int(unsafe lstat(path, &result)) }
        return Status(result)
    }

    package func status(_ file: borrowing OpenFile) throws(Failure) -> Status {
        let descriptor = file.descriptor
        var result = stat()
        _ = try make(.status) { Int(unsafe fstat(descriptor, &result)) }
        return Status(result)
    }

    /// At most so many bytes from an offset on: fewer where the file ends before.
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

    /// Has a file, or the names in a folder, on the disk when it returns.
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

    /// Makes a folder for its owner alone.
    package func makeFolder(_ path: String) throws(Failure) {
        _ = try make(.make) { Int(unsafe mkdir(path, 0o700)) }
    }
}
