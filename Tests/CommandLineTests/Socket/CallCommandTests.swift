import Foundation
import TestSupport
import Testing

@Suite(.slow) struct CallCommandTests {
    private let daemon: RunningDaemon

    init() async throws { daemon = try await RunningDaemon(in: TemporaryFolder()) }

    @Test func aResultIsPrintedOnOneLine() async throws {
        let info = try await daemon.ask("call", "server.info")
        #expect(info.status == 0)
        let configuration = daemon.folder.file("waymark.yaml")
        #expect(
            info.text
                == #"{"name":"waymark","version":"0.1.0","store":"\#(daemon.store)","configuration":"\#(configuration)"}"#
                + "\n")
        let added = try await daemon.ask(
            "call", "sights.add", #"{"title":"Mill","description":"Old.","lat":52,"lon":-5,"id":"m"}"#)
        #expect(added.text == #"{"id":"m","title":"Mill","lat":52,"lon":-5,"radius":100,"description":"Old."}"# + "\n")
        let got = try await daemon.ask("call", "sights.get", "-", input: Data(#"{"id":"m"}"#.utf8))
        #expect(got.text.hasPrefix(added.text.dropLast(2)))
    }

    @Test func anErrorIsReportedWithItsCodeAndData() async throws {
        let refused = try await daemon.ask("call", "events.list", #"{"after":-1}"#)
        #expect(refused.status == 1)
        #expect(refused.output.isEmpty)
        #expect(
            refused.errors == """
                waymark: after: must be from 0 to 9007199254740991 (error 4, invalid value) \
                {"field":"after","reason":"must be from 0 to 9007199254740991"}

                """)
        let unknown = try await daemon.ask("call", "no.such")
        #expect(unknown.errors.contains("(error -32601, method not found)"))
        #expect(unknown.status == 1)
    }

    @Test(arguments: ["{\"id\":}", "", "[1]", "{} {}"])
    func badParametersExitWith64(parameters: String) async throws {
        let given = try await daemon.ask("call", "sights.get", parameters)
        #expect(given.status == 64)
        let piped = try await daemon.ask("call", "sights.get", "-", input: Data(parameters.utf8))
        #expect(piped.status == 64)
        #expect(piped.errors.hasPrefix("waymark: standard input: the parameters are not "))
    }

    @Test func theSocketIsTakenFromTheEnvironment() async throws {
        let asked = try await Command.shell(
            "\"$WAYMARK\" call server.info", environment: ["WAYMARK_SOCKET": daemon.socket])
        #expect(asked.status == 0)
        #expect(asked.text.contains(daemon.store))
    }

    @Test func theDefaultSocketIsTheSystemsOrTheUsers() async throws {
        let folder = try TemporaryFolder()
        let missed = try await Command.shell(
            "\"$WAYMARK\" doctor --json", environment: ["XDG_RUNTIME_DIR": folder.path])
        let system = "/run/waymark/waymark.sock"
        let isThere = FileManager.default.fileExists(atPath: system)
        #expect(missed.text.contains(isThere ? system : folder.file("waymark.sock")))
    }
}

extension Command {
    /// Runs a line of shell to its end, with `WAYMARK` as the executable; standard error is part of the output.
    static func shell(_ line: String, environment: [String: String] = [:]) async throws -> Outcome {
        let process = Process()
        let output = Pipe()
        process.currentDirectoryURL = repository
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.environment = environment.merging(ChildProcess.sanitizer) { $1 }
            .merging(["WAYMARK": executable.path, "PATH": "/usr/bin:/bin"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return await offThePool {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Outcome(status: process.terminationStatus, output: data, errors: "")
        }
    }
}
