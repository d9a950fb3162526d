#if Companion
import Foundation
import Glibc
import RPC
import Simulation
import SocketServer
import Store
import Time

/// The folder, the recording and the daemon of a demonstration.
final class DemoStage: Sendable {
    let folder: URL
    var store: String { folder.appending(path: "van.sqlite").path }
    var socket: String { folder.appending(path: "van.sock").path }
    var mail: String { folder.appending(path: "mail").path }
    /// The file with Ada's session, separate from the sessions of the user.
    var session: String { folder.appending(path: "session.json").path }
    private var log: URL { folder.appending(path: "log") }
    private var configuration: URL { folder.appending(path: "waymark.yaml") }
    private let executable: URL
    private let daemon = Process()

    /// The drive, and the time at which it begins.
    private let drive: (file: Fixtures.File, start: Timestamp)
    private let speed: Double
    /// The local times of the drive.
    let clock: DemoClock

    /// The device that drives, the one that stands, and the one that drives the other way.
    static let (van, tandem, bus) = ("van", "tandem", "bus")

    /// Creates a stage in a new temporary folder.
    ///
    /// - Parameters:
    ///   - speed: The multiple of real time at which the drive is played.
    ///   - executable: The executable whose commands are run, by default this one.
    init(
        speed: Double, executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    ) throws {
        self.executable = executable
        self.speed = speed
        let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970) * 1000)
        drive = LiechtensteinDrive.drive(playedAt: now, speed: speed)
        clock = DemoClock(start: drive.start)
        folder = FileManager.default.temporaryDirectory.appending(path: "waymark-demo-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Starts a daemon that has the sights, the journeys of earlier months, the street map if it is there, and no
    /// sources, and waits until it answers.
    func begin() async throws {
        let earlier = LiechtensteinDrive.earlier(than: drive.start)
        let (sights, bus) = (LiechtensteinDrive.sights(), LiechtensteinDrive.bus(from: drive.start))
        for file in [drive.file, sights, bus] + earlier {
            try Data(file.bytes).write(to: folder.appending(path: file.name))
        }
        try await run(["sight", "import", path(sights), "--store", store])
        try await run(["trip", "import"] + earlier.map(path) + ["--device", Self.van, "--store", store])
        if let map = DemoMap(executable: executable) {
            try await run(["map", "use", map.tiles, "--store", store])
        }
        try write(sources: "[]")
        daemon.executableURL = executable
        daemon.arguments = ["daemon", "--config", configuration.path]
        // Variables set for other daemons must not affect this one.
        daemon.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WAYMARK_") }
        daemon.standardOutput = FileHandle.nullDevice
        try Data().write(to: log)
        daemon.standardError = try FileHandle(forWritingTo: log)
        try daemon.run()
        try await wait(for: "the daemon to answer") { () -> JSONValue? in
            do {
                return try await SocketClient.connect(to: socket) { try await $0.call("server.info") }
            } catch is SocketError {
                return nil
            }
        }
        if let names = try DemoMap(executable: executable)?.readNames() {
            try await SocketClient.connect(to: socket) { client in
                _ = try await client.call("maps.addNames", ["name": .string(DemoMap.name), "text": .string(names)])
            }
        }
    }

    private func path(_ file: Fixtures.File) -> String { folder.appending(path: file.name).path }

    /// Adds two sources: the place where the van stands before its drive, and a tandem that stands on its way.
    func arrive() throws {
        let lines = String(decoding: drive.file.bytes, as: UTF8.self).split(separator: "\r\n")
        let firstFix = lines.firstIndex { $0.hasPrefix("$GPRMC") && $0.contains(",A,") } ?? 0
        let standing = folder.appending(path: "standing.nmea")
        try Data((lines[...firstFix].joined(separator: "\r\n") + "\r\n").utf8).write(to: standing)
        let tandem = folder.appending(path: "tandem.gpx")
        let text = """
            <gpx version="1.1" creator="waymark demo"><trk><trkseg>
            <trkpt lat="47.1387" lon="9.5222"><time>\(Date.now.ISO8601Format())</time></trkpt>
            </trkseg></trk></gpx>
            """
        try Data(text.utf8).write(to: tandem)
        try setSources("\(Self.van)=\(standing.path)", "\(Self.tandem)=\(tandem.path)")
    }

    /// Starts the drive of the recording, and the bus.
    ///
    /// - Returns: The number of the last event before the drive.
    func beginDrive() async throws -> Int64 {
        let before = try await wait(for: "the end of the recording before the drive") { () -> Int64? in
            let now = try await SocketClient.connect(to: socket) { try await $0.call("server.stats") }
            let devices = now.elements("devices")
            let van = devices.first { $0.text("device") == Self.van }
            return van?["online"] != false ? nil : now["events"]?["last"].flatMap(Int64.init(json:))
        }
        let suffix = "?speed=\(Self.text(speed))"
        try setSources(
            "\(Self.van)=\(path(drive.file))\(suffix)",
            "\(Self.bus)=\(folder.appending(path: "bus.gpx").path)\(suffix)",
            "\(Self.tandem)=\(folder.appending(path: "tandem.gpx").path)")
        return before
    }

    /// Replaces the daemon's sources with these.
    private func setSources(_ sources: String...) throws {
        try write(sources: "[\(sources.map { "\"\($0)\"" }.joined(separator: ", "))]")
        kill(daemon.processIdentifier, SIGHUP)
    }

    /// Returns the address of the pages, which only this machine can open; `nil` if there are no pages.
    func page() async throws -> String? {
        try await wait(for: "the address of the pages") { () -> String?? in
            let log = try String(contentsOf: log, encoding: .utf8)
            guard let served = log.firstMatch(of: /serving browsers at (\S+)/) else { return nil }
            return .some(log.contains("There are no pages for browsers") ? nil : String(served.1))
        }
    }

    /// Stops the daemon, and removes the folder unless it is to be kept.
    func tearDown(keepsFolder: Bool) {
        if daemon.isRunning {
            daemon.terminate()
            daemon.waitUntilExit()
        }
        if !keepsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Calls `look` every 20 ms until it returns a value, for about ten seconds; nothing takes as long here.
    ///
    /// - Throws: ``Late`` if there is no value by then, and the errors of `look`.
    @discardableResult
    func wait<Value: Sendable>(for what: String, _ look: () async throws -> Value?) async throws -> Value {
        for _ in 0..<500 {
            if let value = try await look() { return value }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Late(what: what)
    }

    /// The error that there are no pages to open.
    struct NoPages: Error, CustomStringConvertible {
        let description = "The pages for browsers are not installed. Install the package, or omit --web."
    }

    /// The error that the demonstration waited too long for something.
    struct Late: Error, CustomStringConvertible {
        let what: String
        var description: String { "The demonstration waited ten seconds without success for \(what)." }
    }

    /// The error that a step of the demonstration failed.
    struct Failed: Error, CustomStringConvertible {
        /// The step and its failure, as a clause.
        let what: String
        var description: String { "The demonstration cannot go on: \(what)." }
    }

    /// Returns a number for the configuration, without decimals if it is an integer.
    static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }

    private func write(sources: String) throws {
        let text = """
            sources: \(sources)
            store: \(store)
            socket: \(socket)
            mail:
              file: \(mail)
            web:
              listen: 127.0.0.1:0
            """
        try Data(text.utf8).write(to: configuration)
    }

    /// Runs a command of the executable to its end; its errors go to standard error.
    ///
    /// - Throws: ``Failed`` if it exits with a status other than 0.
    func run(_ words: [String]) async throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let way = process.terminationReason == .exit ? "failed with status" : "was ended by signal"
            throw Failed(what: "\"waymark \(words.joined(separator: " "))\" \(way) \(process.terminationStatus)")
        }
    }
}
#endif
