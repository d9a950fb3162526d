import Glibc

@testable import Daemon

/// A service manager for tests: a datagram socket that keeps the messages sent to it.
final class FakeNotifySocket: Sendable {
    let name: String
    private let descriptor: Int32

    /// Listens at a path, or at an abstract name after `@`.
    ///
    /// Each `unsafe` passes a local variable to a call that reads or fills it before it returns.
    init?(_ name: String) {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard case (var address, let length)? = ServiceCalls.address(name) else { return nil }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Waits for the next message and returns it, or `nil` if none comes within a minute.
    func wait() -> String? {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, 60_000)
        return next()
    }

    /// Returns the next message, or `nil` if there is none.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// Descriptors as a service manager might pass them.
enum GivenSocket {
    case stream, datagram, internet, connected, file

    /// Opens the descriptor; the caller closes it.
    ///
    /// Each `unsafe` passes a local variable to a call that reads or fills it before it returns.
    func open() -> Int32 {
        let stream = Int32(SOCK_STREAM.rawValue)
        switch self {
        case .stream:
            let descriptor = socket(AF_UNIX, stream, 0)
            // A bind with the family alone gives the socket an address of its own (unix(7), autobind).
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let length = socklen_t(MemoryLayout<sa_family_t>.size)
            let result = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
            }
            return result == 0 && listen(descriptor, 1) == 0 ? descriptor : -1
        case .datagram: return socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        case .internet:
            let descriptor = socket(AF_INET, stream, 0)
            return listen(descriptor, 1) == 0 ? descriptor : -1
        case .connected: return socket(AF_UNIX, stream, 0)
        case .file: return unsafe Glibc.open("/proc/self/status", O_RDONLY)
        }
    }
}
