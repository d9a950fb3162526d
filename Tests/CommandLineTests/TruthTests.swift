import Foundation
import TestSupport
import Testing
import Time

/// The reported events against the true course of each recorded journey.
@Suite(.slow) struct TruthTests {
    /// The largest permitted differences between a recording's events and the truth.
    struct Bound: Sendable, CustomTestStringConvertible {
        var recording: String
        /// Of the trip's distance, in percent.
        var distance: Double
        /// Of the start and end of trips and stops, in seconds.
        var time: Double
        var options: [String] = []

        var testDescription: String { recording }
    }

    /// A stop begins and ends when the device is 60 m from its middle, which takes long at walking speed.
    static let bounds = [
        Bound(recording: "city-drive.nmea", distance: 1, time: 10),
        Bound(recording: "city-drive.gpx", distance: 1, time: 10),
        // Errors of up to 10 m between tall buildings lengthen steps of 2.6 m between fixes.
        Bound(recording: "canal-walk.gpx", distance: 12, time: 25),
        Bound(recording: "harbour-boat.nmea", distance: 1, time: 30),
        Bound(recording: "antimeridian-sail.gpx", distance: 1, time: 10),
        Bound(recording: "dateless.nmea", distance: 1, time: 10),
        Bound(recording: "pass-by.gpx", distance: 1, time: 10),
        // The circle around the pole is narrower than the default stop radius and would be a stop.
        Bound(recording: "polar-walk.gpx", distance: 5, time: 40, options: ["--stop-radius", "30"]),
    ]

    private func replay(
        _ recording: String, _ options: [String] = []
    ) async throws -> (
        events: [EventLine], summary: Summary
    ) {
        let all = try Fixture.options(of: Fixture.name(of: recording)) + options + ["--json", "--summary"]
        let replay = try await Command.run(["replay", "fixtures/\(recording)"] + all)
        let summary = try JSONDecoder().decode(Summary.self, from: Data(try #require(replay.lines.last).utf8))
        return (try replay.decoded(as: EventLine.self).dropLast(), summary)
    }

    @Test(arguments: bounds) func tripAndStopsMatchTheTruth(_ bound: Bound) async throws {
        let truth = try Truth(of: Fixture.name(of: bound.recording))
        let (events, summary) = try await replay(bound.recording, bound.options)
        #expect(summary.read == truth.fixes)
        #expect(events.filter { $0.type == "trip.start" }.count == 1)
        let trips = events.filter { $0.type == "trip.end" }.compactMap(\.trip)
        let trip = try #require(trips.first)
        #expect(trips.count == 1)
        #expect(abs(summary.distance - truth.distance) <= truth.distance * bound.distance / 100)
        #expect(trip.distance == summary.distance)
        #expect(abs(trip.start.seconds(since: try #require(truth.start))) <= bound.time)
        #expect(abs(try #require(trip.end).seconds(since: try #require(truth.end))) <= bound.time)

        let stops = events.filter { $0.type == "stop.end" }.compactMap(\.stop)
        #expect(stops.count == truth.stops.count)
        for (stop, really) in zip(stops, truth.stops) {
            #expect(abs(stop.start.seconds(since: really.start)) <= bound.time)
            #expect(abs(try #require(stop.end).seconds(since: try #require(really.end))) <= bound.time)
            // About 25 metres.
            #expect(abs(stop.lat - really.lat) < 0.000_23)
            #expect(abs(stop.lon - really.lon) < 0.000_37)
        }
    }

    @Test func aParkedCarHasOneLongStopAndNoTrip() async throws {
        let truth = try #require(try Truth(of: "parked-night").stops.first)
        let (events, summary) = try await replay("parked-night.nmea")
        #expect(events.map(\.type) == ["stop.start", "stop.end"])
        let stop = try #require(events.last?.stop)
        #expect(stop.start == truth.start)
        #expect(stop.end == truth.end)
        #expect(abs(stop.lat - truth.lat) < 0.000_09)
        #expect(abs(stop.lon - truth.lon) < 0.000_15)
        #expect(summary.distance == 0)
        #expect(summary.trips == 0)
    }

    @Test func aParkedCarStaysParkedWithoutTheGate() async throws {
        let (events, summary) = try await replay("parked-night.nmea", ["--gate", "off"])
        #expect(events.map(\.type) == ["stop.start", "stop.end"])
        #expect(summary.distance == 0)
    }

    @Test func theGateRejectsTheWildJumpOfTheDrive() async throws {
        let (_, gated) = try await replay("city-drive.nmea")
        #expect(gated.rejected == ["speed": 1])
        let (_, trusting) = try await replay("city-drive.nmea", ["--gate", "off"])
        #expect(trusting.rejected.isEmpty)
        // The jump goes there and back, 3,002 m each way, which no trip counts.
        #expect(abs(trusting.distance - gated.distance) < 50)
    }

    @Test func aTunnelDoesNotInterruptTheStayInAGeofence() async throws {
        let (events, _) = try await replay("city-drive.nmea")
        let nemo = events.filter { $0.geofence?.id == "nemo" }
        #expect(nemo.map(\.type) == ["geofence.enter", "geofence.exit"])
        #expect(nemo.first?.time?.description == "2026-05-01T10:25:25.000Z")
        #expect(nemo.last?.time?.description == "2026-05-01T10:26:54.000Z")
    }

    @Test func sightsBesideTheRouteAreCrossedOrEntered() async throws {
        let (events, _) = try await replay("pass-by.gpx")
        let told = events.compactMap { event in event.geofence.map { "\(event.type.dropFirst(9)) \($0.id)" } }
        #expect(
            told == [
                "cross between-fixes", "cross grazed-between-fixes", "enter at-a-fix", "exit at-a-fix", "enter wide",
                "exit wide", "enter at-the-end",
            ])
    }
}
