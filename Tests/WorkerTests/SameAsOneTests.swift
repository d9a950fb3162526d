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

        var workers: [ServerProcess] = []
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

        try await Self.waitUntilApplied(publisher.numbers, of: publisher.id, in: database)
        let index = GeofenceIndex(geofences.map { ($0, 1) })
        var log = Log()
        for partition in 0..<settings.partitions { try log.read(partition, from: database) }
        var (lost, doubled, events) = (0, 0, 0)
        for journey in journeys {
            let oracle = journey.oracle(in: index)
            let found = log.events[journey.device] ?? []
            lost += Self.excess(of: oracle.events, over: found)
            doubled += Self.excess(of: found, over: oracle.events)
            events += oracle.events.count
            #expect(found == oracle.events, "\(journey.device)")
            try Self.compareTrips(of: journey.device, oracle, in: database)
        }
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

    /// Waits until all messages of a publisher are applied; new events wake it.
    private static func waitUntilApplied(
        _ numbers: [Int: UInt64], of publisher: String, in database: FleetDatabase
    ) async throws {
        let expected = numbers.values.reduce(0, +)
        let end = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < end {
            let rows = try database.run(
                Statement(
                    """
                    SELECT coalesce(sum(publisher.highest), 0)::bigint FROM waymark.publisher
                    WHERE publisher.id = $1
                    """, [publisher]))
            if try rows.number(0, 0) == expected { return }
            _ = try database.newEvents(within: .milliseconds(300))
        }
        Issue.record("the workers have not applied all messages")
    }

    /// The number of elements that the first list has more often than the second.
    private static func excess(of one: [String], over other: [String]) -> Int {
        var counts: [String: Int] = [:]
        for text in one { counts[text, default: 0] += 1 }
        for text in other { counts[text, default: 0] -= 1 }
        return counts.values.reduce(0) { $0 + max(0, $1) }
    }

    private static func compareTrips(
        of device: String, _ oracle: RandomJourney.Oracle, in database: FleetDatabase
    ) throws {
        let trips = try database.run(
            Statement(
                """
                SELECT trip.id, trip.start, trip."end", trip.distance_m, trip.moving_s, trip.stopped_s,
                    trip.max_speed_mps,
                    trip.stops, trip.fixes, trip.climb_m, trip.west_e7, trip.journey
                FROM waymark.trip WHERE trip.device = $1 ORDER BY trip.start
                """, [device]))
        #expect(Set(trips.values.map { $0[0] ?? "" }) == Set(oracle.trips.keys), "\(device)")
        #expect(trips.values.count == oracle.trips.count)
        for row in trips.values {
            let id = row[0] ?? ""
            guard let trip = oracle.trips[id] else { continue }
            let expected: [String?] = [
                "\(trip.start.milliseconds)", trip.end.map { "\($0.milliseconds)" }, "\(trip.stops)",
                "\(trip.fixes)",
                trip.bounds.map { "\($0.westE7)" }, oracle.journeys[id],
            ]
            #expect([row[1], row[2], row[7], row[8], row[10], row[11]] == expected, "\(id)")
            let numbers = [
                trip.distance.meters, trip.moving, trip.stopped, trip.maximumSpeed?.metersPerSecond,
                trip.climb?.meters,
            ]
            #expect([row[3], row[4], row[5], row[6], row[9]].map { $0.flatMap(Double.init) } == numbers, "\(id)")
            let points = try database.points(of: id).compactMap(\.fix.time?.milliseconds)
            #expect(points == oracle.points[id], "\(id)")
        }
        let stops = try database.run(
            Statement(
                "SELECT stop.id, stop.\"end\", stop.lat_e7, stop.lon_e7 FROM waymark.stop WHERE stop.device = $1",
                [device]))
        #expect(stops.values.count == oracle.stops.count)
        for row in stops.values {
            let stop = oracle.stops[row[0] ?? ""]
            #expect(
                Array(row.dropFirst()) == [
                    (stop?.end?.milliseconds).map { "\($0)" }, (stop?.place.latitudeE7).map { "\($0)" },
                    (stop?.place.longitudeE7).map { "\($0)" },
                ])
        }
    }

    /// The log of a fleet, read in pages.
    private struct Log {
        var events: [String: [String]] = [:]

        private struct Body: Decodable {
            var device: String
        }

        mutating func read(_ partition: Int, from database: FleetDatabase) throws {
            var last: Int64 = 0
            while case let page = try database.events(of: partition, after: last), !page.isEmpty {
                for event in page {
                    // Numbers have no gaps.
                    #expect(event.seq == last + 1)
                    last = event.seq
                    let device = try JSONDecoder().decode(Body.self, from: Data(event.body.utf8)).device
                    events[device, default: []].append(event.body)
                }
            }
        }
    }
}
#endif
