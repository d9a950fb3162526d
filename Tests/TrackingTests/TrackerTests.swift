import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

@Suite struct TrackerTests {
    /// Saving and restoring between any two fixes, with a new index, changes no byte.
    @Test(arguments: UInt64(1)...5)
    func aRestartAtAnyFixGivesTheSameBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixes = TripDetectorTests.wander(&random)
        let journey = Journey()
        let geofences = (0..<40).map { number in
            Geofence(
                identity: .init(kind: .sight, id: "s\(number)"), title: "Sight",
                center: journey.place(
                    east: .random(in: -8000...8000, using: &random),
                    north: .random(in: -8000...8000, using: &random)), radius: .meters(400))
        }
        let straight = Tracker.output(of: fixes, in: GeofenceIndex(geofences.map { ($0, 1) }))
        var index = GeofenceIndex(geofences.map { ($0, 1) })
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for fix in fixes {
            if Int.random(in: 0..<5, using: &random) == 0 {
                let bytes = try JSONEncoder().encode(tracker.saved(in: index))
                index = GeofenceIndex(geofences.map { ($0, 1) })
                let saved = try JSONDecoder().decode(Tracker.Saved.self, from: bytes)
                tracker = Tracker(device: "van", saved: saved, in: &index)
            }
            tracker.ingest(fix, in: index, into: &output)
        }
        tracker.finish(into: &output)
        #expect(output.lines == straight.lines)
        #expect(output.changes == straight.changes)
        #expect(!straight.lines.isEmpty)
    }

    @Test func aGeofenceRemovedDuringARestartGivesAnExitAsRemoved() throws {
        let journey = Journey()
        let here = Geofence(
            identity: .init(kind: .sight, id: "here"), title: "Here", center: journey.origin, radius: .meters(50))
        var output = Tracker.Output()
        let before = GeofenceIndex([(here, 1)])
        var tracker = Tracker(device: "van")
        tracker.ingest(Fix(time: Journey.at(1), coordinate: journey.origin), in: before, into: &output)
        var after = GeofenceIndex()
        tracker = Tracker(device: "van", saved: tracker.saved(in: before), in: &after)
        tracker.ingest(Fix(time: Journey.at(2), coordinate: journey.origin), in: after, into: &output)
        tracker.ingest(Fix(time: Journey.at(3), coordinate: journey.origin), in: after, into: &output)
        #expect(output.types == ["geofence.enter", "geofence.exit"])
        #expect(output.lines.last?.hasSuffix("\"inside\":1,\"reason\":\"removed\"}") == true)
    }

    @Test func eventFieldsAreWrittenInTheOrderOfTheProtocol() {
        let journey = Journey()
        let geofence = Geofence(
            identity: .init(kind: .sight, id: "westerkerk"), title: "Wester\"kerk", center: journey.origin,
            radius: .meters(50))
        let event = Event(
            kind: .exit(.init(geofence: geofence, distance: .meters(61.26)), inside: 12.5, removed: false),
            time: Journey.at(3), device: "gps0", place: journey.origin)
        #expect(
            String(decoding: event.json(seq: 42), as: UTF8.self)
                == #"{"seq":42,"type":"geofence.exit","time":"2026-05-01T10:00:03.000Z","device":"gps0","lat":52.37,"lon":4.89,"#
                + #""geofence":{"kind":"sight","id":"westerkerk","title":"Wester\"kerk","distance":61.3,"radius":50},"inside":12.5}"#
        )
    }

    @Test func rejectedFixesAreCountedByReason() {
        let journey = Journey()
        var tracker = Tracker(device: "van")
        var output = Tracker.Output(wantsPositions: true)
        var vague = Fix(time: Journey.at(5), coordinate: journey.origin)
        vague.accuracy = .meters(500)
        let far = journey.place(east: 5000, north: 0)
        for fix in [
            Fix(time: nil, coordinate: journey.origin), Fix(time: Journey.at(1), coordinate: journey.origin),
            Fix(time: Journey.at(1), coordinate: journey.origin), vague,
            Fix(time: Journey.at(6), coordinate: Coordinate(latitude: 0, longitude: 0).known),
            Fix(time: Journey.at(2), coordinate: far), Fix(time: Journey.at(3), coordinate: journey.origin),
        ] { tracker.ingest(fix, in: GeofenceIndex(), into: &output) }
        #expect(output.types == ["position", "position"])
        #expect(
            tracker.statistics.rejected.sorted.map { "\($0.reason) \($0.count)" }
                == ["accuracy 1", "late 1", "no-time 1", "null-island 1", "speed 1"])
    }

    @Test func aProvenJumpIsAGap() {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.silence(for: 0, east: 50_000)
        journey.move(east: 10, north: 0, for: 300)
        let output = Tracker.output(of: journey.fixes)
        #expect(output.trace.filter(\.gap).count == 2)
        #expect(output.trips.reduce(0) { $0 + $1.distance.meters } < 6000)
        #expect(output.trips.reduce(0) { $0 + $1.distance.meters } > 5880)
    }

    @Test func aSegmentWithARejectedFirstPointIsStillSeparate() {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 100)
        let before = journey.fixes.count
        journey.silence(for: 60, east: 2000)
        journey.move(east: 10, north: 0, for: 100)
        journey.fixes[before].time = nil
        journey.fixes[before].beginsSegment = true
        let output = Tracker.output(of: journey.fixes)
        #expect(output.trace.filter(\.gap).count == 2)
        #expect(output.trips.reduce(0) { $0 + $1.distance.meters } < 2000)
    }

    @Test func sparseFixesAtRestEndTheTripInTheOrderOfDecisions() {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        for _ in 0..<4 {
            journey.silence(for: 700)
            journey.report()
        }
        let output = Tracker.output(of: journey.fixes)
        let decided = output.events.map { $0.decided ?? $0.time }
        #expect(output.types.prefix(3) == ["trip.start", "stop.start", "trip.end"])
        #expect(zip(decided, decided.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func aTripMayEndBeforeItsStopIsReported() {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 600)
        var policy = TrackingPolicy()
        policy.tripEndAfter = 60
        let output = Tracker.output(of: journey.fixes, policy: policy)
        let decided = output.events.map { $0.decided ?? $0.time }
        #expect(output.types == ["trip.start", "trip.end", "stop.start", "stop.end"])
        #expect(zip(decided, decided.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// A beacon that reports once a day travels, but no leg of its way was observed, so there is no trip.
    @Test func fixesThatAreAllSeparatedByGapsMakeNoTrip() {
        var journey = Journey()
        for _ in 0..<50 {
            journey.silence(for: 86_400, east: 3000)
            journey.report()
        }
        #expect(Tracker.output(of: journey.fixes).trips == [])
    }

    /// After the end of a recording, the next one starts at its own place and not where the last one ended.
    @Test func aRecordingAfterAnotherStartsAtItsOwnPlace() {
        var journey = Journey()
        let geofence = Geofence(
            identity: .init(kind: .sight, id: "b"), title: "B", center: journey.place(east: 9000, north: 0),
            radius: .meters(100))
        let index = GeofenceIndex([(geofence, 1)])
        journey.rest(for: 300)
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for fix in journey.fixes { tracker.ingest(fix, in: index, into: &output) }
        tracker.finish(into: &output)
        var other = Journey()
        other.silence(for: 900, east: 9000)
        other.rest(for: 10)
        for fix in other.fixes { tracker.ingest(fix, in: index, into: &output) }
        #expect(output.types == ["stop.start", "stop.end", "geofence.enter"])
    }

    /// A jump is rejected however often it comes, also after correct fixes in between.
    @Test func repeatedJumpsAreAllRejected() {
        var journey = Journey()
        journey.rest(for: 60)
        for _ in 0..<10 {
            journey.silence(for: 1, east: 240)
            journey.report()
            journey.silence(for: 1, east: -240)
            journey.report()
            journey.silence(for: 1)
        }
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for fix in journey.fixes { tracker.ingest(fix, in: GeofenceIndex(), into: &output) }
        #expect(tracker.statistics.rejected["speed"] == 10)
    }

    /// A jump that lasts is accepted in the end, but its distance does not count as driven.
    @Test func aJumpThatIsAcceptedInTheEndIsAGap() throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 100)
        journey.silence(for: 0, north: 300)
        journey.move(east: 10, north: 0, for: 100)
        let trip = try #require(Tracker.output(of: journey.fixes).trips.first)
        #expect(abs(trip.distance.meters - 1930) < 30)
        #expect(trip.gaps > .meters(290))
    }
}
