#if Companion
import Foundation
import Glibc
import RPC
import TestSupport
import Testing
import Time

@Suite(.slow) struct StoppingTests {
    @Test func theDaemonCanBeStoppedAsSoonAsItIsReady() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        let ending = try await daemon.stop()
        #expect(ending == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test func stoppingUnderInputKeepsAndDeliversAllEvents() async throws {
        let folder = try TemporaryFolder()
        // A drive that never stands, because not every fix of a stop is a point of the trace.
        let drive = Drive(places: 200, placesToStop: 200, placesToSilence: 200)
        let file = try await drive.prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, sources: ["car=\(file)?speed=5000"])
        let path = daemon.socket
        let told = try await offThePool {
            try LineSocket(to: path).allEvents { if $0 == 100 { daemon.send(SIGTERM) } }
        }
        let ending = try await daemon.ending()
        #expect(ending == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
        #expect(told.count >= 100)
        let store = try StoreCopy(of: folder.file("store"))
        #expect(store.events.map(\.body) == told)
        #expect(store.integrity == "ok")
        // A trip's points are written in groups, but at the latest when the daemon stops.
        let last = Timestamp(milliseconds: try #require(store.lastFixes["car"]))
        #expect(try #require(store.travels.last).contains("\(last)"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func anotherSignalDuringTheStopChangesNothing(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let file = try await Drive(places: 200).prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, sources: ["car=\(file)?speed=2000"])
        daemon.send(signal)
        try await daemon.notice("STOPPING=1")
        daemon.send(signal)
        daemon.send(SIGHUP)
        let ending = try await daemon.ending()
        #expect(ending == .exit(0))
        #expect(daemon.log.contains("everything is committed"))
    }

    @Test func aDaemonWhoseWebPortIsTakenLeavesNoSocketFile() async throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.tcp()
        let first = try await RunningDaemon(in: folder, configuration: "web:\n  listen: 127.0.0.1:\(port)\n")
        let configuration = try folder.file("other.yaml", "web:\n  listen: 127.0.0.1:\(port)\n")
        let second = try await Command.run(
            "daemon", "--config", configuration, "--store", folder.file("other"), "--socket", folder.file("socket2"))
        #expect(second.status == 1)
        #expect(second.errors.contains("\(port)"), "\(second.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("socket2")))
        #expect(try await first.stop() == .exit(0))
    }

    @Test func aSecondDaemonIsRefusedAndTheFirstKeepsRunning() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon(in: folder)
        let configuration = try folder.file("empty.yaml", "")
        let sameStore = try await Command.run(
            "daemon", "--config", configuration, "--store", daemon.store, "--socket", folder.file("other"))
        #expect(sameStore.status == 1)
        #expect(sameStore.errors.contains(daemon.store) && sameStore.errors.contains("\(daemon.processID)"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("other")))
        let sameSocket = try await Command.run(
            "daemon", "--config", configuration, "--store", folder.file("other"), "--socket", daemon.socket)
        #expect(sameSocket.status == 1)
        #expect(sameSocket.errors.contains("Another server listens at \(daemon.socket)"))
        let path = daemon.socket
        let answer = try await offThePool { try LineSocket(to: path).call("server.info") }
        #expect(answer["result"] != nil)
        #expect(try await daemon.stop() == .exit(0))
    }

    @Test func theSocketFileOfAKilledDaemonIsReplaced() async throws {
        let folder = try TemporaryFolder()
        try await RunningDaemon(in: folder).kill()
        #expect(FileManager.default.fileExists(atPath: folder.file("socket")))
        let daemon = try await RunningDaemon(in: folder)
        let path = daemon.socket
        let answer = try await offThePool { try LineSocket(to: path).call("server.info") }
        #expect(answer["result"] != nil)
    }

    @Test func aFileThatIsNotASocketIsLeftAlone() async throws {
        let folder = try TemporaryFolder()
        let diary = try folder.file("diary", "Dear diary")
        let result = try await Command.run(
            "daemon", "--config", folder.file("empty.yaml", ""), "--store", folder.file("store"), "--socket", diary)
        #expect(result.status == 1)
        #expect(result.errors.contains("\(diary) exists and is not a socket"))
        #expect(try String(contentsOfFile: diary, encoding: .utf8) == "Dear diary")
    }
}
#endif
