import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

@Suite struct TravelTests {
    private func commit(
        _ changes: [TravelChange], of device: String = "gps0", to store: LocationDatabase
    ) throws {
        var pending = PendingCommit()
        pending.changes[device] = changes
        _ = try store.commit(pending)
    }

    private func trip(_ start: Double, until end: Double? = nil, device: String = "gps0") -> TripSummary {
        var trip = TripSummary(device: device, start: time(start))
        guard let end else { return trip }
        trip.end = time(end)
        trip.distance = .meters(1234.5678)
        trip.stopped = 1.25
        trip.maximumSpeed = .metersPerSecond(13.37)
        trip.stops = 2
        trip.fixes = 77
        return trip
    }

    private func points(_ seconds: [Double]) -> [TravelChange] { seconds.map { .point(fix($0), gap: false) } }

    private func times(_ id: String, in store: LocationDatabase) throws -> [Timestamp?] {
        try store.trace(ofTrip: id, limit: .max).map(\.time)
    }

    @Test func anEndedTripIsReadBackUnchanged() throws {
        let store = try LocationDatabase.temporary()
        var pending = PendingCommit()
        pending.policy.dwell = 7
        pending.changes["gps0"] = [.tripBegan(trip(0)), .tripEnded(trip(0, until: 90))]
        _ = try store.commit(pending)
        let recorded = try #require(try store.trip(id: trip(0).id))
        #expect(recorded.summary == trip(0, until: 90))
        #expect(recorded.algorithm == TrackingPolicy.algorithm)
        let settings = try store.read { try String.fetchOne($0, sql: "SELECT settings FROM trip") }
        #expect(try StoredJSON.decode(TrackingPolicy.self, from: #require(settings)) == pending.policy)
        #expect(recorded.revision == 0)
        #expect(try store.trips() == [recorded])
        #expect(try store.trip(id: "gps0@never") == nil)
        let moving = try store.read { try Double.fetchOne($0, sql: "SELECT moving_s FROM trip") }
        #expect(moving == 88.75)
    }

    @Test(arguments: [nil, "gps0"], [nil, TripQuery.Mark(start: time(5), id: "gps0@5")])
    func aPageOfTripsIsReadInTheOrderOfAnIndex(device: String?, before: TripQuery.Mark?) throws {
        let store = try LocationDatabase.temporary()
        let plan = try store.read { db in
            var statements: [String] = []
            db.trace { statements.append($0.expandedDescription) }
            _ = try Travels.trips(TripQuery(device: device, before: before, limit: 10), in: db)
            db.trace(options: [])
            return try statements.flatMap { try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \($0)") }
                .map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains(device == nil ? "trip_by_start" : "trip_by_device") }, "\(plan)")
        #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test func anOpenTripCollectsPointsAcrossCommits() throws {
        let store = try LocationDatabase.temporary()
        try commit([.tripBegan(trip(0))] + points([0, 1, 2]), to: store)
        #expect(try store.trips().map(\.summary) == [trip(0)])
        try commit(points([3, 4]), to: store)
        try commit([.truncated(after: time(2))] + points([10]), to: store)
        #expect(try times(trip(0).id, in: store) == [time(0), time(1), time(2), time(10)])
        try commit([.tripEnded(trip(0, until: 10)), .tripBegan(trip(20))] + points([20]), to: store)
        #expect(try times(trip(20).id, in: store) == [time(20)])
        #expect(try store.trips().map(\.summary) == [trip(0, until: 10), trip(20)])
    }

    private func joining(_ first: Double, _ second: Double) -> PendingCommit {
        var pending = PendingCommit()
        let (one, other) = (trip(first, until: first + 9), trip(second, until: second + 9))
        pending.changes["gps0"] =
            [.tripBegan(trip(first))] + points([first, first + 9]) + [.tripEnded(one), .tripBegan(trip(second))]
            + points([second, second + 9]) + [
                .tripEnded(other), .tripsJoined(one.id, other.id, decided: time(second + 9)),
            ]
        for trip in [one, other] {
            let place = fix(0).coordinate
            let end = Event(kind: .tripEnd(trip), time: time(0), device: "gps0", place: place)
            pending.events.append(EventRecord(end))
            pending.events.append(
                EventRecord(Event(kind: .stopStart(stop), time: time(0), device: "gps0", place: place)))
        }
        return pending
    }

    private var stop: StopSummary { StopSummary(device: "gps0", start: time(0), place: fix(0).coordinate) }

    @Test func joinedTripsEmitRevisionsAfterTheirEndEvents() throws {
        let store = try LocationDatabase.temporary()
        let stored = try store.commit(joining(0, 2000))
        #expect(
            stored.map(\.type)
                == ["trip.end", "stop.start", "trip.end", "trip.revised", "trip.revised", "stop.start"])
        let first = try #require(stored[0].seq)
        #expect(stored.map(\.seq) == Array(first..<first + 6))
        #expect(stored[3].subject == "trip/\(trip(0).id)" && stored[3].time == time(2009))
        #expect(String(decoding: stored[4].line, as: UTF8.self).contains(#""into":"\#(trip(0).id)""#))
        let joined = try #require(try store.trips().first)
        #expect(try store.trips().count == 1)
        #expect(joined.summary.end == time(2009) && joined.summary.fixes == 4 && joined.revision == 1)
        #expect(joined.summary.silent.map { abs($0 - 1991) < 0.1 } ?? true)
    }

    @Test func aRemovedTripIsNotJoined() throws {
        let store = try LocationDatabase.temporary()
        var pending = joining(0, 2000)
        let changes = pending.changes["gps0"] ?? []
        pending.changes["gps0"] = Array(changes.prefix(4))
        pending.events = []
        _ = try store.commit(pending)
        _ = try store.removeTrip(id: trip(0).id)
        var rest = joining(0, 2000)
        rest.changes["gps0"] = Array(changes.dropFirst(4))
        #expect(try store.commit(rest).map(\.type) == ["trip.end", "stop.start", "trip.end", "stop.start"])
        #expect(try store.trips().map(\.summary.id) == [trip(2000).id])
    }

    @Test(.slow) func theResultDoesNotDependOnHowChangesAreSplitIntoCommits() throws {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            var model: [String: [Int]] = [:]
            var changes: [String: [TravelChange]] = [:]
            for device in ["a", "b", "c"] {
                var open: TripSummary?
                var ended = false
                for second in 0..<200 {
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0 where open == nil:
                        open = trip(Double(second), device: device)
                        ended = false
                        model[open.known.id] = []
                        changes[device, default: []].append(.tripBegan(open.known))
                    case 1 where open != nil:
                        let after = second - Int.random(in: 0..<20, using: &random)
                        model[open.known.id]?.removeAll { $0 > after }
                        changes[device, default: []].append(.truncated(after: time(Double(after))))
                    case 2 where open != nil:
                        ended = true
                    default: break
                    }
                    if open != nil {
                        model[open.known.id]?.append(second)
                        changes[device, default: []].append(.point(fix(Double(second)), gap: second % 3 == 0))
                    }
                    if ended, var summary = open {
                        summary.end = time(Double(second))
                        changes[device, default: []].append(.tripEnded(summary))
                        (open, ended) = (nil, false)
                    }
                }
            }
            let store = try LocationDatabase.temporary()
            while !changes.isEmpty {
                var pending = PendingCommit()
                for (device, all) in changes {
                    let count = min(all.count, Int.random(in: 1...30, using: &random))
                    pending.changes[device] = Array(all.prefix(count))
                    changes[device] = count == all.count ? nil : Array(all.dropFirst(count))
                }
                _ = try store.commit(pending)
            }
            #expect(Set(try store.trips().map(\.summary.id)) == Set(model.keys), "seed \(seed)")
            for (id, seconds) in model {
                let fixes = try store.trace(ofTrip: id, limit: .max)
                #expect(fixes.map(\.time) == seconds.map { time(Double($0)) }, "seed \(seed), \(id)")
                #expect(fixes.map(\.beginsSegment) == seconds.map { $0 % 3 == 0 }, "seed \(seed), \(id)")
            }
        }
    }

    @Test func aRestartReplacesAnOpenTripAndRenamesAnEndedOne() throws {
        let store = try LocationDatabase.temporary()
        try commit([.tripBegan(trip(0))] + points([0, 1, 2]), to: store)
        try commit([.tripBegan(trip(0))] + points([0, 5]), to: store)
        #expect(try times(trip(0).id, in: store) == [time(0), time(5)])
        try commit([.tripEnded(trip(0, until: 5))], to: store)
        try commit([.tripBegan(trip(0))] + points([0, 7]), to: store)
        try commit([.tripEnded(trip(0, until: 7))], to: store)
        try commit([.tripBegan(trip(0))] + points([0, 9]), to: store)
        var ended = [trip(0, until: 5), trip(0, until: 7)]
        for index in ended.indices { ended[index].id += "+\(index + 1)" }
        #expect(try store.trips().map(\.summary) == [trip(0)] + ended)
        #expect(try times(trip(0).id, in: store) == [time(0), time(9)])
        #expect(try times(ended[0].id, in: store) == [time(0), time(5)])
        #expect(try times(ended[1].id, in: store) == [time(0), time(7)])
    }

    @Test func anImportedTripIsRenamedForARecordedOne() throws {
        let store = try LocationDatabase.temporary()
        let points = [0.0, 1, 5].map { fix($0) }
        #expect(try add(PastTrip(trip(0, until: 5), points: points), to: store) == .added)
        try commit([.tripBegan(trip(0))] + self.points([0, 1]), to: store)
        #expect(try add(PastTrip(trip(0, until: 5), points: points), to: store) == .overlapping(id: trip(0).id))
        try commit(self.points([2]) + [.tripEnded(trip(0, until: 2))], to: store)
        var imported = trip(0, until: 5)
        imported.id += "+1"
        #expect(try store.trips().map(\.summary) == [trip(0, until: 2), imported])
        #expect(try times(trip(0).id, in: store) == [time(0), time(1), time(2)])
        #expect(try times(imported.id, in: store) == [time(0), time(1), time(5)])
    }

    @Test func aTripIsImportedAlthoughARemovedOneHasItsId() throws {
        let store = try LocationDatabase.temporary()
        let past = PastTrip(trip(0, until: 5), points: [fix(0), fix(5)])
        #expect(try add(past, to: store) == .added)
        #expect(try store.write { try Travels.retire(trip: past.summary.id, in: $0) })
        #expect(try add(past, to: store) == .added)
        #expect(try store.trips().map(\.summary) == [past.summary])
    }

    private func add(_ trip: PastTrip, to store: LocationDatabase) throws -> PastTrip.Outcome {
        try store.write { try Travels.add(trip, policy: TrackingPolicy(), now: time(1_000_000), to: $0) }
    }

    @Test func anOpenTripEndsAtItsLastPointWhenTheNextBegins() throws {
        let store = try LocationDatabase.temporary()
        try commit([.tripBegan(trip(0))] + points([0, 1, 2]), to: store)
        try commit([.tripBegan(trip(50))], to: store)
        try commit([.tripBegan(trip(60))], to: store)
        let trips = try store.trips().map(\.summary)
        #expect(trips.map(\.end) == [time(2), time(50), nil])
        #expect(trips.map(\.fixes) == [3, 0, 0])
    }

    @Test func changesOfARemovedTripAreDropped() throws {
        let store = try LocationDatabase.temporary()
        try commit([.tripBegan(trip(0)), .point(fix(0), gap: true)], to: store)
        #expect(try store.removeTrip(id: trip(0).id))
        #expect(try !store.removeTrip(id: trip(0).id))
        try commit(points([1, 2]) + [.truncated(after: time(1)), .tripEnded(trip(0, until: 2))], to: store)
        #expect(try store.trips().isEmpty)
        for table in ["trace", "trace_gap"] {
            #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0)
        }
    }

    @Test func tripsAreFilteredByDeviceAndStartNewestLast() throws {
        let store = try LocationDatabase.temporary()
        for (device, starts) in [("a", [30.0, 10, 50]), ("b", [20.0, 40])] {
            for start in starts {
                try commit(
                    [.tripBegan(trip(start, device: device)), .tripEnded(trip(start, until: start, device: device))],
                    of: device, to: store)
            }
        }
        func starts(_ query: TripQuery) throws -> [Timestamp] { try store.trips(query).map(\.summary.start) }
        #expect(try starts(TripQuery()) == [10, 20, 30, 40, 50].map(time))
        #expect(try starts(TripQuery(device: "a")) == [10, 30, 50].map(time))
        #expect(try starts(TripQuery(device: "c")).isEmpty)
        #expect(try starts(TripQuery(limit: 2)) == [40, 50].map(time))
        #expect(try starts(TripQuery(since: time(20), until: time(40))) == [20, 30].map(time))
        #expect(try starts(TripQuery(device: "b", since: time(21), limit: 9)) == [time(40)])
    }

    @Test func tripsBeforeAMarkAreOrderedByStartAndId() throws {
        let store = try LocationDatabase.temporary()
        // Several devices set out at the same time, in no particular order.
        for (device, start) in [("c", 20.0), ("a", 20), ("b", 20), ("b", 10), ("a", 30)] {
            try commit(
                [.tripBegan(trip(start, device: device)), .tripEnded(trip(start, until: start, device: device))],
                of: device, to: store)
        }
        let all = try store.trips().map(\.summary)
        #expect(all.map(\.device) == ["b", "a", "b", "c", "a"])
        var mark: TripQuery.Mark?
        for trip in all.reversed() {
            #expect(try store.trips(TripQuery(before: mark, limit: 1)).map(\.summary) == [trip])
            mark = TripQuery.Mark(start: trip.start, id: trip.id)
        }
        #expect(try store.trips(TripQuery(before: mark)).isEmpty)
        mark = TripQuery.Mark(start: time(20), id: "b")
        #expect(try store.trips(TripQuery(device: "b", before: mark)).map(\.summary.start) == [time(10)])
    }

    @Test func stopsAreListedByDeviceWithTheirEndAndPlace() throws {
        let store = try LocationDatabase.temporary()
        var stop = StopSummary(device: "gps0", start: time(10), place: place(1, 1))
        try commit([.stopBegan(stop)], to: store)
        #expect(try store.stops(ofDevice: "gps0") == [stop])
        stop.end = time(300)
        stop.place = place(-7, 9)
        let next = StopSummary(device: "gps0", start: time(400), place: place())
        try commit([.stopEnded(stop), .stopBegan(next)], to: store)
        #expect(try store.stops(ofDevice: "gps0") == [stop, next])
        #expect(try store.stops(ofDevice: "gps0", since: time(11)) == [next])
        #expect(try store.stops(ofDevice: "gps0", until: time(400)) == [stop])
        #expect(try store.stops(ofDevice: "gps0", limit: 1) == [stop])
        #expect(try store.stops(ofDevice: "other").isEmpty)
    }
}
