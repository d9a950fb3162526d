import Daemon
import Foundation
import GPSDClient
import Receivers

/// Checks of the machine around the daemon.
extension Doctor {
    /// Checks the configuration, and returns the findings with the configuration if it could be loaded.
    ///
    /// It is the file given, else the one that the running daemon reports, else the system's.
    func checkConfiguration(of examination: Examination?) -> ([Finding], LoadedConfiguration?) {
        let running = examination?.report.info.text("configuration")
        let file = configurationFile ?? running ?? ConfigurationContext.systemFile
        if configurationFile == nil, running == nil, examination != nil,
            examination?.report.info.text("version") == ProgramInfo.version
        {
            guard FileManager.default.fileExists(atPath: file) else {
                return ([.ok("configuration", "the daemon runs without a file, and needs none")], nil)
            }
            return (
                [
                    .warn(
                        "configuration", "the daemon was started before \(file) existed",
                        "restart it: \"sudo systemctl restart waymark\"")
                ], nil
            )
        }
        guard configurationFile != nil || FileManager.default.fileExists(atPath: file) else {
            return ([.ok("configuration", "there is no \(file), and none is needed")], nil)
        }
        guard FileManager.default.fileExists(atPath: file) else {
            return ([.fail("configuration", "there is no \(file)", "name another with --config")], nil)
        }
        guard FileManager.default.isReadableFile(atPath: file) else {
            return (
                [.warn("configuration", "you may not read \(file)", "run this with sudo to check it")], nil
            )
        }
        do throws(ConfigurationError) {
            // The daemon's command line is unknown, except for its store and its socket.
            let isRunning = running != nil && configurationFile == nil
            let flags = DaemonFlags(
                store: isRunning ? examination?.report.info.text("store") : nil, socket: isRunning ? daemon.path : nil)
            let loaded = try LoadedConfiguration(file: file, flags: flags, context: context) {
                _ = try ReceiverAddress($0)
            }
            let sources = Amounts.count(loaded.configuration.sources.count, "source")
            let whose = isRunning ? ", which the daemon uses," : ""
            return ([.ok("configuration", "\(file)\(whose) is valid, with \(sources)")], loaded)
        } catch {
            let findings = error.problems.prefix(ConfigurationError.maximumListed).map {
                Finding.fail("configuration", "\($0)", "fix it, then \"sudo systemctl restart waymark\"")
            }
            return (Array(findings), nil)
        }
    }

    /// The context in which the daemon reads its file: those of its systemd unit (systemd.exec(5)).
    ///
    /// For a file given on the command line, they are those of this process.
    private var context: ConfigurationContext {
        guard configurationFile == nil else { return .current(isSocketGiven: false) }
        return ConfigurationContext(environment: [:], workingDirectory: "/", isRoot: false).ofService
    }

    /// Checks the unit, if systemd runs this machine (sd_booted(3)).
    func checkUnit() -> [Finding] {
        guard FileManager.default.fileExists(atPath: "/run/systemd/system") else { return [] }
        guard let state = Self.firstLine(of: ["systemctl", "is-active", "waymark.service"]) else {
            return [.warn("unit", "systemctl does not answer", "try \"systemctl status waymark\"")]
        }
        switch state {
        case "active": return [.ok("unit", "waymark.service is active")]
        case "failed":
            return [
                .fail(
                    "unit", "waymark.service has failed",
                    "\"journalctl -u waymark -n 50\" shows why; then \"sudo systemctl restart waymark\"")
            ]
        default:
            return [
                .warn(
                    "unit", "waymark.service is \(state)",
                    "unless you start the daemon yourself: \"sudo systemctl enable --now waymark\"")
            ]
        }
    }

    /// Returns the first line that a program prints.
    ///
    /// It is `nil` if there is none, the program cannot be started, or it takes longer than five seconds.
    private static func firstLine(of arguments: [String]) -> String? {
        let process = Process()
        let output = Pipe()
        // This program of coreutils ends a program that does not end by itself.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["--kill-after=1", "5"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").first.map(String.init)
    }

    /// The free bytes below which the check fails: a week of one fix a second, at 36 bytes at most per fix.
    private static let tooLittleRoom: Int64 = 22_000_000
    /// The free bytes below which the check warns: half a year of such fixes.
    private static let littleRoom: Int64 = 570_000_000

    /// Checks the free space on the disk of the store; returns nothing if it is unknown.
    func checkDisk(of store: String) -> [Finding] {
        // A user who may not enter the folder may still query the disk of a folder above it.
        var path = store
        while path != "/", !path.isEmpty {
            if let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path),
                let free = attributes[.systemFreeSize] as? NSNumber
            {
                return [checkRoom(free.int64Value, on: path)]
            }
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path
        }
        return []
    }

    private func checkRoom(_ free: Int64, on path: String) -> Finding {
        let text = "\(Amounts.bytes(free)) are free on the disk of \(path)"
        let remedy = "free some space, or set retention in the configuration to remove old records"
        return free < Self.tooLittleRoom
            ? .fail("disk", text, remedy) : free < Self.littleRoom ? .warn("disk", text, remedy) : .ok("disk", text)
    }

    /// Checks for a gpsd on this machine, for a set-up without receivers.
    func checkGPSD(hasDaemon: Bool) async -> Finding {
        let none = hasDaemon ? "no receiver is configured" : "no receiver is known"
        do {
            let release = try await Self.gpsdRelease()
            return .warn(
                "receivers", "\(none), and gpsd \(release) listens on this machine",
                "read it: --source gps0=gpsd://localhost:2947, or sources: [gps0=gpsd://localhost:2947] in the configuration"
            )
        } catch {
            return .warn(
                "receivers", "\(none), and gpsd on this machine did not answer: \(error)",
                "name a receiver under \"sources\" in the configuration, or install gpsd (\"sudo apt install gpsd\") and name it"
            )
        }
    }

    /// Returns the release of the gpsd at its default address.
    static func gpsdRelease() async throws(GPSDError) -> String {
        let (releases, teller) = AsyncStream.makeStream(of: String.self)
        let session = Task { () -> GPSDError? in
            defer { teller.finish() }
            do throws(GPSDError) {
                try await GPSDSession.run(GPSDAddress(host: "localhost")) { reports in
                    for case .version(let release, _, _) in reports { teller.yield(release) }
                }
                return nil
            } catch {
                return error
            }
        }
        for await release in releases {
            session.cancel()
            return release
        }
        throw await session.value ?? GPSDError("it did not send its version")
    }

    func checkClock() -> Finding {
        switch ClockState.isSynchronised() {
        case true?: .ok("clock", "the system's clock is synchronised")
        case false?:
            .warn(
                "clock", "the system's clock is not synchronised",
                "\"sudo timedatectl set-ntp true\", or use chrony with gpsd; trips and events have the receivers' time")
        case nil:
            .warn("clock", "the system does not report whether its clock is synchronised", "try \"timedatectl\"")
        }
    }
}
