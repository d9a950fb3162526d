#if Fleet
import FleetStore
import Foundation
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Worker

/// The trackers of a partition without servers: any division, loss of memory and repetition gives what one tracker
/// says.
@Suite struct PartitionTrackerTests {
    @Test(arguments: 0..<6) func eventsAreThoseOfOneTracker(round: Int) throws {
        var random = SeededGenerator(seed: TestTier.seed &+ UInt64(round))
        let index = GeofenceIndex(RandomJourney.geofences(20, using: &random).map { ($0, 1) })
        let journeys = (0..<5).map { RandomJourney(device: "device \($0)", count: 300, using: &random) }
        var store = MemoryStore(index: index)
        var rest = journeys.map { $0.fixes[...] }
        var number: UInt64 = 0
        var earlier: [FixBatch] = []
        while rest.contains(where: { !$0.isEmpty }) {
            var batches: [FixBatch] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let which = Int.random(in: 0..<rest.count, using: &random)
                let some = rest[which].prefix(Int.random(in: 1...25, using: &random))
                guard !some.isEmpty else { continue }
                rest[which] = rest[which].dropFirst(some.count)
                number += 1
                batches.append(
                    FixBatch(
                        publisher: "a", number: number,
                        parts: [
                            FixBatch.Part(
                                device: journeys[which].device, fixes: Array(some), ends: rest[which].isEmpty)
                        ]))
            }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                // The worker dies before its commit; another begins with the states, and gets the messages.
                store.forget()
            case 1:
                // It dies between commit and acknowledgement: messages come again.
                batches = earlier.suffix(3) + batches
            default: break
            }
            try store.apply(batches)
            earlier += batches
        }
        for journey in journeys {
            let oracle = journey.oracle(in: index)
            #expect(oracle.trips.count > 0 && oracle.events.count > 4)
            let events = store.events.filter { $0.device == journey.device }
            #expect(events.map { String(decoding: $0.json(), as: UTF8.self) } == oracle.events)
            for (id, trip) in oracle.trips {
                #expect(store.trips[id] == trip)
                #expect(store.points[id] == oracle.points[id])
            }
        }
        #expect(store.refusals == 0)
    }

    /// A database in memory, with only what the test compares.
    private struct MemoryStore {
        var tracker: PartitionTracker
        let index: GeofenceIndex
        var publishers: [String: AppliedMessages] = [:]
        var states: [String: Data] = [:]
        var events: [Event] = []
        var trips: [String: TripSummary] = [:]
        var points: [String: [Int64]] = [:]
        var refusals = 0

        init(index: GeofenceIndex) {
            self.index = index
            tracker = PartitionTracker(index: index, policy: TrackingPolicy())
        }

        mutating func forget() { tracker = PartitionTracker(index: index, policy: TrackingPolicy()) }

        mutating func apply(_ batches: [FixBatch]) throws {
            var saved: [String: Tracker.Saved] = [:]
            for device in tracker.unknownDevices(in: batches) {
                saved[device] = try states[device].map { try JSONDecoder().decode(Tracker.Saved.self, from: $0) }
            }
            let change = tracker.change(
                by: batches.map { ($0, $0.bytes) }, from: saved, publishers: publishers)
            publishers.merge(change.commit.publishers) { $1 }
            for (device, state) in change.commit.devices { states[device] = try JSONEncoder().encode(state.saved) }
            events += change.commit.events
            refusals += change.commit.refusals.count
            for write in change.commit.travels {
                switch write {
                case .tripBegan(let trip): points[trip.id] = []
                case .points(let packed, let trip):
                    let times = try #require(PackedTrace.points(in: packed.bytes)).compactMap(
                        \.fix.time?.milliseconds)
                    points[trip, default: []] += times
                case .truncated(let trip, let after): points[trip]?.removeAll { $0 > after.milliseconds }
                case .tripEnded(let trip): trips[trip.id] = trip
                case .tripsJoined, .tripRemoved, .stop: break
                }
            }
            _ = tracker.adopt(change)
        }
    }
}
#endif
