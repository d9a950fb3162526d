#if Companion
import Foundation
import TestSupport
import Testing

/// `status`, `doctor` and `backup`.
@Suite(.slow) struct HealthCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Report: Decodable {
        struct Info: Decodable { var version: String }
        struct Stats: Decodable { var uptime: Double }
        struct Device: Decodable { var name: String }
        var info: Info
        var stats: Stats
        var devices: [Device]
    }

    private struct Checkup: Decodable {
        struct Check: Decodable {
            var check: String
            var state: String
            var says: String
            var `do`: String?
        }
        var checks: [Check]
        var failed: Int

        func states(of check: String) -> [String] { checks.filter { $0.check == check }.map(\.state) }
    }

    private func replay() async throws {
        let replay = try await Command.run("replay", "fixtures/pass-by.gpx", "--json", "--store", folder.store)
        #expect(replay.status == 0)
    }

    @Test func statusIsAShortPage() async throws {
        try await replay()
        let daemon = try await RunningDaemon(in: folder)
        let status = try await daemon.ask("status")
        #expect(status.status == 0)
        #expect(status.lines.first == "receiver: none is configured")
        #expect(status.lines.contains { $0.hasPrefix("waymark 0.1.0 at \(folder.socket), up ") })
        #expect(status.lines.contains { $0.hasPrefix("  receivers  pass-by  no receiver, last fix ") })
        #expect(status.lines.contains { $0.hasPrefix("  store      \(folder.store), ") })
        #expect(!status.text.contains("\u{1B}"))
        let json = try await daemon.ask("status", "--json")
        let report = try #require(try json.decoded(as: Report.self).first)
        #expect(report.info.version == "0.1.0")
        #expect(report.devices.map(\.name) == ["pass-by"])
    }

    @Test(arguments: ["status", "backup x", "call server.info", "sight list", "trip list", "nearest", "top", "events"])
    func eachCommandReportsAMissingDaemon(command: String) async throws {
        let outcome = try await Command.run(
            command.split(separator: " ").map(String.init) + ["--socket", folder.socket])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("waymark: No server listens at \(folder.socket)."))
    }

    @Test func aHealthyDaemonPassesItsChecks() async throws {
        let daemon = try await RunningDaemon(in: folder)
        let checkup = try #require(try await daemon.ask("doctor", "--json").decoded(as: Checkup.self).first)
        for check in ["socket", "daemon", "rights", "store"] { #expect(checkup.states(of: check) == ["ok"]) }
        // The daemon has no source, which gives a warning whether or not gpsd is installed.
        #expect(checkup.states(of: "receivers") == ["warn"])
        #expect(checkup.checks.allSatisfy { ($0.state == "ok") == ($0.do == nil) })
        #expect(checkup.failed == checkup.checks.count { $0.state == "fail" })
    }

    @Test func aMissingReceiverFailsTheCheckWithAdvice() async throws {
        let missing = folder.file("ttyNONE")
        let daemon = try await RunningDaemon(in: folder, sources: ["gps0=nmea:\(missing)"])
        // An event reports the receiver's state, so the test does not wait by the clock.
        let told = try await daemon.ask("watch", "--after", "0", "--once", "--json")
        #expect(told.text.contains("source.offline"))
        let checkup = try await daemon.ask("doctor")
        #expect(checkup.status == 1)
        let index = try #require(checkup.lines.firstIndex { $0.hasPrefix("fail  receiver") })
        #expect(checkup.lines[index].contains("gps0 is offline: there is no such device"))
        #expect(checkup.lines[index + 1].contains("→ plug it in"))
        let status = try await daemon.ask("status")
        #expect(status.text.contains("gps0  offline for "))
        #expect(status.lines.first?.hasPrefix("receiver: gps0 is offline: there is no such device") == true)
        #expect(status.status == 1)
        let page = try await daemon.ask("top")
        #expect(page.lines.first == status.lines.first)
        #expect(page.lines.count <= 24 && page.lines.allSatisfy { $0.count <= 80 }, "\(page.text)")
    }

    @Test func aReceiverThatHasSentNothingYetIsReported() async throws {
        let daemon = try await RunningDaemon(in: folder, sources: ["gps0=udp://127.0.0.1:\(FreePort.udp())?idle=3600"])
        #expect(try await daemon.ask("status").text.contains("  receivers  gps0  nothing received yet\n"))
        let checkup = try #require(try await daemon.ask("doctor", "--json").decoded(as: Checkup.self).first)
        let found = try #require(checkup.checks.first { $0.check == "receiver" })
        #expect(found.state == "warn" && found.says == "gps0 is configured, and has sent nothing yet")
        #expect(!daemon.log.contains("No source is configured"))
    }

    @Test func aRestartAfterACrashIsReported() async throws {
        let first = try await RunningDaemon(in: folder)
        #expect(try await first.ask("status").text.contains("crash") == false)
        first.kill()
        let second = try await RunningDaemon(in: folder)
        let status = try await second.ask("status")
        #expect(status.text.contains("  restarted  after a crash or a power cut"), "\(status.text)")
        #expect(try await second.stop() == .exit(0))
        let third = try await RunningDaemon(in: folder)
        #expect(try await third.ask("status").text.contains("crash") == false)
    }

    @Test(arguments: ["", "mail:\n  file: /tmp/mail\n"])
    func aDaemonThatCannotSendMailLogsIt(configuration: String) async throws {
        let daemon = try await RunningDaemon(in: folder, configuration: configuration)
        #expect(try await daemon.stop() == .exit(0))
        #expect(daemon.log.contains("No mail is sent") == configuration.isEmpty, "\(daemon.log)")
    }

    @Test func aDaemonWithoutSourcesLogsIt() async throws {
        let daemon = try await RunningDaemon(in: folder)
        // Once it has ended, the log has all messages of its start.
        #expect(try await daemon.stop() == .exit(0))
        #expect(daemon.log.contains("No source is configured, so the daemon receives no positions"))
    }

    @Test func theDoctorChecksTheDaemonsConfiguration() async throws {
        let daemon = try await RunningDaemon(in: folder, configuration: "tracking:\n  dwell: 90\n")
        let file = folder.file("waymark.yaml")
        let sound = try #require(try await daemon.ask("doctor", "--json").decoded(as: Checkup.self).first)
        let found = try #require(sound.checks.first { $0.check == "configuration" })
        #expect(found.state == "ok" && found.says.hasPrefix("\(file), which the daemon uses,"), "\(found)")
        try daemon.configure("tracking:\n  dwell: soon\n")
        let broken = try #require(try await daemon.ask("doctor", "--json").decoded(as: Checkup.self).first)
        let fault = try #require(broken.checks.first { $0.check == "configuration" })
        #expect(fault.state == "fail" && fault.says.contains("\(file):4"), "\(fault)")
    }

    @Test func theDoctorLetsTheDaemonTryItsMailAndHook() async throws {
        let (mail, hook) = (folder.file("mail"), folder.file("hook"))
        for (path, seen) in [(mail, folder.file("mailed")), (hook, folder.file("told"))] {
            try "#!/bin/sh\ncat >'\(seen)'\n".write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let configuration = "mail:\n  command: \(mail) -t\nnotifications:\n  hook: \(hook)\n"
        let daemon = try await RunningDaemon(in: folder, configuration: configuration)
        func checkup(_ words: String...) async throws -> Checkup {
            try #require(try await daemon.ask(["doctor", "--json"] + words).decoded(as: Checkup.self).first)
        }
        let asked = try await checkup()
        #expect(asked.states(of: "mail") == ["ok"] && asked.states(of: "hook") == ["ok"])
        // Without the options nothing is sent and no hook runs.
        #expect(!FileManager.default.fileExists(atPath: folder.file("mailed")))
        #expect(!FileManager.default.fileExists(atPath: folder.file("told")))

        let tried = try await checkup("--mail", "ada@example.org", "--hook")
        #expect(tried.states(of: "mail") == ["ok"] && tried.states(of: "hook") == ["ok"])
        let sent = try String(contentsOfFile: folder.file("mailed"), encoding: .utf8)
        #expect(sent.contains("To: <ada@example.org>"))
        #expect(try String(contentsOfFile: folder.file("told"), encoding: .utf8).contains(#""kind":"trial""#))

        try "#!/bin/sh\necho no such host >&2; exit 3\n".write(toFile: mail, atomically: false, encoding: .utf8)
        try FileManager.default.removeItem(atPath: hook)
        let failed = try await checkup("--mail", "ada@example.org")
        let found = try #require(failed.checks.first { $0.check == "mail" })
        #expect(found.state == "fail" && found.says.contains("(no such host)"), "\(found)")
        let missing = try #require(failed.checks.first { $0.check == "hook" })
        #expect(missing.state == "fail" && missing.says.contains("there is no command \(hook)"), "\(missing)")
    }

    @Test func theDoctorReportsAMissingDaemon() async throws {
        let checkup = try await Command.run("doctor", "--json", "--socket", folder.socket)
        #expect(checkup.status == 1)
        let found = try #require(try checkup.decoded(as: Checkup.self).first)
        #expect(found.states(of: "socket") == ["fail"])
        #expect(found.states(of: "daemon").isEmpty)
        let socket = try #require(found.checks.first { $0.check == "socket" })
        #expect(socket.says.contains(folder.socket))
        #expect(socket.do?.contains("waymark daemon") == true)
    }

    @Test func aBrokenConfigurationIsReportedWithItsLine() async throws {
        let file = try folder.file("broken.yaml", "sources: []\ntracking:\n  dwell: soon\n")
        let checkup = try await Command.run("doctor", "--config", file, "--json", "--socket", folder.socket)
        let found = try #require(try checkup.decoded(as: Checkup.self).first)
        let broken = try #require(found.checks.first { $0.check == "configuration" })
        #expect(broken.state == "fail")
        #expect(broken.says.contains("\(file):3"))
    }

    @Test func aBackupIsAStoreLikeAnyOther() async throws {
        try await replay()
        let before = try await Command.run("trip", "list", "--json", "--store", folder.store)
        let daemon = try await RunningDaemon(in: folder)
        let copy = folder.file("copy.db")
        let backup = try await daemon.ask("backup", copy)
        #expect(backup.status == 0)
        let after = try await Command.run("trip", "list", "--json", "--store", copy)
        #expect(after.lines.count == 1)
        #expect(after.output == before.output)
        let again = try await daemon.ask("backup", copy)
        #expect(again.status == 1)
        #expect(again.errors.contains("nothing is overwritten"))
        _ = try await daemon.stop()
        let other = folder.file("other.db")
        #expect(try await Command.run("backup", other, "--store", copy).status == 0)
        #expect(try await Command.run("trip", "list", "--json", "--store", other).output == before.output)
    }
}
#endif
