#if Fleet
import Broker
import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import FleetStore
@testable import waymark
@testable import Worker

/// A fleet with real servers and workers that are killed: its events and trips are those of one tracker for each
/// device.
@Suite(.slow, .withServers, .serialized) struct SameAsOneTests {
    @Test(.timeLimit(.minutes(TestTier.isSoak ? 60 : 15)))
    func eventsAndTripsAreThoseOfOneReplayWhoeverIsKilled() async throws {
        var random = SeededGenerator(seed: TestTier.seed)
        let servers = try await FleetServers()
        let geofences = RandomJourney.geofences(60, using: &random)
        let settings = FleetSettings(partitions: 4)
        let database = try servers.setUp(settings, watching: geofences)
        try database.listen()
        let journeys = (0..<(TestTier.isSoak ? 10_000 : 60)).map {
            RandomJourney(device: "device \($0)", count: TestTier.isSoak ? 120 : 200, using: &random)
        }

        var workers: [LocalProcess] = []
        for _ in 0..<3 { workers.append(try await servers.worker()) }
        let publisher = FixPublisher(to: settings, at: servers.broker, limit: .seconds(30))
        var rest = journeys.map { $0.fixes[...] }
        var unfinished = Array(journeys.indices)
        var (kills, rounds) = (0, 0)
        while !unfinished.isEmpty {
            rounds += 1
            for _ in 0..<Int.random(in: 1...60, using: &random) where !unfinished.isEmpty {
                let place = Int.random(in: 0..<unfinished.count, using: &random)
                let which = unfinished[place]
                let some = rest[which].prefix(Int.random(in: 1...30, using: &random))
                rest[which] = rest[which].dropFirst(some.count)
                publisher.add(some, of: journeys[which].device, ends: rest[which].isEmpty)
                if rest[which].isEmpty { unfinished.swapAt(place, unfinished.count - 1); unfinished.removeLast() }
            }
            try publisher.publish(tries: 3)
            if Int.random(in: 0..<(TestTier.isSoak ? 100 : 3), using: &random) == 0 {
                let victim = Int.random(in: 0..<workers.count, using: &random)
                await workers[victim].kill()
                kills += 1
                workers[victim] = try await servers.worker()
            }
        }
        #expect(kills > 0)

        try await FleetCheck.waitUntilApplied(publisher.numbers, of: publisher.id, in: database)
        let (events, lost, doubled) = try FleetCheck.compare(journeys, watching: geofences, in: database)
        let status = try database.status()
        let takeovers = status.partitions.reduce(0) { $0 + $1.epoch }
        #expect(status.refused == 0 && lost == 0 && doubled == 0)
        // Some partition was taken over, or the test has shown nothing.
        #expect(takeovers > Int64(settings.partitions))
        let fixes = journeys.reduce(0) { $0 + $1.fixes.count }
        print(
            "fleet: \(journeys.count) devices, \(fixes) fixes, \(rounds) rounds, \(kills) workers killed,",
            "\(takeovers) takings,",
            "\(events) events, \(lost) lost, \(doubled) doubled")
        for worker in workers { await worker.kill() }
    }
}
#endif
