import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Everyday journeys, with receivers that report accuracy and speed and with receivers that report neither.
@Suite(.slow) struct ScenarioTests {
    /// Journeys that are one trip between two stops.
    enum Way: String, CaseIterable {
        case slowWalk, slowWalkWithFewFixes, barge, fixEachMinute, fixEachFiveMinutes, tunnel, deliveries

        /// The seconds at rest before the trip.
        var rest: Double { self == .fixEachFiveMinutes ? 1200 : 600 }

        /// The seconds between two fixes.
        var every: Double {
            switch self {
            case .slowWalkWithFewFixes: 10
            case .fixEachMinute: 60
            case .fixEachFiveMinutes: 300
            default: 1
            }
        }

        /// Moves the journey and returns the duration in seconds and the distance in metres.
        func move(_ journey: inout Journey) -> (seconds: Double, meters: Double) {
            switch self {
            case .slowWalk, .slowWalkWithFewFixes:
                journey.move(east: 0.7, north: 0, for: 900, every: every)
                return (900, 630)
            case .barge:
                journey.move(east: 1.5, north: 0, for: 3600)
                return (3600, 5400)
            case .fixEachMinute, .fixEachFiveMinutes:
                journey.move(east: 15, north: 0, for: 3600, every: every)
                return (3600, 54_000)
            case .tunnel:
                journey.move(east: 15, north: 0, for: 300)
                journey.silence(for: 120, east: 1800)
                journey.move(east: 15, north: 0, for: 300)
                return (720, 10_800)
            case .deliveries:
                for _ in 0..<15 {
                    journey.move(east: 8, north: 0, for: 25)
                    journey.rest(for: 60)
                }
                return (14 * 85 + 25, 3000)
            }
        }
    }

    /// For the slowest journey it takes a minute and a half to leave the receiver's noise.
    @Test(arguments: Way.allCases, [true, false])
    func slowAndSparseJourneysAreOneTrip(way: Way, tells: Bool) throws {
        for seed in UInt64(1)...4 {
            var journey = Journey()
            journey.rest(for: way.rest, every: way.every)
            let (seconds, meters) = way.move(&journey)
            journey.rest(for: 2400, every: way.every)
            let output = Tracker.output(of: Receiver(tells: tells, seed: seed).fixes(of: journey))
            #expect(output.types == ["stop.start", "trip.start", "stop.end", "stop.start", "trip.end", "stop.end"])
            let trip = try #require(output.trips.first)
            let (early, late) = (max(way.every, 5), max(way.every, 60))
            #expect((-early...late).contains(trip.start.seconds(since: Journey.at(way.rest))))
            #expect((-late...early).contains(try #require(trip.end).seconds(since: Journey.at(way.rest + seconds))))
            #expect((-60...0.02 * meters + 10).contains(trip.distance.meters - meters))
            #expect(trip.gaps == .zero)
        }
    }

    /// Half an hour of stop and go is one trip; its long waits may be stops.
    @Test(arguments: [true, false])
    func aTrafficJamIsOneTrip(tells: Bool) throws {
        for seed in UInt64(1)...4 {
            var random = SeededGenerator(seed: seed)
            var journey = Journey()
            journey.rest(for: 600)
            var meters = 0.0
            for _ in 0..<40 {
                journey.rest(for: Double(Int.random(in: 5...60, using: &random)))
                let (speed, seconds) = (Double.random(in: 0.5...3, using: &random), 15.0)
                journey.move(east: speed, north: 0, for: seconds)
                meters += speed * seconds
            }
            journey.rest(for: 1200)
            let trips = Tracker.output(of: Receiver(tells: tells, seed: seed).fixes(of: journey)).trips
            let trip = try #require(trips.first)
            #expect(trips.count == 1)
            #expect(abs(trip.distance.meters - meters) < 90)
        }
    }

    /// A ferry without a fix for longer than a trip's silence separates two trips, neither of which has the crossing.
    @Test(arguments: [true, false])
    func aFerrySeparatesTwoTrips(tells: Bool) throws {
        var journey = Journey()
        journey.rest(for: 300)
        journey.move(east: 15, north: 0, for: 300)
        journey.silence(for: 2400, east: 10_000)
        journey.move(east: 15, north: 0, for: 300)
        journey.rest(for: 1000)
        let trips = Tracker.output(of: Receiver(tells: tells).fixes(of: journey)).trips
        #expect(trips.count == 2)
        for (trip, begin) in zip(trips, [300.0, 3000]) {
            #expect(abs(trip.distance.meters - 4500) < 60)
            #expect(abs(trip.start.seconds(since: Journey.at(begin))) < 5)
            #expect(try abs(#require(trip.end).seconds(since: Journey.at(begin + 300))) < 5)
        }
    }

    @Test(arguments: [true, false])
    func aRecordingThatBeginsInMotionStartsATripAtItsFirstFix(tells: Bool) throws {
        var journey = Journey()
        journey.move(east: 15, north: 0, for: 300)
        journey.rest(for: 1000)
        let fixes = Receiver(tells: tells).fixes(of: journey)
        let trips = Tracker.output(of: fixes).trips
        #expect(trips.map(\.start) == fixes.prefix(1).compactMap(\.time))
        #expect(try abs(#require(trips.first).distance.meters - 4500) < 60)
    }

    /// The first fixes lie 300 m off, as in a garage, and are not part of the drive, whether it starts at once or
    /// later.
    @Test(arguments: [true, false], [0.0, 60, 300])
    func aWrongFirstPlaceIsNotPartOfTheTrip(tells: Bool, wait: Double) throws {
        var journey = Journey()
        journey.silence(for: 0, east: 300)
        journey.rest(for: 20)
        journey.silence(for: 0, east: -300)
        if wait > 0 { journey.rest(for: wait) }
        journey.move(east: 0, north: 10, for: 300)
        journey.rest(for: 1000)
        let trips = Tracker.output(of: Receiver(tells: tells).fixes(of: journey)).trips
        #expect(trips.count == 1)
        let trip = try #require(trips.first)
        #expect((-120...60).contains(trip.distance.meters - 3000))
        // A wait that is too short for a stop may belong to the trip.
        #expect(((wait < 180 ? -wait : 0) - 5...15).contains(trip.start.seconds(since: Journey.at(20 + wait))))
    }

    /// A van is moved within the yard: its stop continues at another place, and nothing was driven.
    @Test(arguments: [true, false])
    func aVanMovedAcrossTheYardMakesNoTrip(tells: Bool) throws {
        var journey = Journey()
        journey.rest(for: 3600)
        journey.move(east: 4, north: 0, for: 20)
        journey.rest(for: 3600)
        let output = Tracker.output(of: Receiver(tells: tells).fixes(of: journey))
        #expect(output.trips == [])
        let places = output.stops.map { UnitVector($0.place).distance(to: UnitVector(journey.origin)).meters }
        #expect(places.count == 2)
        #expect(try #require(places.first) < 10)
        #expect(try abs(#require(places.last) - 80) < 10)
    }

    /// A jump between tall buildings does not end a stop within a trip and does not reach geofences.
    @Test func aJumpDoesNotEndAStopWithinATrip() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 400)
        journey.silence(for: 0, north: 100)
        journey.rest(for: 30)
        journey.silence(for: 0, north: -100)
        journey.rest(for: 200)
        journey.move(east: 10, north: 0, for: 300)
        let jumped = Geofence(
            identity: .init(kind: .sight, id: "aside"), title: "Aside",
            center: journey.place(east: 3000, north: 100), radius: .meters(50))
        let output = Tracker.output(
            of: Receiver(tells: false).fixes(of: journey), in: GeofenceIndex([(jumped, 1)]))
        #expect(output.types == ["trip.start", "stop.start", "stop.end", "trip.end"])
        #expect(try abs(#require(output.trips.first).stopped - 630) < 15)
    }

    /// Without reported speeds, a walk differs from noise by how steadily it leads away.
    @Test func aSlowWalkIsRecognisedSoonWithoutReportedSpeeds() throws {
        for seed in UInt64(1)...8 {
            var journey = Journey()
            journey.rest(for: 400)
            journey.move(east: 0.7, north: 0, for: 300)
            let output = Tracker.output(of: Receiver(tells: false, seed: seed).fixes(of: journey))
            let start = try #require(output.events.first { $0.type == "trip.start" })
            #expect(try #require(start.decided).seconds(since: Journey.at(400)) < 150)
        }
    }

    /// Around a block with sides of 95 m: a trip if the receiver reports speed; otherwise it may be noise.
    @Test func aWalkAroundTheBlockIsATripIfTheReceiverReportsSpeed() throws {
        for seed in UInt64(1)...4 {
            var journey = Journey()
            journey.rest(for: 600)
            for _ in 0..<3 {
                for (east, north) in [(1.3, 0.0), (0, 1.3), (-1.3, 0), (0, -1.3)] {
                    journey.move(east: east, north: north, for: 73)
                }
            }
            journey.rest(for: 1200)
            let trips = Tracker.output(of: Receiver(tells: true, seed: seed).fixes(of: journey)).trips
            #expect(trips.count == 1)
            #expect(abs(try #require(trips.first).distance.meters - 1139) < 160)
        }
    }
}
