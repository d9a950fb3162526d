import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// What only live devices do: time passes without a fix, and timelines start over.
@Suite struct LiveTrackerTests {
    private let geofence: Geofence
    private let index: GeofenceIndex

    init() {
        geofence = Geofence(
            identity: .init(kind: .sight, id: "home"), title: "Home", center: Journey().origin, radius: .meters(80))
        index = GeofenceIndex([(geofence, 1)])
    }

    /// A drive after a rest, a long silence, and another drive.
    private var fixes: [Fix] {
        var journey = Journey()
        journey.rest(for: 200)
        journey.move(east: 10, north: 0, for: 300)
        journey.silence(for: 2_000)
        journey.move(east: 0, north: 10, for: 300)
        return journey.fixes
    }

    /// Elapsed time may be reported at any moment and any number of times; the output has the same bytes.
    @Test(arguments: UInt64(1)...5)
    func elapsingEarlyGivesTheSameEvents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let expected = Tracker.output(of: fixes, in: index)
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for fix in fixes {
            if let last = tracker.position?.time, let next = fix.time {
                for _ in 0..<2 {
                    let passed = Int64.random(in: 0..<next.milliseconds(since: last), using: &random)
                    tracker.elapse(until: last.advanced(byMilliseconds: passed), into: &output)
                }
            }
            tracker.ingest(fix, in: index, into: &output)
        }
        tracker.finish(into: &output)
        #expect(output.lines == expected.lines)
        #expect(output.changes == expected.changes)
        #expect(output.types.filter { $0 == "trip.end" }.count == 2)
    }

    @Test func theEndOfATripIsEmittedWithoutAFurtherFix() throws {
        var journey = Journey()
        journey.rest(for: 60)
        journey.move(east: 10, north: 0, for: 300)
        let last = try #require(journey.fixes.last?.time)
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for fix in journey.fixes { tracker.ingest(fix, in: index, into: &output) }
        #expect(try #require(tracker.openTrip).distance > .kilometers(2.9))
        tracker.elapse(until: last.advanced(byMilliseconds: 899_999), into: &output)
        #expect(!output.types.contains("trip.end"))
        tracker.elapse(until: last.advanced(byMilliseconds: 900_000), into: &output)
        #expect(output.types.last == "trip.end")
        #expect(tracker.openTrip == nil)
    }

    /// The same journey after a restart of the timeline gives the same events with other ids.
    @Test func aRestartedTimelineEmitsTheSameEventsWithNewIds() throws {
        var tracker = Tracker(device: "van")
        var first = Tracker.Output()
        for fix in fixes { tracker.ingest(fix, in: index, into: &first) }
        tracker.restart(into: &first)
        #expect(tracker.position == nil)
        var second = Tracker.Output()
        let saved = try JSONDecoder().decode(
            Tracker.Saved.self, from: JSONEncoder().encode(tracker.saved(in: index)))
        var index = index
        tracker = Tracker(device: "van", saved: saved, in: &index)
        for fix in fixes { tracker.ingest(fix, in: index, into: &second) }
        tracker.restart(into: &second)
        #expect(first.types == second.types)
        #expect(first.lines.count > 5)
        let renamed = first.lines.map { line in
            line.replacing(/"id":"van@([^"]*)"/) { "\"id\":\"van@\($0.1)~1\"" }
        }
        #expect(renamed == second.lines)
        #expect(Set(first.lines).isDisjoint(with: second.lines) == false)
    }

    @Test func newSettingsApplyFromTheNextFix() {
        let journey = Journey()
        var policy = TrackingPolicy()
        policy.gate.isOff = true
        policy.exitMargin = .meters(20)
        var tracker = Tracker(device: "van", policy: policy)
        var output = Tracker.Output()
        tracker.ingest(Fix(time: Journey.at(0), coordinate: journey.origin), in: index, into: &output)
        tracker.ingest(
            Fix(time: Journey.at(30), coordinate: journey.place(east: 85, north: 0)), in: index, into: &output)
        #expect(output.types == ["geofence.enter"])
        policy.exitMargin = .meters(2)
        tracker.adopt(policy)
        tracker.ingest(
            Fix(time: Journey.at(31), coordinate: journey.place(east: 85, north: 0)), in: index, into: &output)
        #expect(output.types == ["geofence.enter", "geofence.exit"])
    }

    @Test func fixesRejectedElsewhereAreCounted() {
        var tracker = Tracker(device: "van")
        tracker.reject(reason: "future")
        #expect(tracker.statistics.read == 1)
        #expect(tracker.statistics.rejected["future"] == 1)
        #expect(tracker.statistics.accepted == 0)
    }
}
