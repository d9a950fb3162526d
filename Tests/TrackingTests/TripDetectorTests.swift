import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@Suite struct TripDetectorTests {
    @Test func aDriveBetweenTwoRestsIsOneTrip() throws {
        var journey = Journey()
        journey.rest(for: 400)
        journey.move(east: 10, north: 0, for: 600)
        journey.rest(for: 1200)
        let output = Tracker.output(of: journey.fixes)
        #expect(output.types == ["stop.start", "trip.start", "stop.end", "stop.start", "trip.end", "stop.end"])
        let trip = try #require(output.trips.first)
        #expect(abs(trip.start.seconds(since: Journey.at(400))) <= 3)
        #expect(try abs(#require(trip.end).seconds(since: Journey.at(1000))) <= 3)
        #expect(abs(trip.distance.meters - 6000) < 60)
        #expect(trip.maximumSpeed.map { abs($0.metersPerSecond - 10) < 0.1 } == true)
        #expect(trip.stops == 0)
    }

    @Test func aPauseIsAStopWithinTheTrip() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 300)
        journey.move(east: 0, north: 10, for: 300)
        let output = Tracker.output(of: journey.fixes)
        #expect(output.types == ["trip.start", "stop.start", "stop.end", "trip.end"])
        let trip = try #require(output.trips.first)
        #expect(trip.stops == 1)
        #expect(abs(trip.stopped - 300) <= 6)
        #expect(abs(trip.moving - 600) <= 6)
        let stop = try #require(output.stops.first)
        #expect(abs(stop.start.seconds(since: Journey.at(300))) <= 3)
        #expect(UnitVector(stop.place).distance(to: UnitVector(journey.place(east: 3000, north: 0))) < .meters(3))
    }

    @Test func aRedLightIsNotAStop() {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 100)
        journey.move(east: 10, north: 0, for: 300)
        #expect(Tracker.output(of: journey.fixes).types == ["trip.start", "trip.end"])
    }

    @Test func aSilenceEndsTheTripAtTheLastFixAndIsDecidedAtTheDeadline() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.silence(for: 5000, east: 20_000)
        journey.move(east: 10, north: 0, for: 300)
        let output = Tracker.output(of: journey.fixes)
        #expect(output.types == ["trip.start", "trip.end", "trip.start", "trip.end"])
        let end = output.events[1]
        #expect(end.time == Journey.at(300))
        #expect(end.decided == Journey.at(300 + 900))
        #expect(output.trips.allSatisfy { $0.distance < .meters(3001) })
    }

    /// If the receiver is switched off soon after the arrival, the trip ends at the arrival and not at the last fix.
    @Test func silenceAfterAShortRestEndsTheTripAtTheArrival() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 100)
        journey.silence(for: 5000, east: 20_000)
        journey.move(east: 10, north: 0, for: 300)
        let output = Tracker.output(of: journey.fixes)
        let trip = try #require(output.trips.first)
        let end = try #require(trip.end)
        #expect(abs(end.seconds(since: Journey.at(300))) <= 3)
        #expect(output.events[1].decided == Journey.at(400 + 900))
        #expect(trip.fixes == output.trace.count { ($0.fix.time ?? end) <= end })
        #expect(output.trace.count == output.trips.reduce(0) { $0 + $1.fixes })
    }

    /// Moving, stopped and silent time add up to the trip's duration, also if a gap follows a stop.
    @Test(arguments: [0.0, 190])
    func gapsDoNotCountAsMoving(rest: Double) throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: rest)
        journey.silence(for: 700, east: 6000)
        journey.move(east: 10, north: 0, for: 300)
        let trip = try #require(Tracker.output(of: journey.fixes).trips.first)
        let duration = try #require(trip.end).seconds(since: trip.start)
        let silent = try #require(trip.silent)
        #expect(abs(duration - 1300 - rest + 1) < 1e-6)
        #expect(abs(silent - 701) <= 1)
        #expect(abs(trip.stopped - rest) <= 6)
        #expect(abs(trip.moving + trip.stopped + silent - duration) < 1e-6)
    }

    @Test func aSilenceAtTheSamePlaceIsAStop() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 30)
        journey.silence(for: 8 * 3600)
        journey.rest(for: 10)
        journey.move(east: 10, north: 0, for: 300)
        let output = Tracker.output(of: journey.fixes)
        #expect(
            output.types == ["trip.start", "trip.end", "stop.start", "trip.start", "stop.end", "trip.end"])
        let stop = try #require(output.stops.first)
        #expect(abs(stop.start.seconds(since: Journey.at(300))) <= 3)
        #expect(try #require(stop.end).seconds(since: stop.start) > 8 * 3600)
    }

    @Test func sparseFixesAtRestMakeAStopFromTheArrivalOn() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        for _ in 0..<3 {
            journey.silence(for: 1000)
            journey.report()
        }
        let output = Tracker.output(of: journey.fixes)
        #expect(output.types == ["trip.start", "trip.end", "stop.start", "stop.end"])
        let stop = try #require(output.stops.first)
        #expect(abs(stop.start.seconds(since: Journey.at(300))) <= 3)
        #expect(stop.end == Journey.at(3300))
    }

    @Test func aTripEndedByARestIsDecidedAtItsDeadline() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 2000)
        let output = Tracker.output(of: journey.fixes)
        let end = try #require(output.events.first { $0.type == "trip.end" })
        #expect(end.decided == end.time.advanced(byMilliseconds: 900_000))
    }

    @Test func theTripsNumbersMatchItsTrace() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20 {
            let output = Tracker.output(of: Self.wander(&random))
            let trace = output.trace
            #expect(output.trips.reduce(0) { $0 + $1.fixes } == trace.count)
            let times = trace.compactMap(\.fix.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            for trip in output.trips {
                let end = try #require(trip.end)
                let own = trace.filter { point in point.fix.time.map { $0 >= trip.start && $0 <= end } ?? false }
                let expected = Self.lengths(of: own)
                #expect(abs(trip.distance.meters - expected.distance) < 1e-6 * max(1, expected.distance))
                #expect(abs(trip.gaps.meters - expected.gaps) < 1e-6 * max(1, expected.gaps))
                #expect(abs(trip.bridged.meters - expected.bridged) < 1e-6 * max(1, expected.bridged))
                let latitudes = own.map(\.fix.coordinate.latitudeE7)
                #expect(trip.bounds?.southE7 == latitudes.min() && trip.bounds?.northE7 == latitudes.max())
            }
        }
    }

    /// Returns the lengths of a trace by definition: segments between gaps, each from corner to corner.
    private static func lengths(
        of trace: [(fix: Fix, gap: Bool)]
    ) -> (distance: Double, gaps: Double, bridged: Double) {
        let way = { (a: Fix, b: Fix) in Ellipsoid.distance(from: a.coordinate, to: b.coordinate).meters }
        var result = (distance: 0.0, gaps: 0.0, bridged: 0.0)
        var segments: [[Fix]] = []
        for point in trace {
            if point.gap || segments.isEmpty { segments.append([]) }
            segments[segments.count - 1].append(point.fix)
        }
        for (before, after) in zip(segments, segments.dropFirst()) {
            if let last = before.last, let first = after.first { result.gaps += way(last, first) }
        }
        for segment in segments {
            var corners = Array(segment.prefix(1))
            for fix in segment { if let corner = corners.last, way(corner, fix) >= 5 { corners.append(fix) } }
            if let last = segment.last { corners.append(last) }
            for (a, b) in zip(corners, corners.dropFirst()) { result.distance += way(a, b) }
            for (a, b) in zip(segment, segment.dropFirst()) {
                if let start = a.time, let end = b.time, end.seconds(since: start) > 60 { result.bridged += way(a, b) }
            }
        }
        return result
    }

    @Test func startsAndEndsAlternate() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<20 {
            let types = Tracker.output(of: Self.wander(&random)).types
            for (start, end) in [("trip.start", "trip.end"), ("stop.start", "stop.end")] {
                let own = types.filter { $0 == start || $0 == end }
                #expect(own.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0 ? start : end) })
                #expect(own.count % 2 == 0)
            }
        }
    }

    /// Returns a journey of random legs, rests and silences.
    static func wander(_ random: inout SeededGenerator) -> [Fix] {
        var journey = Journey()
        for _ in 0..<12 {
            let every: Double = [1.0, 1.0, 5.0, 30.0].randomElement(using: &random) ?? 1.0
            switch Int.random(in: 0..<5, using: &random) {
            case 0: journey.rest(for: .random(in: 10...1500, using: &random), every: every)
            case 1:
                journey.silence(
                    for: .random(in: 10...2000, using: &random), east: .random(in: -3000...3000, using: &random))
            default:
                journey.move(
                    east: .random(in: -20...20, using: &random), north: .random(in: -20...20, using: &random),
                    for: .random(in: 10...600, using: &random), every: every)
            }
        }
        return journey.fixes
    }
}
