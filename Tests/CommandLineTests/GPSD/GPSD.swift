import Foundation
import Glibc
import Synchronization

/// Debian's gpsd as a separate process, which a test can end and start again.
///
/// The process is killed with this object.
final class GPSD: Sendable {
    static let path = "/usr/sbin/gpsd"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The TCP port at which it listens.
    let port: UInt16
    private let arguments: [String]
    private let control: String?
    private let process = Mutex<ChildProcess?>(nil)

    /// The error of a gpsd that does not start or refuses an order.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts gpsd and waits until it listens and has opened its receivers.
    ///
    /// - Parameters:
    ///   - receivers: The paths or URLs of its receivers.
    ///   - control: The path of its control socket; by default it has none.
    ///   - port: The port at which it listens; by default a free one.
    init(receivers: [String], control: String? = nil, port: UInt16? = nil) async throws {
        let port = try port ?? FreePort.tcp()
        self.port = port
        self.control = control
        let controlled = control.map { ["-F", $0] } ?? []
        // -N: stays a child process; -n: reads without a client; -D 3: logs when it has started.
        arguments = ["-N", "-n", "-D", "3", "-S", String(port)] + controlled + receivers
        try await start()
    }

    /// Starts gpsd again after it has ended.
    func start() async throws {
        let messages = Pipe()
        let started = try ChildProcess(
            [Self.path] + arguments, environment: ChildProcess.environment,
            output: messages.fileHandleForWriting, errors: messages.fileHandleForWriting)
        try messages.fileHandleForWriting.close()
        process.withLock { $0 = started }
        try await Self.waitUntilUp(messages)
    }

    /// Sends gpsd a signal.
    func send(_ signal: Int32) { process.withLock { $0?.send(signal) } }

    /// Ends gpsd by a signal and waits until it has ended.
    func end(by signal: Int32) async {
        send(signal)
        guard let ended = process.withLock({ $0.take() }) else { return }
        _ = await offThePool { ended.wait() }
    }

    /// Adds a receiver through the control socket.
    func plug(_ receiver: String) async throws { try await order("+\(receiver)") }

    func unplug(_ receiver: String) async throws { try await order("-\(receiver)") }

    private func order(_ line: String) async throws {
        guard let control else { throw Failure(description: "there is no control socket") }
        let answer = try await offThePool {
            let socket = try LineSocket(to: control)
            try socket.send("\(line)\r\n")
            return try socket.line().map { String(decoding: $0, as: UTF8.self) }
        }
        guard answer == "OK" else { throw Failure(description: "gpsd answered \(line) with \(answer ?? "nothing")") }
    }

    /// Waits until gpsd has started, and reads its messages to their end, because it would block on a full pipe.
    private static func waitUntilUp(_ messages: Pipe) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                var seen = ""
                var isUp = false
                while case let more = messages.fileHandleForReading.availableData, !more.isEmpty {
                    guard !isUp else { continue }
                    seen += String(decoding: more, as: UTF8.self)
                    // gpsd logs this last before it reads. By then it has dropped from root to its own user.
                    guard seen.contains("startup at") else { continue }
                    isUp = true
                    continuation.resume()
                }
                if !isUp { continuation.resume(throwing: Failure(description: "gpsd has ended: \(seen)")) }
            }
        }
    }
}

extension GPSD {
    /// Sends a receiver's epochs as fast as gpsd reads them, without losing one.
    ///
    /// gpsd reads datagrams from a buffer that can overflow, and drops reports that no client reads. Therefore each
    /// epoch waits until gpsd has passed on the last sentence of the one before unchanged.
    func feed(_ epochs: [[UInt8]], to receiver: Datagrams) async throws {
        let port = port
        try await offThePool {
            let stream = try LineStream(tcpPort: port)
            try stream.send(Array("?WATCH={\"enable\":true,\"nmea\":true};\n".utf8))
            while try !stream.line().hasPrefix("{\"class\":\"WATCH\"") {}
            for epoch in epochs {
                receiver.send(epoch)
                let last = NMEA.sentences(of: epoch).last ?? ""
                while try stream.line() != last {}
            }
        }
    }
}
