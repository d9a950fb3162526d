import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import MQTT

/// Debian's mosquitto as a separate process, which a test can kill and start again.
///
/// The process is killed with this object.
final class Broker: Sendable {
    static let path = "/usr/sbin/mosquitto"
    fileprivate static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The TCP port at which it listens.
    let port: UInt16
    let folder: TemporaryFolder
    private let settings: String
    private let process = Mutex<Process?>(nil)

    /// The error of a broker that does not start.
    struct Failure: Error {
        let description: String
    }

    /// Starts a broker and waits until it listens.
    ///
    /// - Parameter settings: Returns further lines of its configuration, from its folder.
    init(_ settings: (TemporaryFolder) throws -> String = { _ in "allow_anonymous true" }) async throws {
        folder = try TemporaryFolder()
        let user = geteuid() == 0 ? "user root\n" : ""
        let more = try settings(folder)
        var tries = 0
        while true {
            tries += 1
            let port = try Self.freePort()
            let settings = "\(user)listener \(port) 127.0.0.1\n\(more)\n"
            do {
                let process = try await Self.run(settings, in: folder)
                (self.port, self.settings) = (port, settings)
                self.process.withLock { $0 = process }
                return
            } catch let failure as Failure where failure.description.contains("Address already in use") && tries < 10 {
                // Another test has got the port since it was free.
            }
        }
    }

    deinit { process.withLock { if let id = $0?.processIdentifier { _ = Glibc.kill(id, SIGKILL) } } }

    /// Starts the broker after it was killed.
    func start() async throws {
        let process = try await Self.run(settings, in: folder)
        self.process.withLock { $0 = process }
    }

    /// Starts a broker with a configuration, and waits until it listens.
    private static func run(_ settings: String, in folder: TemporaryFolder) async throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-c", try folder.file("mosquitto.conf", settings)]
        let messages = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = messages
        try process.run()
        try messages.fileHandleForWriting.close()
        let id = process.processIdentifier
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    var seen = ""
                    var isUp = false
                    while case let more = messages.fileHandleForReading.availableData, !more.isEmpty {
                        guard !isUp else { continue }
                        seen += String(decoding: more, as: UTF8.self)
                        guard seen.contains(" running") else { continue }
                        isUp = true
                        continuation.resume()
                    }
                    if !isUp { continuation.resume(throwing: Failure(description: seen)) }
                }
            }
        } onCancel: {
            // A broker that says nothing would be waited for without end.
            _ = Glibc.kill(id, SIGKILL)
        }
        return process
    }

    /// Kills the broker, and waits until it has ended.
    func kill() async {
        guard let process = process.withLock({ $0.take() }) else { return }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    /// Returns a port at which nothing listens.
    static func freePort() throws -> UInt16 { try Listener(accepting: nil).port }
}

/// A TCP server whose connections one function serves on a thread.
final class Listener: Sendable {
    let port: UInt16
    private let number: Int32
    /// Whether a thread accepts connections.
    ///
    /// That thread closes the socket, because another socket could have its number by the end of the thread.
    private let isServed: Bool

    /// The longest time for which a connection may say nothing, in seconds; less than the time limit of a test.
    private static let patience = 50

    /// Listens at a free port of this machine.
    ///
    /// - Parameter serve: Serves one connection, which is closed when it returns; `nil` to accept none.
    init(accepting serve: (@Sendable (Int32) -> Void)?) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.number = number
        isServed = serve != nil
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, length) == 0 && getsockname(number, address, &length) == 0
            }
        }
        guard isBound else { throw Broker.Failure(description: "no port is free") }
        port = UInt16(bigEndian: address.sin_port)
        guard let serve else { return }
        listen(number, 16)
        Thread.detachNewThread {
            while case let connection = accept(number, nil, nil), connection >= 0 {
                var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
                let size = socklen_t(MemoryLayout<timeval>.size)
                for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                    _ = unsafe setsockopt(connection, SOL_SOCKET, option, &patience, size)
                }
                serve(connection)
                _ = shutdown(connection, Int32(SHUT_RDWR))
                close(connection)
            }
            close(number)
        }
    }

    deinit {
        // Ends the wait for the next connection.
        _ = shutdown(number, Int32(SHUT_RDWR))
        if !isServed { close(number) }
    }

    /// Reads what has come, at most 1,000 bytes; nothing at the end, or with a failure when nothing comes for long.
    static func read(_ connection: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = unsafe recv(connection, &bytes, bytes.count, 0)
        if count < 0, errno == EAGAIN { Issue.record("a connection says nothing for \(patience) seconds") }
        return Array(bytes.prefix(max(0, count)))
    }

    static func write(_ bytes: [UInt8], to connection: Int32) {
        _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Lets the end of a connection be a reset, as of a machine that has been switched off and on.
    static func resetAtEnd(_ connection: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
}

/// Open descriptors, such that those opened later have great numbers.
struct ManyDescriptors {
    private var numbers: [Int32] = []

    /// Opens descriptors until the next one is greater than a number.
    init(until greatest: Int32) throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        unsafe getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(resource, &limit)
        repeat {
            let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard number >= 0 else {
                close()
                throw Broker.Failure(description: "no more than \(numbers.count) descriptors can be opened")
            }
            numbers.append(number)
        } while numbers.last ?? 0 < greatest
    }

    func close() { for number in numbers { Glibc.close(number) } }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests of connections where the library is missing.
    static var withLibrary: Self {
        .enabled(if: BrokerClient.isLoaded, "apt-get install libmosquitto1: the library for MQTT is missing")
    }

    /// Skips tests with a broker where there is none.
    static var withBroker: Self {
        .enabled(
            if: BrokerClient.isLoaded && Broker.isInstalled, "apt-get install mosquitto: there is no \(Broker.path)")
    }
}
