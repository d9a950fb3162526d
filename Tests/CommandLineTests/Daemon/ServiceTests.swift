import Foundation
import Glibc
import RPC
import TestSupport
import Testing

/// What the daemon does for its service manager: readiness, watchdog, signals and socket activation.
@Suite(.slow) struct ServiceTests {
    private static let activator = "/usr/bin/systemd-socket-activate"

    @Test func theSocketAnswersOnceTheDaemonReportsReady() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        let path = daemon.socket
        let answer = try await offThePool { try LineSocket(to: path).call("server.stats") }
        #expect(answer["result"]?["pending"]?["events"] == 0)
        #expect(daemon.log.contains("serving at \(path)"))
    }

    @Test func anIdleDaemonSendsWatchdogSignalsAndItsStatus() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder(), environment: ["WATCHDOG_USEC": "1500000"])
        for _ in 0..<3 {
            try await daemon.notice("WATCHDOG=1")
            let status = try await daemon.notice("STATUS=")
            #expect(status == "STATUS=0 of 0 receivers online, 0 geofences, 0 subscriptions")
        }
        // The lines say that it serves, that it has no source, and that no mail can be sent, which the engine never does.
        #if Companion
        let lines = 3
        #else
        let lines = 2
        #endif
        #expect(daemon.log.split(separator: "\n").count == lines)
    }

    /// A watchdog's signal reaches the first thread, which only waits, without calls of the executable.
    @Test func theLastLogLineNamesAWatchdogsSignal() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        daemon.send(SIGABRT)
        #expect(try await daemon.ending() == .signal(SIGABRT))
        let line = try #require(daemon.log.split(separator: "\n").last)
        let form = /waymark: ended by SIGABRT; addr2line -Cfipe \/usr\/bin\/waymark(?: [0-9a-f]+)*/
        #expect(try form.wholeMatch(in: line) != nil, "\(line)")
    }

    @Test func theLastLogLineNamesTheCallsOfTheThreadThatCrashed() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        // A thread of NIO waits in the executable's event loop.
        let tasks = "/proc/\(daemon.processID)/task"
        let thread = try #require(
            try FileManager.default.contentsOfDirectory(atPath: tasks).first { thread in
                // A thread can have ended since.
                (try? String(contentsOfFile: "\(tasks)/\(thread)/comm", encoding: .utf8))?.hasPrefix("NIO-") == true
            })
        try daemon.send(SIGSEGV, toThread: #require(pid_t(thread)))
        #expect(try await daemon.ending() == .signal(SIGSEGV))
        let line = try #require(daemon.log.split(separator: "\n").last)
        let form = /waymark: ended by SIGSEGV; addr2line -Cfipe \/usr\/bin\/waymark(?: [0-9a-f]+)+/
        #expect(try form.wholeMatch(in: line) != nil, "\(line)")
    }

    @Test func aDaemonThatIsNotWatchedSendsNoWatchdogSignals() async throws {
        // The watchdog is for another process, whose environment this one has inherited.
        let others = ["WATCHDOG_USEC": "3000", "WATCHDOG_PID": "\(getpid())"]
        let daemon = try await RunningDaemon(in: TemporaryFolder(), environment: others)
        daemon.send(SIGTERM)
        var told: [String] = []
        while case .message(let message) = await daemon.manager.next(until: .now + RunningDaemon.deadline) {
            told.append(message)
        }
        #expect(told.contains("STOPPING=1"))
        #expect(!told.contains("WATCHDOG=1"))
    }

    /// Listens at a socket for a daemon that starts on the first connection, and returns once it listens.
    private func activate(
        at path: String, in folder: TemporaryFolder, configuration: String, options: [String] = []
    ) async throws -> ChildProcess {
        let messages = Pipe()
        let file = try folder.file("given.yaml", "socket: \(path)\n\(configuration)")
        let variables = ChildProcess.sanitizer.flatMap { ["-E", "\($0)=\($1)"] }
        let process = try ChildProcess(
            [Self.activator, "-l", path] + variables + options
                + [Command.executable.path, "daemon", "--config", file, "--store", folder.file("store")],
            environment: ChildProcess.environment, output: .standardError, errors: messages.fileHandleForWriting)
        try messages.fileHandleForWriting.close()
        try await offThePool {
            var seen = ""
            while !seen.contains("Listening on \(path)") {
                let more = messages.fileHandleForReading.availableData
                guard !more.isEmpty else { throw RunningDaemon.Failure(description: seen) }
                seen += String(decoding: more, as: UTF8.self)
            }
            // The thread reads and discards the rest, so that the daemon does not block on a full pipe.
            Thread.detachNewThread { while !messages.fileHandleForReading.availableData.isEmpty {} }
        }
        return process
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: activator), "systemd-socket-activate is missing"),
        arguments: [("nonsense: 1\n", ""), ("", "no store at all")])
    func clientsOfADaemonThatCannotStartGetAnErrorAndAreClosed(configuration: String, store: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        _ = try folder.file("store", store)
        let manager = try NotifySocket(at: folder.file("notify"))
        let process = try await activate(
            at: path, in: folder, configuration: configuration, options: ["--setenv=NOTIFY_SOCKET=\(manager.path)"])
        let lines = try await offThePool {
            let clients = try (0..<3).map { _ in try LineSocket(to: path) }
            for client in clients { try client.send(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"# + "\n") }
            return try clients.map { client in
                let line = try client.line()
                return (line, try client.line())
            }
        }
        for (line, end) in lines {
            let line = try #require(line)
            let answer = try JSONValue(parsing: line.span)
            #expect(answer["id"] == .null)
            #expect(answer["error"]?["code"] == 5)
            #expect(answer["error"]?["message"]?.text?.contains("journalctl -u waymark") == true)
            #expect(end == nil)
        }
        let ending = await offThePool { process.wait() }
        #expect(ending == .exit(78))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: activator), "systemd-socket-activate is missing"))
    func theFirstConnectionStartsTheDaemonAndIsAnswered() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let process = try await activate(at: path, in: folder, configuration: "")
        let answer = try await offThePool { try LineSocket(to: path).call("server.info") }
        #expect(answer["result"]?["name"] == "waymark")
        process.send(SIGTERM)
        let ending = await offThePool { process.wait() }
        #expect(ending == .exit(0))
        // The socket file stays, because the daemon did not create it.
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
