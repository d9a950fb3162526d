import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite struct RetentionTests {
    private let store: LocationDatabase

    init() throws { store = try LocationDatabase.temporary() }

    private func log(_ times: [Double]) throws {
        var pending = PendingCommit()
        pending.events = times.map { .plain("trip.end", at: $0) }
        _ = try store.commit(pending)
    }

    /// Stores a trip with one point a second.
    private func record(_ device: String, from start: Double, points: Int, isOpen: Bool = false) throws -> String {
        var trip = TripSummary(device: device, start: time(start))
        var pending = PendingCommit()
        pending.changes[device] = [.tripBegan(trip)]
        for point in 0..<points {
            pending.changes[device]?.append(.point(fix(start + Double(point), Int32(point)), gap: point % 10 == 0))
        }
        if !isOpen {
            trip.end = time(start + Double(points - 1))
            trip.fixes = points
            pending.changes[device]?.append(.tripEnded(trip))
        }
        _ = try store.commit(pending)
        return trip.id
    }

    private func kept() throws -> [Int64] { try store.events(after: 0, limit: .max).compactMap(\.seq) }
    private func points(_ trip: String) throws -> Int { try store.trace(ofTrip: trip, limit: .max).count }

    @Test func nothingIsPrunedUnlessRequested() async throws {
        try log([0, 1])
        let trip = try record("van", from: 0, points: 5)
        let commits = store.commits
        #expect(try await store.prune(eventsBefore: nil, tracesBefore: nil) == Pruned())
        #expect(try await store.prune(eventsBefore: time(0), tracesBefore: time(4)) == Pruned())
        #expect(try kept() == [1, 2])
        #expect(try points(trip) == 5)
        // No commit is made either.
        #expect(store.commits == commits)
    }

    @Test(arguments: [1, 3, 7, 1000]) func oldEventsArePrunedFromTheStartInBatches(_ limit: Int) async throws {
        // Event 5 is reported later than it happened.
        try log([0, 1, 2, 3, 2.5, 4, 5, 20, 6, 7])
        let commits = store.commits
        var pruned = try await store.prune(eventsBefore: time(5), tracesBefore: nil, limit: limit)
        #expect(pruned == Pruned(events: 6))
        #expect(try kept() == [7, 8, 9, 10])
        #expect(store.commits - commits == (6 + limit - 1) / limit)
        #expect(try store.logExtent().first == 7)
        // Event 8 is not old, so the events after it stay as well.
        pruned = try await store.prune(eventsBefore: time(10), tracesBefore: nil, limit: limit)
        #expect(pruned.events == 1)
        #expect(try kept() == [8, 9, 10])
    }

    @Test func eventNumbersAreNeverReused() async throws {
        try log([0, 1, 2])
        let name = try store.logExtent().name
        #expect(try await store.prune(eventsBefore: time(100), tracesBefore: nil).events == 3)
        #expect(try store.logExtent() == EventLog.Extent(name: name, first: nil, last: 3))
        try log([3])
        #expect(try store.logExtent() == EventLog.Extent(name: name, first: 4, last: 4))
    }

    @Test(arguments: [1, 7, 1000]) func tracesOfTripsThatEndedLongAgoArePruned(_ limit: Int) async throws {
        let old = try record("van", from: 0, points: 25)
        let other = try record("bike", from: 3, points: 14)
        let recent = try record("van", from: 100, points: 25)
        let open = try record("bike", from: 50, points: 5, isOpen: true)
        let before = try store.trips()
        let pruned = try await store.prune(eventsBefore: nil, tracesBefore: time(124), limit: limit)
        #expect(pruned == Pruned(points: 39))
        #expect(try [old, other, recent, open].map(points) == [0, 0, 25, 5])
        #expect(try store.trips() == before)
        let gaps = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trace_gap") }
        #expect(gaps == 3 + 1)
        #expect(try await store.prune(eventsBefore: nil, tracesBefore: time(124), limit: limit) == Pruned())
    }

    @Test func importedTracesAreKeptFromTheTimeOfImport() async throws {
        func load(_ start: Double, at now: Double) throws -> String {
            var trip = TripSummary(device: "van", start: time(start))
            trip.end = time(start + 9)
            let past = PastTrip(trip, points: (0..<10).map { fix(start + Double($0)) })
            let outcome = try store.write {
                try Travels.add(past, policy: TrackingPolicy(), now: time(now), to: $0)
            }
            #expect(outcome == .added)
            return trip.id
        }
        let (early, late) = (try load(0, at: 5000), try load(100, at: 6000))
        let recorded = try record("van", from: 200, points: 10)
        // The imported trip also shows the points of a recorded one.
        let older = try record("van", from: 50, points: 10)
        _ = try await store.write { try TripEditing.merge(early, with: older, now: time(5000), in: $0) }
        #expect(try points(early) == 20)

        #expect(try await store.prune(eventsBefore: nil, tracesBefore: time(5000)).points == 10)
        #expect(try [early, late, recorded].map(points) == [20, 10, 0])
        #expect(try await store.prune(eventsBefore: nil, tracesBefore: time(5001)).points == 20)
        #expect(try [early, late].map(points) == [0, 10])
        #expect(try await store.prune(eventsBefore: nil, tracesBefore: time(6001)).points == 10)
    }

    @Test func tracesOfRemovedTripsAreAlwaysPruned() async throws {
        let trips = [try record("van", from: 0, points: 25), try record("van", from: 100, points: 25)]
        for trip in trips { #expect(try await store.write { try Travels.retire(trip: trip, in: $0) }) }
        let rows = { try self.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trace") } }
        #expect(try rows() == 50)
        _ = try await store.prune(eventsBefore: nil, tracesBefore: nil, limit: 7)
        #expect(try rows() == 0)
        #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trip") } == 0)
    }

    @Test func otherWritersRunBetweenTheBatches() async throws {
        try log((0..<50).map(Double.init))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await store.prune(eventsBefore: time(100), tracesBefore: nil, limit: 1) }
            group.addTask {
                for number in 0..<20 {
                    var pending = PendingCommit()
                    pending.events = [.plain("trip.end", at: 1000 + Double(number))]
                    _ = try await store.commit(pending)
                }
            }
            try await group.waitForAll()
        }
        #expect(try kept() == Array(51...70))
    }

    @Test func cancellingStopsPruning() async throws {
        try log([0, 1, 2])
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate {}
            return try await store.prune(eventsBefore: time(100), tracesBefore: nil, limit: 1)
        }
        task.cancel()
        opener.finish()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try kept() == [1, 2, 3])
    }
}
