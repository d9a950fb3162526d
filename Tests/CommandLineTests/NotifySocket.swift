import Foundation
import Glibc
import SocketServer

/// The service manager's side of the protocol of sd_notify(3).
///
/// Each `unsafe` passes a local variable or an array to a call that reads or fills it before it returns.
final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    let path: String
    /// A pipe for the service's standard output, which stays open as long as the service runs.
    let life = Pipe()
    private let descriptor: Int32

    /// The first thing that happened.
    enum Arrival: Equatable {
        case message(String)
        /// The service has ended, and nothing is left to read.
        case ended
        /// The time has run out.
        case nothing
    }

    /// Listens at a path, also where an earlier socket is left.
    init(at path: String) throws {
        self.path = path
        let address = try UnixAddress(path: path)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        unsafe unlink(path)
        let isBound = unsafe address.withPointer { unsafe bind(descriptor, $0, $1) == 0 }
        guard isBound else { throw RunningDaemon.Failure(description: "no notify socket at \(path): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Returns the next message, or `nil` if there is none now.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Waits for the next message or the end of the service.
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
