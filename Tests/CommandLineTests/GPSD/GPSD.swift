import Foundation
import Glibc
import Synchronization

/// Debian's gpsd as a process of its own, which can be ended and started again.
///
/// It is killed when this goes.
final class GPSD: Sendable {
    static let path = "/usr/sbin/gpsd"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Where it listens.
    let port: UInt16
    private let arguments: [String]
    private let control: String?
    private let process = Mutex<ChildProcess?>(nil)

    /// What did not work.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts it, and waits until it listens and has opened its receivers.
    ///
    /// - Parameters:
    ///   - receivers: Their paths or URLs.
    ///   - control: Where its control socket is to be; it has none without.
    ///   - port: Where it is to listen; a free one without.
    init(receivers: [String], control: String? = nil, port: UInt16? = nil) async throws {
        let port = try port ?? FreePort.tcp()
        self.port = port
        self.control = control
        let controlled = control.map { ["-F", $0] } ?? []
        // -N: stays our child; -n: reads without being asked; -D 3: tells when it is up.
        arguments = ["-N", "-n", "-D", "3", "-S", String(port)] + controlled + receivers
        try await start()
    }

    /// Starts it again after it has ended.
    func start() async throws {
        let messages = Pipe()
        let started = try ChildProcess(
            [Self.path] + arguments, environment: ChildProcess.environment,
            output: messages.fileHandleForWriting, errors: messages.fileHandleForWriting)
        try messages.fileHandleForWriting.close()
        process.withLock { $0 = started }
        try await Self.waitUntilUp(messages)
    }

    /// Sends it a signal.
    func send(_ signal: Int32) { process.withLock { $0?.send(signal) } }

    /// Ends it by a signal, and waits until it has gone.
    func end(by signal: Int32) async {
        send(signal)
        guard let ended = process.withLock({ $0.take() }) else { return }
        _ = await offThePool { ended.wait() }
    }

    /// Tells it on its control socket that a receiver has come or gone.
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

    /// Its messages are read to their end, since it would wait where nobody does.
    private static func waitUntilUp(_ messages: Pipe) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                var seen = ""
                var isUp = false
                while case let more = messages.fileHandleForReading.availableData, !more.isEmpty {
                    guard !isUp else { continue }
                    seen += String(decoding: more, as: UTF8.self)
                    // The last thing that it does before it reads; by then it has dropped from root to a user of its own.
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
    /// Feeds a receiver's epochs as fast as gpsd reads them, without one being lost.
    ///
    /// gpsd takes datagrams from a buffer that overflows, and drops what it reports where nobody reads it. So each epoch
    /// waits until gpsd has passed on the last sentence of the one before as it was.
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
