import Glibc
import Positioning

/// The calls of the operating system that a log needs, each made safe.
///
/// Every `unsafe` of this file hands a local variable or array to a C function that reads it, or fills it, during the
/// call alone, with its true length.
enum LogDescriptor {
    /// What time it is, by the system's clock.
    static var now: Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// What tells an open file from all others, as `JOURNAL_STREAM` has it: device and inode; nil where it is closed.
    static func identity(of descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether bytes can be written without waiting, now or within so many milliseconds.
    static func isWritable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // An interrupted wait counts as one that was in vain, and beside POLLOUT stand the signs that nobody reads.
        return unsafe poll(&request, 1, milliseconds) == 1 && request.revents == Int16(POLLOUT)
    }

    /// Writes a line by one call; what the system does not take of it is lost.
    static func write(_ line: [UInt8], to descriptor: Int32) {
        var result: Int
        repeat {
            result = unsafe Glibc.write(descriptor, line, line.count)
        } while result < 0 && errno == EINTR
    }
}
