import Foundation
import Glibc
import TestSupport

/// `waymark daemon` as a separate process, with its files in a folder.
///
/// After `init` it has reported that it is ready. `deinit` kills it if it still runs. Another daemon in the same folder
/// opens the same store.
final class RunningDaemon: Sendable {
    /// The folder with its files.
    let folder: TemporaryFolder
    let socket: String
    let store: String
    /// The service manager to which it reports; the test takes that part.
    let manager: NotifySocket
    private let process: ChildProcess

    /// How long a test waits for a message: far longer than any takes, so that a hang becomes a failure.
    static let deadline = Duration.seconds(60)

    /// The error for a message that did not arrive.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the daemon and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: The folder for its files; several daemons may run in it, one after the other.
    ///   - store: The path of its store, by default in the folder.
    ///   - sources: Values `NAME=URL` for `--source`; if empty, the configuration's sources stay.
    ///   - configuration: The configuration without the paths of its store and its socket.
    ///   - environment: Variables in addition to the few that it always gets.
    ///   - program: A program that starts it, such as `["setpriv", "--reuid", "1"]`; none by default.
    /// - Throws: ``Failure`` with its log if it ends instead.
    init(
        in folder: TemporaryFolder, store: String? = nil, sources: [String] = [], configuration: String = "",
        environment: [String: String] = [:], through program: [String] = []
    ) async throws {
        self.folder = folder
        socket = folder.file("socket")
        self.store = store ?? folder.file("store")
        manager = try NotifySocket(at: folder.file("notify"))
        try Self.configure(configuration, store: self.store, in: folder)
        let log = folder.file("log")
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(fileURLWithPath: log)) }
        let logEnd = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try logEnd.seekToEnd()

        let words = program + [Command.executable.path, "daemon", "--config", folder.file("waymark.yaml")]
        let variables = ["NOTIFY_SOCKET": manager.path].merging(environment) { $1 }
        process = try ChildProcess(
            words + sources.flatMap { ["--source", $0] },
            environment: ChildProcess.environment.merging(variables) { $1 },
            output: manager.life.fileHandleForWriting, errors: logEnd)
        try manager.life.fileHandleForWriting.close()
        try await notice("READY=1")
    }

    /// Writes another configuration, which the daemon reads on SIGHUP.
    ///
    /// - Parameter store: The path of the store, by default the same as before.
    func configure(_ configuration: String, store: String? = nil) throws {
        try Self.configure(configuration, store: store ?? self.store, in: folder)
    }

    private static func configure(_ configuration: String, store: String, in folder: TemporaryFolder) throws {
        let paths = "store: \(store)\nsocket: \(folder.file("socket"))\n"
        _ = try folder.file("waymark.yaml", paths + configuration)
    }

    /// The log of this daemon and of those before it in the folder.
    var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

    var processID: Int32 { process.processID }

    /// Waits until it sends its service manager a line with the prefix `start`, and skips messages before it.
    ///
    /// - Returns: The line.
    /// - Throws: ``Failure`` with its log if it ends instead or the deadline passes.
    @discardableResult
    func notice(_ start: String) async throws -> String {
        let end = ContinuousClock.now + Self.deadline
        while true {
            switch await manager.next(until: end) {
            case .message(let text):
                if let line = text.split(separator: "\n").first(where: { $0.hasPrefix(start) }) { return String(line) }
            case .ended: throw Failure(description: "It ended before it told \(start). Its log:\n\(log)")
            case .nothing: throw Failure(description: "It did not tell \(start). Its log:\n\(log)")
            }
        }
    }

    /// Sends the daemon a signal.
    func send(_ signal: Int32) { process.send(signal) }

    /// Sends one of the daemon's threads a signal.
    func send(_ signal: Int32, toThread thread: pid_t) throws { try process.send(signal, toThread: thread) }

    /// Waits until the daemon has ended.
    ///
    /// - Throws: ``Failure`` with its log if the deadline passes.
    func ending() async throws -> ChildProcess.Ending {
        let end = ContinuousClock.now + Self.deadline
        while true {
            switch await manager.next(until: end) {
            case .message: break
            case .ended: return await offThePool { self.process.wait() }
            case .nothing: throw Failure(description: "It does not end. Its log:\n\(log)")
            }
        }
    }

    /// Sends SIGTERM, as systemd does, and waits until the daemon has ended.
    func stop() async throws -> ChildProcess.Ending {
        send(SIGTERM)
        return try await ending()
    }

    /// Kills the daemon with `SIGKILL`, as a power cut would, and waits until it has ended.
    func kill() { process.kill() }
}

/// Runs a blocking function on a new thread, because there are only as many threads for tasks as processors.
func offThePool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Runs a blocking function that may throw on a new thread.
func offThePool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await offThePool { Result { try body() } }.get()
}
