import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

@Suite(.slow) struct TripEditingTests {
    private let store: LocationDatabase
    private let now = time(1_000_000)

    init() throws { store = try LocationDatabase.temporary() }

    /// Stores a trip with a point every ten seconds, each 10,000 units of 1e-7 degrees further north.
    @discardableResult
    private func record(_ start: Double, points: Int, device: String = "gps0", isOpen: Bool = false) throws -> String {
        var trip = TripSummary(device: device, start: time(start))
        var pending = PendingCommit()
        pending.changes[device] = [.tripBegan(trip)]
        var numbers = TripNumbers()
        for point in 0..<points {
            var fix = fix(start + Double(point) * 10, Int32(point) * 10_000, Int32(start) * 100)
            fix.altitude = .meters(Double(point % 7) * 3)
            fix.speed = .metersPerSecond(Double(point % 5) + 1)
            let gap = point % 25 == 0
            numbers.add(fix, gap: gap)
            pending.changes[device]?.append(.point(fix, gap: gap))
        }
        if !isOpen {
            trip.end = time(start + Double(points - 1) * 10)
            trip.adopt(numbers)
            pending.changes[device]?.append(.tripEnded(trip))
        }
        _ = try store.commit(pending)
        return trip.id
    }

    private func stop(_ start: Double, _ end: Double?, device: String = "gps0") throws {
        var stop = StopSummary(device: device, start: time(start), place: place())
        stop.end = end.map { time($0) }
        var pending = PendingCommit()
        pending.changes[device] = [.stopBegan(stop)]
        _ = try store.commit(pending)
    }

    private func trace(_ id: String) throws -> [Fix] { try store.trace(ofTrip: id, limit: .max) }
    private func seconds(_ id: String) throws -> [Double] {
        try trace(id).map { $0.time.known.seconds(since: time(0)) }
    }

    /// Returns the seconds of recorded points, of which there is one each ten seconds.
    private func times(_ numbers: [Int]) -> [Double] { numbers.map { Double($0) * 10 } }

    /// Returns everything that a person sees of the trips.
    private func seen() throws -> [Seen] {
        try store.trips().map { Seen(trip: $0, trace: try trace($0.summary.id)) }
    }
    private struct Seen: Equatable {
        var trip: RecordedTrip
        var trace: [Fix]
    }

    /// Returns the recorded points and gaps, row by row.
    private func recordings() throws -> [Row] {
        try store.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM trace ORDER BY trip, time")
                + Row.fetchAll(db, sql: "SELECT * FROM trace_gap ORDER BY trip, time")
        }
    }

    @discardableResult
    private func edit(_ body: (Database, Timestamp) throws -> TripRevision) throws -> TripRevision {
        try store.write { db in
            let revision = try body(db, now)
            _ = try EventLog.append(revision.events, to: db)
            return revision
        }
    }
    @discardableResult
    private func merge(_ id: String, _ other: String) throws -> TripRevision {
        try edit { try TripEditing.merge(id, with: other, now: $1, in: $0) }
    }
    @discardableResult
    private func split(_ id: String, _ at: Double) throws -> TripRevision {
        try edit { try TripEditing.split(id, at: time(at), now: $1, in: $0) }
    }
    @discardableResult
    private func removePoint(_ id: String, _ at: Double) throws -> TripRevision {
        try edit { try TripEditing.removePoint(at: time(at), ofTrip: id, now: $1, in: $0) }
    }
    @discardableResult
    private func removeSpan(_ id: String, _ from: Double, _ until: Double) throws -> TripRevision {
        try edit {
            try TripEditing.removeSpan(from: time(from), until: time(until), ofTrip: id, now: $1, in: $0)
        }
    }
    @discardableResult
    private func undo(_ id: String) throws -> TripRevision {
        try edit { try TripEditing.undo(id, now: $1, in: $0) }
    }

    @Test func aMergedTripShowsBothTracesWithAGapBetween() throws {
        let first = try record(0, points: 30)
        let second = try record(1000, points: 10)
        let (before, recorded) = (try seen(), try recordings())
        // The order of the ids does not matter.
        let revision = try merge(second, first)
        #expect(revision.trips.map(\.summary.id) == [first])
        #expect(revision.gone == [second])
        let merged = try #require(try store.trip(id: first))
        #expect(try store.trips() == [merged])
        #expect(merged.revision == 1)
        #expect(merged.summary.end == time(1090))
        #expect(merged.summary.fixes == 40)
        #expect(merged.summary.gaps.meters > 100)
        #expect(try trace(first) == before[0].trace + before[1].trace)
        #expect(try trace(second).isEmpty)
        #expect(try trace(first)[30].beginsSegment)
        #expect(
            try store.trace(ofTrip: first, after: time(280), limit: 3).map(\.time) == [
                time(290), time(1000), time(1010),
            ])
        try undo(first)
        #expect(try seen() == before)
        #expect(try recordings() == recorded)
    }

    @Test func aStopOfYearsIsRemovedWithoutRevisingTripsThatDoNotCountIt() throws {
        let (first, second) = (try record(0, points: 30), try record(1000, points: 30))
        // It was found to begin before the trips after they had ended.
        try stop(-1_000_000, 5000)
        let before = try seen()
        let id = try #require(try store.stops(ofDevice: "gps0").first?.id)
        let revision = try edit { try TripEditing.removeStop(id, now: $1, in: $0) }
        #expect(revision.trips.isEmpty && revision.events.isEmpty)
        #expect(try seen() == before)
        #expect(try store.stops(ofDevice: "gps0").isEmpty)
        #expect(throws: TripEditError.nothingToUndo(id: first)) { try undo(first) }
        #expect(throws: TripEditError.unknownStop(id: id)) {
            try edit { try TripEditing.removeStop(id, now: $1, in: $0) }
        }
        #expect(first != second)
    }

    @Test func aStopIsNotRemovedWhileItOrItsTripGoesOn() throws {
        try stop(5000, nil)
        let going = try #require(try store.stops(ofDevice: "gps0").first?.id)
        #expect(throws: TripEditError.stopNotEnded(id: going)) {
            try edit { try TripEditing.removeStop(going, now: $1, in: $0) }
        }
        let open = try record(6000, points: 3, device: "van", isOpen: true)
        try stop(6005, 6010, device: "van")
        let stop = try #require(try store.stops(ofDevice: "van").first?.id)
        #expect(throws: TripEditError.notEnded(id: open)) {
            try edit { try TripEditing.removeStop(stop, now: $1, in: $0) }
        }
        #expect(try store.stops(ofDevice: "van").count == 1)
    }

    @Test func undoingTheRemovalOfAStopBringsItBack() throws {
        let id = try record(0, points: 40)
        try stop(100, 140)
        _ = try store.write { try TripEditing.recompute(id, now: now, in: $0) }
        let (before, stops) = (try seen(), try store.stops(ofDevice: "gps0"))
        #expect(before[0].trip.summary.stops == 1)
        let revision = try edit { try TripEditing.removeStop(stops[0].id, now: $1, in: $0) }
        #expect(revision.change == .edit)
        #expect(revision.trips.map(\.summary.stops) == [0])
        #expect(revision.trips.map(\.summary.stopped) == [0])
        #expect(revision.events.map(\.type) == ["trip.revised"])
        try undo(id)
        #expect(try seen() == before)
        #expect(try store.stops(ofDevice: "gps0") == stops)
    }

    @Test func mergingASplitTripRestoresTheWhole() throws {
        let id = try record(0, points: 40)
        try stop(100, 140)
        let before = try seen()
        let revision = try split(id, 205)
        let new = try #require(revision.trips.last?.summary.id)
        #expect(new == "gps0@2026-05-01T10:03:30.000Z")
        #expect(try seconds(id) == times(Array(0...20)))
        #expect(try seconds(new) == times(Array(21...39)))
        #expect(try trace(new)[0].beginsSegment)
        #expect(revision.trips.map(\.summary.stops) == [1, 0])
        #expect(revision.trips.map(\.summary.stopped) == [40, 0])
        #expect(revision.trips.map(\.revision) == [1, 1])
        try merge(id, new)
        #expect(try trace(id) == before[0].trace)
        // The merged trip equals the original one, except for its revision.
        let whole = try #require(try store.trip(id: id))
        #expect(whole.summary.distance == before[0].trip.summary.distance)
        #expect(whole.revision == 2)
        // The id of the part that was merged away stays reserved.
        #expect(try split(id, 205).trips.last?.summary.id == new + "+1")
        for _ in 0..<3 { try undo(id) }
        #expect(try seen() == before)
    }

    @Test func aRemovedPointIsSkippedAndARemovedSpanIsAGap() throws {
        let id = try record(0, points: 40)
        let before = try seen()
        try removePoint(id, 100)
        #expect(try seconds(id) == times(Array(0..<10) + Array(11..<40)))
        #expect(try !trace(id)[10].beginsSegment)
        // The point before it was removed, so the path to it is a gap.
        try removePoint(id, 250)
        #expect(try trace(id).first { $0.time == time(260) }?.beginsSegment == true)
        let known = try #require(try store.trip(id: id)).summary.distance
        try removeSpan(id, 301, 330)
        #expect(try trace(id).first { $0.time == time(340) }?.beginsSegment == true)
        #expect(try #require(try store.trip(id: id)).summary.distance < known)
        try removeSpan(id, -100, 20)
        #expect(try #require(try store.trip(id: id)).summary.start == time(30))
        #expect(try store.trip(id: id)?.revision == 4)
        #expect(try seconds(id).count == 40 - 2 - 3 - 3)
        let rows = try store.read { try Row.fetchAll($0, sql: "SELECT time, gap FROM trace_degrees ORDER BY time") }
        #expect(rows.map { $0[0] as String } == (try trace(id).map { $0.time.known.description }))
        #expect(rows.map { $0[1] as Bool } == (try trace(id).map(\.beginsSegment)))
        for _ in 0..<4 { try undo(id) }
        #expect(try seen() == before)
        #expect(throws: TripEditError.nothingToUndo(id: id)) { try undo(id) }
    }

    @Test func eachEditIsLoggedWithItsRevision() throws {
        let first = try record(0, points: 3)
        let second = try record(100, points: 3)
        let revision = try merge(first, second)
        let logged = try store.events(after: 0, limit: .max)
        #expect(logged.map(\.line) == zip(revision.events, [1, 2] as [Int64]).map { $0.numbered($1).line })
        #expect(logged.map(\.type) == ["trip.revised", "trip.revised"])
        #expect(logged.map(\.subject) == ["trip/\(first)", "trip/\(second)"])
        let line = String(decoding: logged[0].line, as: UTF8.self)
        #expect(
            line.hasPrefix("{\"seq\":1,\"type\":\"trip.revised\",\"time\":\"\(now)\",\"device\":\"gps0\",\"trip\":{"))
        #expect(line.hasSuffix("\"fixes\":6,\"revision\":1},\"change\":\"merge\"}"))
        #expect(
            String(decoding: logged[1].line, as: UTF8.self).hasSuffix("\"change\":\"merge\",\"into\":\"\(first)\"}"))
        // A refused edit is neither logged nor stored.
        #expect(throws: TripEditError.unknown(id: second)) { try undo(second) }
        #expect(throws: TripEditError.nothingThere(id: first)) { try removePoint(first, 5) }
        #expect(try store.events(after: 0, limit: .max).count == 2)
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trip_edit") } == 1)
    }

    @Test func invalidEditsAreRefused() throws {
        let first = try record(0, points: 10)
        let middle = try record(200, points: 10)
        let last = try record(400, points: 10)
        let other = try record(0, points: 60, device: "van")
        let open = try record(1000, points: 3, isOpen: true)
        #expect(throws: TripEditError.same(id: first)) { try merge(first, first) }
        #expect(throws: TripEditError.unknown(id: "none")) { try merge(first, "none") }
        #expect(throws: TripEditError.notEnded(id: open)) { try merge(last, open) }
        #expect(throws: TripEditError.between(id: middle)) { try merge(last, first) }
        #expect(throws: TripEditError.differentDevices("gps0", "van")) { try merge(first, other) }
        #expect(throws: TripEditError.notWithin(time(90), id: first)) { try split(first, 90) }
        #expect(throws: TripEditError.notWithin(time(-1), id: first)) { try split(first, -1) }
        #expect(throws: TripEditError.nothingLeft(id: first)) { try removeSpan(first, -5, 90) }
        #expect(throws: TripEditError.nothingThere(id: first)) { try removeSpan(first, 91, 99) }
        #expect(throws: TripEditError.notEnded(id: open)) { try removePoint(open, 1000) }
        let new = try #require(try split(first, 40).trips.last?.summary.id)
        try removePoint(new, 60)
        #expect(throws: TripEditError.changedLater(id: new)) { try undo(first) }
        try undo(new)
        try undo(new)
        #expect(try store.trip(id: new) == nil)
        _ = try store.write { try $0.execute(sql: "DELETE FROM trace WHERE trip = 1") }
        #expect(throws: TripEditError.noPoints(id: first)) { try split(first, 40) }
    }

    @Test(arguments: UInt64(1)...4) func undoingRandomEditsOneByOneRestoresEverything(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for device in ["a", "b"] {
            for trip in 0..<4 {
                try record(Double(trip) * 1000, points: Int.random(in: 5..<60, using: &random), device: device)
            }
            try stop(100, 250, device: device)
            try stop(1500, nil, device: device)
        }
        let recorded = try recordings()
        var states = [try seen()]
        var changes: [String] = []
        for _ in 0..<60 {
            let trips = try store.trips().map(\.summary)
            let trip = try #require(trips.randomElement(using: &random))
            let points = try seconds(trip.id)
            let (from, until) = (
                try #require(points.randomElement(using: &random)), try #require(points.randomElement(using: &random))
            )
            do {
                let revision =
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try merge(trip.id, trips.randomElement(using: &random).known.id)
                    case 1: try split(trip.id, from)
                    case 2: try removePoint(trip.id, from)
                    default: try removeSpan(trip.id, min(from, until), min(max(from, until), min(from, until) + 50))
                    }
                changes.append(try #require(revision.trips.first?.summary.id))
                states.append(try seen())
            } catch is TripEditError {
                #expect(try seen() == states.last)
            }
            // The stored totals equal those of the points.
            for trip in try store.trips() {
                let found = try store.read { try TripEditing.recomputation(of: trip.summary.id, in: $0) }
                #expect(trip.revision == 0 || !found.differs)
            }
        }
        #expect(changes.count > 10)
        while let id = changes.popLast() {
            #expect(try seen() == states.removeLast())
            try undo(id)
        }
        #expect(try seen() == states.removeLast())
        #expect(states.isEmpty)
        #expect(try recordings() == recorded)
        for table in ["trip_part", "trip_edit", "trip_before"] {
            #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0)
        }
    }

    @Test func removingATripKeepsPointsThatAnotherTripShows() throws {
        let id = try record(0, points: 40)
        let new = try #require(try split(id, 200).trips.last?.summary.id)
        let shown = try trace(new)
        #expect(try store.removeTrip(id: id))
        #expect(try store.trips().map(\.summary.id) == [new])
        #expect(try trace(new) == shown)
        // The original trip cannot be restored.
        #expect(throws: TripEditError.nothingToUndo(id: new)) { try undo(new) }
        try removePoint(new, 300)
        try undo(new)
        #expect(try trace(new) == shown)
        #expect(try store.removeTrip(id: new))
        for table in ["trip", "trace", "trace_gap", "trip_part", "trip_edit", "trip_before"] {
            #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0, "\(table)")
        }
    }

    @Test func removingAMergedTripRemovesAllItsParts() throws {
        let first = try record(0, points: 4)
        let second = try record(100, points: 4)
        let other = try record(200, points: 4)
        try removePoint(second, 110)
        try merge(first, second)
        #expect(try store.removeTrip(id: first))
        #expect(try store.trips().map(\.summary.id) == [other])
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trace") } == 4)
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trip") } == 1)
    }

    @Test func onlyTheLatestEditsCanBeUndone() throws {
        let id = try record(0, points: 200)
        for point in 0...TripEditing.maximumUndone { try removePoint(id, Double(point) * 10) }
        for _ in 0..<TripEditing.maximumUndone { try undo(id) }
        #expect(throws: TripEditError.nothingToUndo(id: id)) { try undo(id) }
        #expect(try seconds(id) == (1..<200).map { Double($0) * 10 })
        #expect(try store.trip(id: id)?.revision == 1)
    }

    @Test func undoingAMergeRenamesATripWhoseIdIsTaken() throws {
        let (first, second) = (try record(0, points: 30), try record(1000, points: 30))
        let trace = try trace(second)
        try merge(first, second)
        // The device has lost its state and records the same trip again.
        try record(1000, points: 10)
        #expect(try self.trace(second).count == 10)
        let revision = try undo(first)
        #expect(revision.trips.map(\.summary.id) == [first, second + "+1"])
        #expect(revision.events.map(\.subject) == ["trip/\(first)", "trip/\(second)+1"])
        #expect(try self.trace(second + "+1") == trace)
        #expect(try self.trace(second).count == 10)
    }

    @Test func oldTracesAreKeptWhileAYoungerTripShowsThem() async throws {
        let old = try record(0, points: 40)
        let new = try #require(try split(old, 200).trips.last?.summary.id)
        #expect(try await store.prune(eventsBefore: nil, tracesBefore: time(390)).points == 0)
        #expect(try trace(new).count == 19)
        #expect(try await store.prune(eventsBefore: nil, tracesBefore: time(391)).points == 40)
        #expect(try trace(new).isEmpty)
        #expect(try store.trips().map(\.summary.fixes) == [21, 19])
    }

    @Test func recomputingFindsAndCorrectsWrongTotals() throws {
        let id = try record(0, points: 60)
        let right = try #require(try store.trip(id: id))
        #expect(try store.read { try TripEditing.recomputation(of: id, in: $0) }.differs == false)
        try store.write { try $0.execute(sql: "UPDATE trip SET distance_m = 5, algorithm = 1") }
        let wrong = try #require(try store.trip(id: id))
        let found = try store.read { try TripEditing.recomputation(of: id, in: $0) }
        #expect(found.stored == wrong)
        #expect(found.found.distance == right.summary.distance)
        #expect(found.differs)
        #expect(try store.trip(id: id) == wrong)
        let (_, revision) = try store.write { try TripEditing.recompute(id, now: now, in: $0) }
        #expect(revision?.events.count == 1)
        let mended = try #require(try store.trip(id: id))
        #expect(mended.summary.distance == right.summary.distance)
        #expect(mended.algorithm == TrackingPolicy.algorithm)
        #expect(mended.revision == 1)
        #expect(try store.write { try TripEditing.recompute(id, now: now, in: $0) }.1 == nil)
        try undo(id)
        #expect(try store.trip(id: id) == wrong)
    }
}
