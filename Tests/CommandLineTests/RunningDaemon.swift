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
    private let process = Process()

    /// What a test waits for comes long before; a hang becomes a failure.
    static let deadline = Duration.seconds(60)

    /// How a process ended.
    enum Ending: Equatable {
        case exit(Int32), signal(Int32)
    }

    /// What did not come.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts it, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: Where its files are; several may follow each other in one.
    ///   - sources: `NAME=URL`, by flags; none leaves those of the configuration.
    ///   - configuration: What is in its configuration beside the paths of its store and its socket.
    ///   - environment: Variables beside the few that it always gets.
    ///   - program: What starts it, such as `["setpriv", "--reuid", "1"]`; nothing does so directly.
    /// - Throws: ``Failure`` with its log where it ends instead.
    init(
        in folder: TemporaryFolder, sources: [String] = [], configuration: String = "",
        environment: [String: String] = [:], through program: [String] = []
    ) async throws {
        self.folder = folder
        socket = folder.file("socket")
        store = folder.file("store")
        manager = try NotifySocket(at: folder.file("notify"))
        try Self.configure(configuration, in: folder)
        let log = folder.file("log")
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(fileURLWithPath: log)) }
        let logEnd = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try logEnd.seekToEnd()

        let words = program + [Command.executable.path, "daemon", "--config", folder.file("waymark.yaml")]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words + sources.flatMap { ["--source", $0] }
        process.environment = Self.inherited.merging(["NOTIFY_SOCKET": manager.path]) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = manager.life
        process.standardError = logEnd
        try Self.withoutBlockedSignals { try process.run() }
        try await notice("READY=1")
    }

    deinit { kill() }

    /// Writes another configuration, which it reads when it is told to by SIGHUP.
    ///
    /// - Parameter store: The path of its store; its own if left out.
    func configure(_ configuration: String, store: String? = nil) throws {
        try Self.configure(configuration, store: store, in: folder)
    }

    private static func configure(_ configuration: String, store: String? = nil, in folder: TemporaryFolder) throws {
        let paths = "store: \(store ?? folder.file("store"))\nsocket: \(folder.file("socket"))\n"
        _ = try folder.file("waymark.yaml", paths + configuration)
    }

    /// What it has logged, and those before it in the folder.
    var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

    /// Its process.
    var processID: Int32 { process.processIdentifier }

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
    func send(_ signal: Int32) { _ = Glibc.kill(processID, signal) }

    /// Waits until it has ended.
    ///
    /// - Throws: ``Failure`` with its log where the deadline passes.
    func ending() async throws -> Ending {
        let end = ContinuousClock.now + Self.deadline
        while true {
            switch await manager.next(until: end) {
            case .message: break
            case .ended: return await offThePool { self.reaped() }
            case .nothing: throw Failure(description: "It does not end. Its log:\n\(log)")
            }
        }
    }

    /// Asks it to end, as systemd does, and waits until it has.
    func stop() async throws -> Ending {
        send(SIGTERM)
        return try await ending()
    }

    /// Kills it as a power cut would, and waits until it has gone.
    func kill() {
        guard process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }

    private func reaped() -> Ending {
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
    }

    /// Nothing of the surroundings has a say in what the daemon does, but for where programs and libraries are.
    private static let inherited = ProcessInfo.processInfo.environment.filter {
        ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "LANG"].contains($0.key)
    }

    /// A child inherits the signals that its parent's thread blocks, and those of Dispatch block nearly all.
    ///
    /// Each `unsafe` hands a local variable to a call that reads or fills it before it returns.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
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
