import Foundation
import Glibc

/// A receiver's end of a serial line: a pseudo-terminal with a fixed name for its other end.
///
/// `deinit` unplugs it: the name disappears, and a process that has the line open sees it hang up. Each `unsafe` passes
/// a local variable, a string or an array to a call that reads or fills it before it returns.
final class SerialLine: Sendable {
    private let link: String
    private let descriptor: Int32

    // Requests of ioctl_tty(2) to unlock the other end and to return its number. They are macros that Swift does not
    // import.
    private static let unlock: UInt = 0x4004_5431
    private static let tellNumber: UInt = 0x8004_5430

    /// Plugs the line in under a name.
    init(at link: String) throws {
        self.link = link
        descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var no: Int32 = 0
        var number: Int32 = 0
        guard unsafe ioctl(descriptor, Self.unlock, &no) == 0, unsafe ioctl(descriptor, Self.tellNumber, &number) == 0
        else { throw Descriptor.Failure(call: "ioctl") }
        // gpsd reads it as another user.
        guard unsafe chmod("/dev/pts/\(number)", 0o666) == 0, unsafe symlink("/dev/pts/\(number)", link) == 0
        else { throw Descriptor.Failure(call: "symlink") }
    }

    deinit {
        unsafe unlink(link)
        close(descriptor)
    }

    /// Sends bytes; those that do not fit into the line are lost, as on a real one.
    func send(_ bytes: [UInt8]) { _ = unsafe write(descriptor, bytes, bytes.count) }

    /// Sends bytes and waits until the reader takes them.
    func sendAll(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, 20_000) == 1 else { throw Descriptor.Failure(call: "poll") }
        }
    }
}
