#if Fleet
import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import FleetStore

/// Compares a fleet's database with what one tracker says of each device.
enum FleetCheck {
    /// Expects the events and trips of each journey once and in order.
    ///
    /// - Returns: The number of events, of those that are missing, and of those that are there too often.
    static func compare(
        _ journeys: [RandomJourney], watching geofences: [Geofence], in database: FleetDatabase
    ) throws -> (events: Int, lost: Int, doubled: Int) {
        let index = GeofenceIndex(geofences.map { ($0, 1) })
        var log = Log()
        for partition in try database.status().partitions { try log.read(partition.id, from: database) }
        var (events, lost, doubled) = (0, 0, 0)
        for journey in journeys {
            let oracle = journey.oracle(in: index)
            let found = log.events[journey.device] ?? []
            lost += excess(of: oracle.events, over: found)
            doubled += excess(of: found, over: oracle.events)
            events += oracle.events.count
            #expect(found == oracle.events, "\(journey.device)")
            try compareTrips(of: journey.device, oracle, in: database)
        }
        return (events, lost, doubled)
    }

    /// Waits until all messages of a publisher are applied; new events wake it.
    static func waitUntilApplied(
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
