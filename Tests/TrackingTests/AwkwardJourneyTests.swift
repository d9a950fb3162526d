import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Properties that hold for every journey, however awkward.
@Suite(.slow) struct AwkwardJourneyTests {
    /// Saving and restoring between any two fixes, and time that passes in between, change no byte.
    @Test(arguments: UInt64(1)...8)
    func aRestartAtAnyFixGivesTheSameBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixes = AwkwardJourney(seed: seed).fixes
        let geofences = Self.geofences(&random)
        let straight = Tracker.output(of: fixes, in: GeofenceIndex(geofences))
        var index = GeofenceIndex(geofences)
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        var next = 0
        for (number, fix) in fixes.enumerated() {
            if number == next {
                next += .random(in: 1...40, using: &random)
                let bytes = try JSONEncoder().encode(tracker.saved(in: index))
                index = GeofenceIndex(geofences)
                let saved = try JSONDecoder().decode(Tracker.Saved.self, from: bytes)
                tracker = Tracker(device: "van", saved: saved, in: &index)
            }
            if let last = tracker.position?.time, let now = fix.time, now > last {
                let passed = Int64.random(in: 0..<now.milliseconds(since: last), using: &random)
                tracker.elapse(until: last.advanced(byMilliseconds: passed), into: &output)
            }
            tracker.ingest(fix, in: index, into: &output)
        }
        tracker.finish(into: &output)
        #expect(output.lines == straight.lines)
        #expect(output.changes == straight.changes)
        #expect(straight.lines.count > 3)
    }

    @Test(arguments: UInt64(1)...60, [true, false])
    func tripsAndStopsAreConsistent(seed: UInt64, gate: Bool) throws {
        var policy = TrackingPolicy()
        policy.gate.isOff = !gate
        let output = Tracker.output(of: AwkwardJourney(seed: seed).fixes, policy: policy)
        var ended: Timestamp?
        for trip in output.trips {
            let end = try #require(trip.end)
            #expect(end > trip.start)
            if let ended { #expect(trip.start >= ended) }
            ended = end
            #expect(trip.stopped >= 0 && trip.stopped <= end.seconds(since: trip.start))
            let own = output.stops.filter { $0.start >= trip.start && $0.end.map { $0 <= end } == true }
            #expect(trip.stops <= own.count)
            #expect(trip.fixes > 1)
            #expect(trip.distance.meters.isFinite && trip.bridged <= trip.distance)
        }
        ended = nil
        for stop in output.stops {
            let end = try #require(stop.end)
            #expect(end.seconds(since: stop.start) >= 0)
            if let ended { #expect(stop.start >= ended) }
            ended = end
        }
    }

    /// The stored changes of each trip, applied as a store does, give a trace that begins and ends with the trip.
    @Test(arguments: UInt64(1)...60)
    func theTraceMatchesItsTrip(seed: UInt64) throws {
        let output = Tracker.output(of: AwkwardJourney(seed: seed).fixes)
        var rows: [Timestamp]?
        for change in output.changes {
            switch change {
            case .tripBegan:
                #expect(rows == nil)
                rows = []
            case .point(let fix, _):
                let time = try #require(fix.time)
                #expect(try #require(rows).last.map { $0 < time } ?? true)
                rows?.append(time)
            case .truncated(let time):
                #expect(rows?.contains(time) == true)
                rows?.removeAll { $0 > time }
            case .tripEnded(let trip):
                let trace = try #require(rows)
                #expect(trace.first == trip.start && trace.last == trip.end)
                #expect(trace.count == trip.fixes)
                rows = nil
            case .stopBegan, .stopEnded, .tripsJoined: break
            }
        }
        #expect(rows == nil)
    }

    @Test(arguments: UInt64(1)...60)
    func eventsComeInTheOrderOfTheirDecisions(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let output = Tracker.output(of: AwkwardJourney(seed: seed).fixes, in: GeofenceIndex(Self.geofences(&random)))
        let decided = output.events.compactMap { event -> Timestamp? in
            if case .cross = event.kind { nil } else { event.decided ?? event.time }
        }
        #expect(zip(decided, decided.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(output.events.allSatisfy { $0.decided ?? $0.time >= $0.time })
        for (start, end) in [("trip.start", "trip.end"), ("stop.start", "stop.end")] {
            let own = output.types.filter { $0 == start || $0 == end }
            #expect(own.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0 ? start : end) })
        }
    }

    /// Memory is bounded for any fixes: here each begins a segment, and they lie too far apart to be one place.
    @Test func theSavedStateOfADeviceIsBounded() throws {
        let journey = Journey()
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for number in 0..<5_000 {
            let place = journey.place(east: number % 2 == 0 ? 40 : -40, north: 0)
            tracker.ingest(
                Fix(time: Journey.at(Double(number)), coordinate: place, beginsSegment: true), in: GeofenceIndex(),
                into: &output)
        }
        let bytes = try JSONEncoder().encode(tracker.saved(in: GeofenceIndex()))
        #expect(bytes.count < 100_000)
    }

    static func geofences(_ random: inout SeededGenerator) -> [(Geofence, Int64)] {
        let journey = Journey()
        return (0..<60).map { number in
            let center = journey.place(
                east: .random(in: -5000...5000, using: &random), north: .random(in: -5000...5000, using: &random))
            let geofence = Geofence(
                identity: .init(kind: .sight, id: "s\(number)"), title: "Sight", center: center,
                radius: .meters(.random(in: 30...600, using: &random)))
            return (geofence, 1)
        }
    }
}
