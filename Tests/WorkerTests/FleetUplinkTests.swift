#if Fleet
import Foundation
import TestSupport
import Testing

@testable import FleetStore
@testable import Worker
@testable import waymark

/// What one Waymark shows of a fleet that hands its events to it, with real servers and processes.
@Suite(.slow, .withServers, .serialized) struct FleetUplinkTests {
    /// A daemon that is the centre.
    private final class Centre {
        let folder: TemporaryFolder
        var process: LocalProcess?
        var socket: String { "\(folder.path)/socket" }
        var secret: String { "\(folder.path)/secret" }

        init() throws {
            folder = try TemporaryFolder()
            try "web:\n  listen: 127.0.0.1:0\n".write(
                toFile: "\(folder.path)/config.yaml", atomically: true, encoding: .utf8)
        }

        /// Starts it, and returns the address of its pages.
        func start() async throws -> String {
            let process = try await LocalProcess(
                [
                    FleetServers.executable.path, "daemon", "--config", "\(folder.path)/config.yaml", "--store",
                    "\(folder.path)/store", "--socket", socket,
                ], until: "http://")
            self.process = process
            let rest = try #require(process.line.firstRange(of: "http://127.0.0.1:"))
            return "http://127.0.0.1:" + process.line[rest.upperBound...].prefix { $0.isNumber }
        }

        /// Returns what a command prints.
        func run(_ words: [String]) throws -> String {
            let process = Process()
            let output = "\(folder.path)/output"
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            process.executableURL = FleetServers.executable
            process.arguments = words + ["--socket", socket]
            process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(words)")
            return try String(contentsOfFile: output, encoding: .utf8)
        }

        func lines(_ words: [String]) throws -> [[String: Any]] {
            var all: [[String: Any]] = []
            for line in try run(words + ["--json"]).split(separator: "\n") {
                all.append(try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]))
            }
            return all
        }
    }

    @Test(.timeLimit(.minutes(10))) func aCentreHasEachEventAndTripOfTheFleetOnce() async throws {
        let servers = try await FleetServers()
        var random = SeededGenerator(seed: TestTier.seed)
        let geofences = RandomJourney.geofences(40, using: &random)
        let settings = FleetSettings(partitions: 3)
        let database = try servers.setUp(settings, watching: geofences)
        let journeys = (0..<12).map { RandomJourney(device: "device \($0)", count: 300, using: &random) }
        let centre = try Centre()
        var url = try await centre.start()
        let made = try JSONSerialization.jsonObject(
            with: Data(centre.run(["uplink", "board", "fleet", "--json"]).utf8))
        try #require((made as? [String: String])?["secret"]).write(
            toFile: centre.secret, atomically: true, encoding: .utf8)
        func words(_ more: String...) -> [String] {
            [
                FleetServers.executable.path, "fleet", "uplink", url, "--secret", centre.secret, "--database",
                servers.database,
            ] + more
        }

        let publisher = FixPublisher(to: settings, at: servers.broker, limit: .seconds(30))
        let worker = try await servers.worker()
        // The uplink and the centre are killed again and again, while the fixes come.
        for part in 0..<6 {
            let uplink = try await LocalProcess(words(), until: nil)
            for journey in journeys {
                publisher.add(journey.fixes[part * 50..<part * 50 + 50], of: journey.device, ends: part == 5)
            }
            try publisher.publish(tries: 3)
            try await FleetCheck.waitUntilApplied(publisher.numbers, of: publisher.id, in: database)
            if part % 2 == 1 {
                await centre.process?.kill()
                url = try await centre.start()
            }
            await uplink.kill()
        }
        for _ in 0..<2 { try await LocalProcess.run(words("--once"), as: nil) }

        var wanted: [String] = []
        for partition in 0..<settings.partitions {
            for event in try database.events(of: partition, after: 0, limit: 100_000) {
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(event.body.utf8)) as? [String: Any])
                wanted.append("fleet/\(event.device) \(json["type"] ?? "") \(json["time"] ?? "")")
            }
        }
        let told = try centre.lines(["events", "--limit", "100000"]).filter {
            $0["type"] as? String != "trip.revised" && ($0["device"] as? String)?.hasPrefix("fleet/") ?? false
        }.map { "\($0["device"] ?? "") \($0["type"] ?? "") \($0["time"] ?? "")" }
        #expect(wanted.count > 100)
        #expect(told.sorted() == wanted.sorted())
        for journey in journeys {
            let device = "fleet/\(journey.device) "
            #expect(told.filter { $0.hasPrefix(device) } == wanted.filter { $0.hasPrefix(device) })
        }

        var points = 0
        for trip in try database.trips() { points += try database.points(of: trip.id).count }
        let exported = try centre.run(["trip", "export", "--all", "--format", "csv"])
        #expect(exported.split(separator: "\n").count - 1 == points)
        let trips = try centre.lines(["trip", "list", "--limit", "1000"]).map { $0["id"] as? String ?? "" }
        #expect(trips.sorted() == (try database.trips().map { "fleet/\($0.id)" }).sorted())
        let status = try centre.run(["uplink", "verify", "--json"])
        #expect(status.contains("\"proven\":true") && !status.contains("\"proven\":false"))
        await worker.kill()
        await centre.process?.kill()
    }
}
#endif
