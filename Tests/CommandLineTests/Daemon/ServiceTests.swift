import Foundation
import Glibc
import RPC
import TestSupport
import Testing

/// What the daemon does for whoever starts it.
@Suite struct ServiceTests {
    private static let activator = "/usr/bin/systemd-socket-activate"

    @Test func whenItSaysThatItIsReadyTheSocketAnswers() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        let path = daemon.socket
        let answer = try await offThePool { try LineSocket(to: path).call("server.stats") }
        #expect(answer["result"]?["pending"]?["events"] == 0)
        #expect(daemon.log.contains("serving at \(path)"))
    }

    @Test func saysThatItLivesWhileNothingComesInAndHowItIs() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder(), environment: ["WATCHDOG_USEC": "1500000"])
        for _ in 0..<3 {
            try await daemon.notice("WATCHDOG=1")
            let status = try await daemon.notice("STATUS=")
            #expect(status == "STATUS=0 of 0 receivers online, 0 geofences, 0 subscriptions")
        }
        #expect(daemon.log.split(separator: "\n").count == 1)
    }

    @Test func whoIsNotWatchedSendsNoSignOfLife() async throws {
        // Watched is another process, whose environment this one has inherited.
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

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: activator), "systemd-socket-activate is missing"))
    func theFirstWhoConnectsStartsItAndIsAnswered() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let messages = Pipe()
        let configuration = try folder.file("empty.yaml", "socket: \(path)\n")
        let process = try ChildProcess(
            [Self.activator, "-l", path, Command.executable.path, "daemon", "--config", configuration]
                + ["--store", folder.file("store")],
            environment: ChildProcess.environment, output: .standardError, errors: messages.fileHandleForWriting)
        try messages.fileHandleForWriting.close()
        let answer = try await offThePool {
            var seen = ""
            while !seen.contains("Listening on \(path)") {
                let more = messages.fileHandleForReading.availableData
                guard !more.isEmpty else { throw RunningDaemon.Failure(description: seen) }
                seen += String(decoding: more, as: UTF8.self)
            }
            return try LineSocket(to: path).call("server.info")
        }
        #expect(answer["result"]?["name"] == "waymark")
        process.send(SIGTERM)
        let ending = await offThePool { process.wait() }
        #expect(ending == .exit(0))
        // The socket is whose who made it.
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
