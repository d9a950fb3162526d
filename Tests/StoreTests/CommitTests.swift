import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite struct CommitTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns a commit that touches every table: a trip with `points` points, a stop, events and a device's state.
    private func pending(points: Int = 20, seed: UInt64 = 1) -> PendingCommit {
        var random = SeededGenerator(seed: seed)
        var pending = PendingCommit()
        let trip = TripSummary(device: "gps0", start: time(0))
        var changes: [TravelChange] = [.tripBegan(trip)]
        for second in 0..<points {
            let step = Int32.random(in: -9000...9000, using: &random)
            changes.append(.point(fix(Double(second), step, -step), gap: second == 0))
        }
        changes.append(.stopBegan(StopSummary(device: "gps0", start: time(5), place: place())))
        pending.changes["gps0"] = changes
        pending.events = [.plain("trip.start"), .plain("stop.start")]
        pending.devices["gps0"] = .init(
            time: time(Double(points)), place: place(), saved: Tracker(device: "gps0").saved(in: GeofenceIndex()))
        return pending
    }

    /// Returns all rows of the store as text.
    private func contents(_ store: LocationDatabase) throws -> [String] {
        try store.read { db in
            try ["log", "event", "device", "trip", "stop", "trace", "trace_gap"].flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\(table) \($0.description)" }
            }
        }
    }

    @Test(arguments: ["event", "device", "trip", "stop", "trace", "trace_gap"])
    func aFailedCommitChangesNothingAndCanBeRetried(_ table: String) throws {
        let store = try LocationDatabase.open(at: folder.store)
        let before = try contents(store)
        try store.write { db in
            for action in ["INSERT", "UPDATE"] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER refuse_\(action) BEFORE \(action) ON \(table)
                        BEGIN SELECT RAISE(ABORT, 'refused'); END
                        """)
            }
        }
        let pending = pending()
        #expect(throws: StoreError.failed(path: folder.store, detail: "refused")) { try store.commit(pending) }
        #expect(try contents(store) == before)
        try store.write { try $0.execute(sql: "DROP TRIGGER refuse_INSERT; DROP TRIGGER refuse_UPDATE") }
        #expect(try store.commit(pending).map(\.seq) == [1, 2])
        #expect(try store.trace(ofTrip: "gps0@\(time(0))", limit: .max).count == 20)
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } != 0)
    }

    @Test func onAFullDiskACommitChangesNothingAndSucceedsOnceThereIsRoom() throws {
        let store = try LocationDatabase.open(at: folder.store)
        let before = try contents(store)
        try store.queue.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 10)")
        }
        let pending = pending(points: 20_000)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.commit(pending) }
            #expect(error == .full(path: folder.store))
            #expect(try contents(store) == before)
        }
        try store.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        #expect(try store.commit(pending).map(\.seq) == [1, 2])
        #expect(try store.trace(ofTrip: "gps0@\(time(0))", limit: .max).count == 20_000)
        #expect(store.commits == 1)
    }

    @Test func commitsPersistAfterReopening() throws {
        let store = try LocationDatabase.open(at: folder.store)
        _ = try store.commit(pending())
        let written = try contents(store)
        try store.close()
        #expect(try contents(LocationDatabase.openForReading(at: folder.store)) == written)
    }

    @Test func asynchronousAndBlockingCommitsWriteTheSame() async throws {
        let store = try LocationDatabase.open(at: folder.store)
        let stored = try await store.commit(pending())
        #expect(stored.map(\.seq) == [1, 2])
        let other = try LocationDatabase.temporary()
        let waited = try await Task.detached { [pending = pending()] in try other.commit(pending) }.value
        #expect(waited == stored)
        #expect(try contents(store).dropFirst() == contents(other).dropFirst())
    }

    @Test func anEmptyCommitIsHarmless() throws {
        let store = try LocationDatabase.temporary()
        let before = try contents(store)
        #expect(PendingCommit().isEmpty)
        #expect(try store.commit(PendingCommit()).isEmpty)
        #expect(try contents(store) == before)
    }

    @Test func theSchemaRefusesInvalidRows() throws {
        let store = try LocationDatabase.temporary()
        for sql in [
            "UPDATE log_start SET next_seq = 0",
            "INSERT INTO log_start VALUES (2, 'x', 1)",
            "UPDATE log SET next_seq = 9",
            "INSERT INTO device (name, last_time) VALUES ('a', 1)",
            "INSERT INTO device (name, last_time, last_lat_e7, last_lon_e7) VALUES ('a', 1, 900000001, 0)",
            "INSERT INTO event VALUES (1, 'noon', 'a', NULL, NULL, '{}')",
            "INSERT INTO trip (id, device, start, algorithm, settings) VALUES ('a', 99, 1, 1, '{}')",
            "INSERT INTO stop (id, device, start, lat_e7, lon_e7) VALUES ('a', 99, 1, 0, 0)",
        ] {
            #expect(throws: StoreError.self, "\(sql)") { try store.write { try $0.execute(sql: sql) } }
        }
    }
}
