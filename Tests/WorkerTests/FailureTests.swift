#if Fleet
import Broker
import Foundation
import Glibc
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import FleetStore
@testable import Worker
@testable import waymark

/// What fails in a fleet, with real servers: nothing is lost or doubled, and another worker goes on.
///
/// It prints a row for the guide for each failure.
@Suite(.slow, .withServers, .serialized) struct FailureTests {
    @Test(.timeLimit(.minutes(20))) func nothingIsLostOrDoubledWhateverFails() async throws {
        let servers = try await FleetServers()
        var random = SeededGenerator(seed: TestTier.seed)
        let geofences = RandomJourney.geofences(60, using: &random)
        let settings = FleetSettings(partitions: 4)
        let database = try servers.setUp(settings, watching: geofences)
        let journeys = (0..<80).map { RandomJourney(device: "device \($0)", count: 400, using: &random) }
        var traffic = Traffic(journeys, to: settings, on: servers, using: random)
        var workers = [try await servers.worker(), try await servers.worker()]
        var before = try traffic.log()
        try await traffic.waitForEvents(after: before)

        before = try traffic.log()
        await workers[0].kill()
        try await traffic.report("a worker is killed", since: before, of: workers[0])
        workers[0] = try await servers.worker()
        // The new worker takes its share from the one that is left.
        try await traffic.waitForWork(of: workers[0])

        before = try traffic.log()
        workers[1].signal(SIGSTOP)
        try await traffic.report("a worker hangs", since: before, of: workers[1])
        before = try traffic.log()
        workers[1].signal(SIGCONT)
        try await traffic.report("the worker that hung wakes", since: before)

        await servers.servers.killDatabase()
        try await servers.servers.restartDatabase()
        before = try traffic.log()
        try await traffic.report("PostgreSQL is killed, and serves again", since: before)

        await servers.servers.killBroker()
        try await servers.servers.restartBroker()
        before = try traffic.log()
        try await traffic.report("RabbitMQ is killed, and serves again", since: before)

        try await traffic.finish()
        let counts = try FleetCheck.compare(journeys, watching: geofences, in: FleetDatabase(at: servers.database))
        #expect(counts.lost == 0 && counts.doubled == 0)
        print("| all of them, \(counts.events) events | \(counts.lost) lost | \(counts.doubled) doubled |")
        for worker in workers { await worker.kill() }
        _ = database
    }

    @Test(.timeLimit(.minutes(10))) func aMessageThatFailsSixTimesIsRefused() async throws {
        let servers = try await FleetServers()
        var random = SeededGenerator(seed: TestTier.seed)
        let geofences = RandomJourney.geofences(20, using: &random)
        let settings = FleetSettings(partitions: 1)
        let database = try servers.setUp(settings, watching: geofences)
        // The database ends the connection of whoever writes this device, as if it crashed.
        _ = try database.run([
            Statement(
                """
                CREATE FUNCTION waymark.crash() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$
                """),
            Statement(
                """
                CREATE TRIGGER crash BEFORE INSERT ON waymark.device FOR EACH ROW WHEN (NEW.name = 'poison')
                EXECUTE FUNCTION waymark.crash()
                """),
        ])
        let journeys = (0..<5).map { RandomJourney(device: "device \($0)", count: 60, using: &random) }
        let publisher = FixPublisher(to: settings, at: servers.broker, limit: .seconds(30))
        let poison = RandomJourney(device: "poison", count: 10, using: &random)
        for journey in journeys { publisher.add(journey.fixes.prefix(30), of: journey.device) }
        try publisher.publish(tries: 3)
        publisher.add(poison.fixes, of: poison.device)
        try publisher.publish(tries: 3)
        for journey in journeys { publisher.add(journey.fixes.dropFirst(30), of: journey.device, ends: true) }
        try publisher.publish(tries: 3)
        let worker = try await servers.worker()
        try await FleetCheck.waitUntilApplied(publisher.numbers, of: publisher.id, in: database)
        #expect(try database.status().refused == 1)
        let rows = try database.run([
            Statement("SELECT refused.reason FROM waymark.refused"), Statement("SELECT 1 FROM waymark.attempt"),
        ])
        #expect(try rows[0].text(0, 0).hasPrefix("it has failed 6 times"))
        #expect(rows[1].values.isEmpty)
        let counts = try FleetCheck.compare(journeys, watching: geofences, in: database)
        #expect(counts.lost == 0 && counts.doubled == 0)
        await worker.kill()
    }
}

/// Devices that report all the time, a little at once.
private struct Traffic {
    private var rest: [(device: String, fixes: ArraySlice<Fix>)]
    private let publisher: FixPublisher
    private let servers: FleetServers
    private var random: SeededGenerator
    /// A connection to the database, which may be gone.
    private var database: FleetDatabase?

    init(
        _ journeys: [RandomJourney], to settings: FleetSettings, on servers: FleetServers,
        using random: SeededGenerator
    ) {
        rest = journeys.map { ($0.device, $0.fixes[...]) }
        publisher = FixPublisher(to: settings, at: servers.broker, limit: .seconds(5))
        self.servers = servers
        self.random = random
    }

    /// The partitions, as the log has them.
    mutating func log() throws -> [FleetStatus.Partition] {
        if let database, let status = try? database.status() { return status.partitions }
        let database = try FleetDatabase(at: servers.database)
        self.database = database
        return try database.status().partitions
    }

    /// Publishes some fixes, or nothing while the broker is gone.
    private mutating func publish(parts: Int = 6) {
        for _ in 0..<parts where !rest.isEmpty {
            let which = Int.random(in: 0..<rest.count, using: &random)
            let some = rest[which].fixes.prefix(Int.random(in: 1...4, using: &random))
            rest[which].fixes = rest[which].fixes.dropFirst(some.count)
            let isLast = rest[which].fixes.isEmpty
            publisher.add(some, of: rest[which].device, ends: isLast)
            if isLast { rest.remove(at: which) }
        }
        // What is not confirmed is sent again with the next ones.
        try? publisher.publish()
    }

    /// Publishes until there are events after those of a log in some partitions, which another worker has taken if one
    /// is gone.
    mutating func waitForEvents(
        after before: [FleetStatus.Partition], of worker: LocalProcess? = nil
    ) async throws {
        let name = worker.map { ":\($0.processID)" }
        let own = before.filter { partition in name.map { partition.worker?.hasSuffix($0) ?? false } ?? true }
        #expect(!own.isEmpty)
        while !rest.isEmpty {
            publish()
            // The database may be gone.
            guard let now = try? log() else { continue }
            let isThere = own.contains { old in
                now.contains { $0.id == old.id && $0.events > old.events && (name == nil || $0.epoch > old.epoch) }
            }
            if isThere { return }
            // New events wake it; otherwise it paces the traffic.
            try? database?.listen()
            _ = try? database?.newEvents(within: .milliseconds(100))
        }
        Issue.record("the traffic has ended before an event came")
    }

    /// Waits until a worker has a partition.
    mutating func waitForWork(of worker: LocalProcess) async throws {
        while !rest.isEmpty {
            publish(parts: 2)
            if try log().contains(where: { $0.worker?.hasSuffix(":\(worker.processID)") ?? false }) { return }
            _ = try database?.newEvents(within: .milliseconds(300))
        }
    }

    /// Prints how long it takes until the next event.
    mutating func report(
        _ failure: String, since before: [FleetStatus.Partition], of worker: LocalProcess? = nil
    ) async throws {
        let start = ContinuousClock.now
        try await waitForEvents(after: before, of: worker)
        let tenths = (ContinuousClock.now - start) / .milliseconds(100)
        print("| \(failure) | \(tenths.rounded() / 10) s until the next event |")
    }

    /// Publishes the rest, and waits until it is applied.
    mutating func finish() async throws {
        while !rest.isEmpty { publish(parts: 60) }
        try publisher.publish(tries: 10)
        try await FleetCheck.waitUntilApplied(
            publisher.numbers, of: publisher.id, in: FleetDatabase(at: servers.database))
    }
}
#endif
