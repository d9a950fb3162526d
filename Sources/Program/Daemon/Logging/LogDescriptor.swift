import Glibc
import Time

/// The system calls of the log, with safe interfaces.
///
/// Every `unsafe` of this file passes a local variable or an array to a C function that reads or fills it during the
/// call only, with its true length.
enum LogDescriptor {
    /// The system time.
    static var now: Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Returns device and inode of an open file, in the format of `JOURNAL_STREAM`; `nil` if the descriptor is closed.
    static func identity(of descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether bytes can be written without blocking, now or within some milliseconds.
    static func isWritable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // An interrupted wait counts as a failed one. Any flag beside POLLOUT means that nobody reads.
        return unsafe poll(&request, 1, milliseconds) == 1 && request.revents == Int16(POLLOUT)
    }

    /// Writes a line with one call; bytes that the system does not accept are lost.
    static func write(_ line: [UInt8], to descriptor: Int32) {
        var result: Int
        repeat {
            result = unsafe Glibc.write(descriptor, line, line.count)
        } while result < 0 && errno == EINTR
    }
}
