import Foundation
import Glibc
import SocketServer

/// Where a service tells its manager how it is: the manager's side (sd_notify(3)).
///
/// Each `unsafe` hands a local variable or an array to a call that reads or fills it before it returns.
final class NotifySocket: Sendable {
    /// What `NOTIFY_SOCKET` says.
    let path: String
    /// For the service's standard output: as long as it is open there, the service lives.
    let life = Pipe()
    private let descriptor: Int32

    /// What came first.
    enum Arrival: Equatable {
        case message(String)
        /// Nothing is left to read, and the service has ended.
        case ended
        /// The time is over.
        case nothing
    }

    /// Listens at a path, where one before may have listened.
    init(at path: String) throws {
        self.path = path
        let address = try UnixAddress(path: path)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        unsafe unlink(path)
        let isBound = unsafe address.withPointer { unsafe bind(descriptor, $0, $1) == 0 }
        guard isBound else { throw RunningDaemon.Failure(description: "no notify socket at \(path): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// The next message; nil where there is none now.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The next message, or the end of the service.
    func next(until end: ContinuousClock.Instant) async -> Arrival {
        await offThePool { self.wait(until: end) }
    }

    private func wait(until end: ContinuousClock.Instant) -> Arrival {
        while true {
            if let message = next() { return .message(message) }
            let left = Int32(max(0, (end - .now) / .milliseconds(1)).rounded(.up))
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: life.fileHandleForReading.fileDescriptor, events: 0, revents: 0),
            ]
            let count = unsafe poll(&requests, 2, left)
            if count == 0 { return .nothing }
            if count > 0, requests[0].revents == 0 { return .ended }
        }
    }
}
