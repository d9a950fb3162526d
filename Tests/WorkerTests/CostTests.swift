#if Fleet
import Broker
import Foundation
import Glibc
import Phones
import Positioning
import TestSupport
import Testing
import Time
import Tracking
import WebClient

@testable import FleetStore
@testable import Worker
@testable import waymark

/// What a fix costs; each test prints a row for the guide.
@Suite(.slow, .withServers, .serialized) struct CostTests {
    @Test(.timeLimit(.minutes(20)), arguments: [1, 50, 500])
    func processorTimeByTheFixesOfATransaction(batch: Int) async throws {
        let cost = try await Self.cost(partitions: 1, devices: 500, fixesOfEach: batch == 1 ? 4 : 40, batch: batch)
        print("| \(batch) | \(cost) |")
    }

    /// Each message has 50 fixes, each of another device, whatever the number of partitions.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 4, 16, 64])
    func processorTimeByThePartitions(partitions: Int) async throws {
        let cost = try await Self.cost(partitions: partitions, devices: 4_800, fixesOfEach: 5, batch: 50)
        print("| \(partitions) | \(cost) |")
    }

    /// Phones report one fix at a time over kept connections, without TLS.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 10]) func processorTimeOfADoor(fixes: Int) async throws {
        let servers = try await FleetServers()
        let (phones, reports) = (32, 200)
        let database = try servers.setUp(FleetSettings(partitions: 16), watching: [])
        var random = SeededGenerator(seed: TestTier.seed)
        let secrets = (0..<phones).map { _ in PhoneSecret(using: &random) }
        for (number, secret) in secrets.enumerated() {
            try database.setSecret(digest: FleetDoor.digest(of: secret), of: "phone \(number)")
        }
        let door = try await LocalProcess(
            [
                FleetServers.executable.path, "fleet", "door", "--listen", "127.0.0.1:0", "--database",
                servers.database, "--broker", servers.broker.url,
            ], until: "http://")
        let start = try #require(door.line.firstRange(of: "http://127.0.0.1:"))
        let url = try WebURL("http://127.0.0.1:\(door.line[start.upperBound...].prefix { $0.isNumber })/in/")
        let before = (Processes.time(of: door.processID), Processes(of: servers))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for secret in secrets {
                group.addTask {
                    let client = WebClient(url)
                    for report in 0..<reports {
                        let points = (0..<fixes).map { fix in
                            #"{"_type":"location","tst":\#(1_780_000_000 + report * fixes + fix),"lat":52.1,"lon":5.1}"#
                        }
                        let reply = try await client.post(
                            Array("[\(points.joined(separator: ","))]".utf8),
                            headers: ["Authorization": "Bearer \(secret.text)"], within: .seconds(60))
                        #expect(reply.status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
        let after = Processes(of: servers)
        let count = Double(phones * reports)
        let costs = [Processes.time(of: door.processID) - before.0, after.broker - before.1.broker]
        print(
            "| \(fixes) | "
                + costs.map { "\(Int(($0 / count * 1e6).rounded())) µs" }.joined(separator: " | ") + " |")
        await door.kill()
    }

    /// Returns the processor time of a fix in the worker, in PostgreSQL and in RabbitMQ, as cells of a table.
    ///
    /// The fixes wait in the queues before the one worker starts.
    private static func cost(partitions: Int, devices: Int, fixesOfEach: Int, batch: Int) async throws -> String {
        let servers = try await FleetServers()
        var random = SeededGenerator(seed: TestTier.seed)
        let settings = FleetSettings(partitions: partitions)
        let geofences = RandomJourney.geofences(60, using: &random)
        let database = try servers.setUp(settings, watching: geofences)
        let journeys = (0..<devices).map {
            RandomJourney(device: "device \($0)", count: fixesOfEach, using: &random)
        }
        let publisher = FixPublisher(
            to: settings, at: servers.broker, limit: .seconds(60), fixesPerMessage: batch)
        // The devices report in turn, so that a transaction has as many devices as fixes.
        for turn in 0..<fixesOfEach {
            for journey in journeys { publisher.add(journey.fixes[turn...turn], of: journey.device) }
        }
        try publisher.publish(tries: 3)
        let before = Processes(of: servers)
        let worker = try await servers.worker(batch: 1)
        try await FleetCheck.waitUntilApplied(publisher.numbers, of: publisher.id, in: database)
        let after = Processes(of: servers)
        let own = Processes.time(of: worker.processID)
        #expect(own > 0)
        await worker.kill()
        return [own, after.database - before.database, after.broker - before.broker]
            .map { "\(Int(($0 / Double(devices * fixesOfEach) * 1e6).rounded())) µs" }.joined(separator: " | ")
    }
}

/// The processor time of a fleet's servers so far, in seconds.
private struct Processes {
    let database: Double
    let broker: Double

    init(of servers: FleetServers) {
        let (database, broker) = servers.servers.processes
        self.database = Self.time(ofTree: database)
        self.broker = broker.map { Self.time(of: $0) } ?? 0
    }

    /// The time of a process, without that of its children.
    static func time(of process: Int32) -> Double { numbers(of: process).map { ticks($0[11] + $0[12]) } ?? 0 }

    /// The time of a process and of its children, also of those that have ended.
    private static func time(ofTree process: Int32) -> Double {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = names.compactMap { Int32($0) }.compactMap { numbers(of: $0) }.filter { $0[1] == Int(process) }
        let own = numbers(of: process).map { ticks($0[11] + $0[12] + $0[13] + $0[14]) } ?? 0
        return own + children.reduce(0) { $0 + ticks($1[11] + $1[12]) }
    }

    private static func ticks(_ count: Int) -> Double { Double(count) / Double(sysconf(Int32(_SC_CLK_TCK))) }

    /// The numbers after a process's name in `/proc/PID/stat`, of which the first, its state, is 0 (proc(5)).
    private static func numbers(of process: Int32) -> [Int]? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let numbers = text[text.index(after: end)...].split(separator: " ").map { Int($0) ?? 0 }
        return numbers.count > 14 ? numbers : nil
    }
}
#endif
