#if Companion
import Foundation
import Glibc
import RPC
import TestSupport
import Testing

@Suite(.slow, .enabled(if: geteuid() == 0, "only root can call as somebody else"))
struct RightsTests {
    @Test func aReadOnlyUserCanChangeNothing() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon(in: folder)
        let path = daemon.socket
        // The daemon opens the socket to its own group only; this test opens it to all, to check the rights of methods.
        try open(path, to: 0o666)
        let program = folder.file("program")
        try FileManager.default.copyItem(atPath: Command.executable.path, toPath: program)
        let methods = try await offThePool {
            try #require(try LineSocket(to: path).call("rpc.discover")["result"]?["methods"]?.elements)
        }
        let changing = methods.filter { $0["x-right"] == "change" }.compactMap { $0["name"]?.text }
        #expect(changing.count > 5)
        for method in changing {
            let outcome = try await stranger(program, "call", method, "--socket", path)
            #expect(outcome.ending == .exit(1))
            #expect(outcome.text.contains("(error 2"), "\(method): \(outcome.text)")
        }
        let reading = try await stranger(program, "call", "sights.list", "--socket", path)
        #expect(reading.ending == .exit(0))

        // Without access to the socket a user can do nothing.
        try open(path, to: 0o660)
        let shutOut = try await stranger(program, "call", "sights.list", "--socket", path)
        #expect(shutOut.ending == .exit(1))
        #expect(shutOut.text.contains(path))
    }

    /// The user nobody, in a group whose members are administrators but cannot read the store.
    @Test func anAdministratorWhoCannotReadTheStoreGetsABackupFromTheDaemon() async throws {
        let folder = try TemporaryFolder()
        let replay = try await Command.run("replay", "fixtures/pass-by.gpx", "--json", "--store", folder.store)
        #expect(replay.status == 0)
        let daemon = try await RunningDaemon(in: folder, store: folder.store, configuration: "admin-group: games\n")
        try open(daemon.socket, to: 0o666)
        let program = folder.file("program")
        try FileManager.default.copyItem(atPath: Command.executable.path, toPath: program)
        let place = folder.file("theirs")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try open(place, to: 0o777)
        let copy = "\(place)/copy.db"

        let refused = try await stranger(program, "backup", copy, "--socket", daemon.socket)
        #expect(refused.ending == .exit(1))
        #expect(refused.text.contains("only its owner and the daemon's administrators may copy it"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)

        let backup = try await stranger(in: "games", program, "backup", copy, "--socket", daemon.socket)
        #expect(backup.ending == .exit(0), "\(backup.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["copy.db"])
        let trips = try await Command.run("trip", "list", "--json", "--store", copy)
        #expect(!trips.lines.isEmpty)
        #expect(trips.output == (try await Command.run("trip", "list", "--json", "--socket", daemon.socket)).output)
        // The daemon keeps nothing of the backup.
        let scratch = folder.store + ".photos/scratch"
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
    }

    private func open(_ path: String, to mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Runs a command as the user nobody, in one group or in none.
    private func stranger(
        in group: String? = nil, _ words: String...
    ) async throws -> (ending: ChildProcess.Ending, text: String) {
        let groups = group.map { ["--groups", $0] } ?? ["--clear-groups"]
        let setpriv = ["setpriv", "--reuid", "65534", "--regid", "65534"] + groups
        let output = Pipe()
        let process = try ChildProcess(
            setpriv + words, environment: ChildProcess.environment, output: output.fileHandleForWriting,
            errors: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        return try await offThePool {
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            return (process.wait(), String(decoding: text, as: UTF8.self))
        }
    }
}
#endif
