import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

extension InsertedFixesTests {
    /// Returns drives with rests that are clearly long or clearly short, with a fix every 1 to 30 seconds.
    private static func drives(_ random: inout SeededGenerator) -> [Fix] {
        var journey = Journey()
        let every: Double = [1, 5, 15, 30].randomElement(using: &random) ?? 1
        for number in 0..<6 {
            let rest: ClosedRange<Double> = number % 3 == 1 ? 400...700 : number % 3 == 2 ? 30...60 : 1200...1500
            journey.rest(for: .random(in: rest, using: &random), every: every)
            let (way, turn) = (
                Double.random(in: 0..<(2 * .pi), using: &random), Double.random(in: -1...1, using: &random)
            )
            for part in 0..<4 {
                let speed = Double.random(in: 8...25, using: &random)
                let heading = way + turn * Double(part)
                journey.move(east: speed * cos(heading), north: speed * sin(heading), for: 120, every: every)
            }
        }
        journey.rest(for: 1500, every: every)
        return Receiver(deviation: 2, tells: Bool.random(using: &random), seed: random.next()).fixes(of: journey)
    }

    /// Returns for each fix whether geofences do not follow the device there, or start or stop to, on either leg beside
    /// it.
    private static func standing(_ fixes: [Fix], _ output: Tracker.Output) -> [Bool] {
        var isOpen: [(since: Timestamp, until: Timestamp?)] = []
        for event in output.events {
            switch event.kind {
            case .tripStart: isOpen.append((event.decided ?? event.time, nil))
            case .stopEnd where isOpen.last?.until != nil: isOpen.append((event.time, nil))
            case .stopStart where isOpen.last?.until == nil, .tripEnd where isOpen.last?.until == nil:
                if !isOpen.isEmpty { isOpen[isOpen.count - 1].until = event.time }
            default: break
            }
        }
        let moves = fixes.map { fix in
            isOpen.contains { span in
                fix.time.map { $0 > span.since && span.until.map { [time = $0] in time < $0 } ?? true } ?? false
            }
        }
        return fixes.indices.map { number in
            (max(0, number - 1)...min(fixes.count - 1, number + 1)).contains { !moves[$0] }
        }
    }

    /// Trips and stops are the same, and begin and end on the same leg or the next one.
    ///
    /// So are the events of geofences where the device moves.
    @Test(arguments: UInt64(1)...6)
    func insertedFixesGiveTheSameTripsAndStops(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let filler = LegFiller(Self.drives(&random), &random)
        let standing = Self.standing(filler.sparse, Tracker.output(of: filler.sparse))
        let way = zip(filler.sparse, standing).compactMap { $1 ? nil : $0 }
        let places = zip(filler.sparse, standing).compactMap { $1 ? UnitVector($0.coordinate) : nil }
        let geofences = Self.geofences(along: way, &random)
        let index = GeofenceIndex(geofences.map { ($0, 1) })
        let (sparse, dense) = (
            Tracker.output(of: filler.sparse, in: index), Tracker.output(of: filler.dense, in: index)
        )
        #expect(sparse.trips.count == 2)
        #expect(dense.trips.count == sparse.trips.count)
        #expect(dense.stops.count == sparse.stops.count)
        for (before, after) in zip(sparse.trips, dense.trips) {
            #expect(abs(filler.leg(of: after.start) - filler.leg(of: before.start)) <= 1)
            #expect(try abs(filler.leg(of: #require(after.end)) - filler.leg(of: #require(before.end))) <= 1)
            #expect(after.stops == before.stops)
            #expect(abs(after.distance.meters - before.distance.meters) < 0.003 * before.distance.meters)
        }
        for (before, after) in zip(sparse.stops, dense.stops) {
            #expect(abs(filler.leg(of: after.start) - filler.leg(of: before.start)) <= 1)
            #expect(try abs(filler.leg(of: #require(after.end)) - filler.leg(of: #require(before.end))) <= 1)
            #expect(UnitVector(before.place).distance(to: UnitVector(after.place)) < .meters(2))
        }
        let moving = geofences.filter { geofence in
            let (center, reach) = (UnitVector(geofence.center), geofence.radius + .meters(100))
            return Self.isClear(geofence, filler.sparse, TrackingPolicy())
                && !places.contains { center.distance(to: $0) < reach }
        }
        var happened = 0
        for geofence in moving {
            let id = geofence.identity.id
            let before = sparse.events.filter { Self.id(of: $0.kind) == id }
            let after = dense.events.filter { Self.id(of: $0.kind) == id }
            #expect(Self.happenings(after, filler) == Self.happenings(before, filler), "\(id)")
            happened += before.count
        }
        #expect(happened > 0)
    }
}
