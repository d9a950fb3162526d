import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

@Suite struct TraceTests {
    /// Returns random fixes all over the earth, in whole units of the store and with some values unknown.
    private func randomFixes(_ count: Int, seed: UInt64) -> [Fix] {
        var random = SeededGenerator(seed: seed)
        func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
        var milliseconds: Int64 = 0
        return (0..<count).map { _ in
            let place = Coordinate(
                latitudeE7: .random(in: -900_000_000...900_000_000, using: &random),
                longitudeE7: .random(in: -1_800_000_000...1_800_000_000, using: &random)
            ).known
            var fix = Fix(
                time: time(0).advanced(byMilliseconds: milliseconds), coordinate: place,
                beginsSegment: Int.random(in: 0..<10, using: &random) == 0)
            milliseconds += .random(in: 1...100_000, using: &random)
            fix.altitude = maybe(.meters(Double(Int.random(in: -5000...100_000, using: &random)) / 10))
            fix.speed = maybe(.metersPerSecond(Double(Int.random(in: 0...35_000, using: &random)) / 100))
            fix.track = maybe(.degrees(Double(Int.random(in: 0...3599, using: &random)) / 10))
            fix.accuracy = maybe(.meters(Double(Int.random(in: 0...200, using: &random))))
            return fix
        }
    }

    private func store(_ fixes: [Fix]) throws -> (store: LocationDatabase, trip: String) {
        let store = try LocationDatabase.temporary()
        let trip = TripSummary(device: "gps0", start: time(0))
        var pending = PendingCommit()
        pending.changes["gps0"] = [.tripBegan(trip)] + fixes.map { .point($0, gap: $0.beginsSegment) }
        _ = try store.commit(pending)
        return (store, trip.id)
    }

    @Test func fixesAreReadBackUnchanged() throws {
        let fixes = randomFixes(3000, seed: 7)
        let (store, trip) = try store(fixes)
        #expect(try store.trace(ofTrip: trip, limit: .max) == fixes)
    }

    @Test func valuesAreRoundedToTheUnitsOfTheStore() throws {
        var fix = fix(0)
        fix.altitude = .meters(12.349)
        fix.speed = .metersPerSecond(3.456)
        fix.track = .degrees(359.96)
        fix.accuracy = .meters(17.1)
        let (store, trip) = try store([fix])
        let read = try #require(try store.trace(ofTrip: trip, limit: 1).first)
        #expect(read.altitude == .meters(12.3))
        #expect(read.speed == .metersPerSecond(3.46))
        #expect(read.track == .degrees(0))
        #expect(read.accuracy == .meters(18))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func impossibleValuesAreStoredAsUnknown(_ value: Double) throws {
        var fix = fix(0)
        fix.altitude = .meters(value)
        fix.speed = .metersPerSecond(value)
        fix.accuracy = .meters(value)
        let (store, trip) = try store([fix])
        let read = try #require(try store.trace(ofTrip: trip, limit: 1).first)
        #expect(read == Fix(time: fix.time, coordinate: fix.coordinate))
    }

    @Test func aRepeatedTimeReplacesThePointAndOneWithoutTimeIsSkipped() throws {
        let (store, trip) = try store([
            fix(0, 1), fix(0, 2), Fix(time: nil, coordinate: place()),
        ])
        #expect(try store.trace(ofTrip: trip, limit: .max) == [fix(0, 2)])
    }

    @Test func aTraceIsReadInPagesAndReadingCanStopEarly() throws {
        let fixes = randomFixes(100, seed: 3)
        let (store, trip) = try store(fixes)
        var paged: [Fix] = []
        while true {
            let page = try store.trace(ofTrip: trip, after: paged.last?.time, limit: 7)
            if page.isEmpty { break }
            paged += page
        }
        #expect(paged == fixes)
        var seen = 0
        let found = try store.forEachPoint(ofTrip: trip) { _ in
            seen += 1
            return seen < 5
        }
        #expect(found)
        #expect(seen == 5)
        #expect(try !store.forEachPoint(ofTrip: "gps0@never") { _ in true })
        #expect(try store.trace(ofTrip: "gps0@never", limit: 1).isEmpty)
    }

    @Test func theViewShowsDegreesMetresAndRFC3339() throws {
        let fixes = randomFixes(500, seed: 11)
        let (store, trip) = try store(fixes)
        let rows = try store.read { try Row.fetchAll($0, sql: "SELECT * FROM trace_degrees") }
        #expect(rows.count == fixes.count)
        for (row, fix) in zip(rows, fixes) {
            #expect(row["trip"] == trip)
            #expect(row["time"] == fix.time?.description)
            #expect(row["lat"] == fix.coordinate.latitude)
            #expect(row["lon"] == fix.coordinate.longitude)
            #expect(row["alt_m"] == fix.altitude?.meters)
            #expect(row["speed_mps"] == fix.speed?.metersPerSecond)
            #expect(row["track_deg"] == fix.track?.degrees)
            #expect(row["accuracy_m"] == fix.accuracy?.meters)
            #expect(row["gap"] == fix.beginsSegment)
        }
    }

    @Test func aFixTakesAtMost36Bytes() async throws {
        var random = SeededGenerator(seed: 5)
        let store = try LocationDatabase.temporary()
        let before = try await store.statistics().bytes
        var north: Int32 = 0
        var seconds = 0.0
        // Two hours of a car's trace at 1 Hz, 90 m above sea level.
        let count = 7200
        var changes: [TravelChange] = [.tripBegan(TripSummary(device: "gps0", start: time(0)))]
        for _ in 0..<count {
            north += .random(in: -900...1000, using: &random)
            var fix = fix(seconds, north, -north)
            fix.altitude = .meters(.random(in: 80...100, using: &random))
            fix.speed = .metersPerSecond(.random(in: 3...33, using: &random))
            fix.track = .degrees(.random(in: 20..<360, using: &random))
            changes.append(.point(fix, gap: seconds == 0))
            seconds += 1
        }
        var pending = PendingCommit()
        pending.changes["gps0"] = changes
        _ = try await store.commit(pending)
        let bytes = try await store.statistics().bytes - before
        #expect(Double(bytes) / Double(count) <= 36)
    }

    @Test(arguments: [1, 2]) func aCommitOfHalfAMinuteWritesFewPages(_ devices: Int) throws {
        let folder = try TemporaryFolder()
        let store = try LocationDatabase.open(at: folder.store)
        var random = SeededGenerator(seed: 8)
        func points(_ seconds: Range<Int>) -> [TravelChange] {
            seconds.map { second in
                let step = Int32.random(in: -9000...9000, using: &random)
                return .point(fix(Double(second), step, -step), gap: false)
            }
        }
        let names = (0..<devices).map { "gps\($0)" }
        var pending = PendingCommit()
        for name in names {
            pending.changes[name] = [.tripBegan(TripSummary(device: name, start: time(0)))] + points(0..<1000)
        }
        _ = try store.commit(pending)
        // Before the next automatic checkpoint, the log grows by exactly what is written.
        let before = StoreFile.size(folder.store + "-wal")
        let groups = 20
        for group in 0..<groups {
            for name in names { pending.changes[name] = points(1000 + group * 30..<1030 + group * 30) }
            _ = try store.commit(pending)
        }
        let pages = Double(StoreFile.size(folder.store + "-wal") - before) / Double(LocationDatabase.pageSize + 24)
        #expect(pages > 0 && pages / Double(groups) <= 4 * Double(devices), "\(pages)")
    }

    @Test func aPointDecadesAfterItsTripsStartIsSkipped() throws {
        #expect(TracePoint(fix(-0.001), since: time(0), gap: false) == nil)
        let last = Double(TraceKeys.times.upperBound) / 1000
        #expect(TracePoint(fix(last), since: time(0), gap: false)?.time == TraceKeys.times.upperBound)
        #expect(TracePoint(fix(last + 0.001), since: time(0), gap: false) == nil)
        #expect(TraceKeys(trip: 7).range(from: .max) == (1, 0))
    }
}
