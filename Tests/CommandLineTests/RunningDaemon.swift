import Foundation
import Glibc
import TestSupport

/// `waymark daemon` as a process of its own, with its files in a folder of its own.
///
/// Once made, it has said that it is ready. It is killed when this goes, if it still runs. Another one in the same
/// folder takes up its store.
final class RunningDaemon: Sendable {
    /// Where its files are.
    let folder: TemporaryFolder
    /// The path of its socket.
    let socket: String
    /// The path of its store.
    let store: String
    /// What it tells its service manager, which is the test.
    let manager: NotifySocket
    private let process: ChildProcess

    /// What a test waits for comes long before; a hang becomes a failure.
    static let deadline = Duration.seconds(60)

    /// What did not come.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts it, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: Where its files are; several may follow each other in one.
    ///   - store: The path of its store, where it is not in the folder.
    ///   - sources: `NAME=URL`, by flags; none leaves those of the configuration.
    ///   - configuration: What is in its configuration beside the paths of its store and its socket.
    ///   - environment: Variables beside the few that it always gets.
    ///   - program: What starts it, such as `["setpriv", "--reuid", "1"]`; nothing does so directly.
    /// - Throws: ``Failure`` with its log where it ends instead.
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

    /// Writes another configuration, which it reads when it is told to by SIGHUP.
    ///
    /// - Parameter store: The path of its store; its own if left out.
    func configure(_ configuration: String, store: String? = nil) throws {
        try Self.configure(configuration, store: store ?? self.store, in: folder)
    }

    private static func configure(_ configuration: String, store: String, in folder: TemporaryFolder) throws {
        let paths = "store: \(store)\nsocket: \(folder.file("socket"))\n"
        _ = try folder.file("waymark.yaml", paths + configuration)
    }

    /// What it has logged, and those before it in the folder.
    var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

    /// Its process.
    var processID: Int32 { process.processID }

    /// Waits until it tells its service manager a line that begins so; what it tells before is passed over.
    ///
    /// - Returns: The line.
    /// - Throws: ``Failure`` with its log where it ends instead, or the deadline passes.
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

    /// Sends it a signal.
    func send(_ signal: Int32) { process.send(signal) }

    /// Waits until it has ended.
    ///
    /// - Throws: ``Failure`` with its log where the deadline passes.
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

    /// Asks it to end, as systemd does, and waits until it has.
    func stop() async throws -> ChildProcess.Ending {
        send(SIGTERM)
        return try await ending()
    }

    /// Kills it as a power cut would, and waits until it has gone.
    func kill() { process.kill() }
}

/// Runs what blocks on a thread of its own, since there are as few threads for tasks as there are processors.
func offThePool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Runs what blocks on a thread of its own.
func offThePool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await offThePool { Result { try body() } }.get()
}
