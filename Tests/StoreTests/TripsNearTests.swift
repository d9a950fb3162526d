import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

@Suite struct TripsNearTests {
    private let store: LocationDatabase

    init() throws { store = try LocationDatabase.temporary() }

    @Test func theTripsFoundAreThoseWithAPointWithinTheRadius() throws {
        var random = SeededGenerator(seed: 2_024)
        var trips: [PastTrip] = []
        // Around the antimeridian, beside a pole, and elsewhere.
        let middles = [(10.0, 179.99), (-89.2, 30.0), (52.3, 4.9)]
        for number in 0..<60 {
            let (latitude, longitude) = middles[number % 3]
            var trip = TripSummary(device: "gps0", start: time(Double(number) * 1000))
            var numbers = TripNumbers()
            var fixes: [Fix] = []
            for point in 0..<20 {
                let east = longitude + Double.random(in: -0.05...0.05, using: &random)
                let place = Coordinate(
                    latitude: latitude + Double.random(in: -0.05...0.05, using: &random),
                    longitude: east > 180 ? east - 360 : east)
                let fix = Fix(
                    time: time(Double(number) * 1000 + Double(point) * 10), coordinate: try #require(place),
                    beginsSegment: point == 0)
                numbers.add(fix, gap: fix.beginsSegment)
                fixes.append(fix)
            }
            trip.end = fixes.last?.time
            trip.adopt(numbers)
            trips.append(PastTrip(trip, points: fixes))
        }
        try store.write { [trips] db in
            for trip in trips { _ = try Travels.add(trip, policy: TrackingPolicy(), now: time(0), to: db) }
        }
        var counts = Set<Int>()
        for step in 0..<60 {
            let (latitude, longitude) = middles[step % 3]
            let east = longitude + Double.random(in: -0.06...0.06, using: &random)
            let place = try #require(
                Coordinate(
                    latitude: latitude + Double.random(in: -0.06...0.06, using: &random),
                    longitude: east > 180 ? east - 360 : east))
            let radius = Distance.meters(Double.random(in: 10...5000, using: &random))
            let expected = trips.reversed().compactMap { trip in
                trip.points.first { Sphere.distance(from: place, to: $0.coordinate) <= radius }
                    .map { (trip.summary.id, $0.time) }
            }
            var found: [(String, Timestamp?)] = []
            var query = TripQuery(limit: 7)
            while true {
                let search = try store.read { [query] in try TripsNear(place, within: radius, query, in: $0) }
                found += search.found.map { ($0.trip.summary.id, $0.arrival) }
                guard let next = search.next else { break }
                query.before = next
            }
            #expect(found.map(\.0) == expected.map(\.0), "step \(step)")
            #expect(found.map(\.1) == expected.map(\.1), "step \(step)")
            counts.insert(found.count)
        }
        #expect(counts.count > 5)
    }
}
