import Foundation
import Glibc
import RPC
import TestSupport
import Testing

@Suite(.enabled(if: geteuid() == 0, "only root can call as somebody else"))
struct RightsTests {
    @Test func whoMayOnlyReadChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon(in: folder)
        let path = daemon.socket
        // The daemon gives the socket to its own group alone; here the rights are what matters.
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

        // Without a way to the socket there is nothing at all.
        try open(path, to: 0o660)
        let shutOut = try await stranger(program, "call", "sights.list", "--socket", path)
        #expect(shutOut.ending == .exit(1))
        #expect(shutOut.text.contains(path))
    }

    private func open(_ path: String, to mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Runs a command as nobody, in no group.
    private func stranger(_ words: String...) async throws -> (ending: ChildProcess.Ending, text: String) {
        let setpriv = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
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
