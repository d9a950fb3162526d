import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

@testable import Store

/// The views that *Your data* documents for other programs.
@Suite struct DataViewTests {
    private let store: LocationDatabase
    private let trip = TripSummary(device: "gps0", start: time(0))

    init() throws {
        store = try LocationDatabase.temporary()
        var first = fix(0, 10, -20)
        first.speed = .metersPerSecond(3.5)
        var pending = PendingCommit()
        pending.changes["gps0"] = [
            .tripBegan(trip), .point(first, gap: true), .point(fix(1, 30, 40), gap: false),
        ]
        pending.events = [
            EventRecord.plain("trip.start"),
            EventRecord(
                time: time(1), type: "geofence.enter", device: "gps0", subject: "sight/a",
                members: Array(
                    #""type":"geofence.enter","lat":52.37,"lon":4.89,"geofence":{"kind":"sight","id":"a","title":"A"}"#
                        .utf8)),
        ]
        _ = try store.commit(pending)
    }

    private func rows(_ view: String) throws -> [Row] {
        try store.read { try Row.fetchAll($0, sql: "SELECT * FROM \(view)") }
    }

    @Test func anOpenTripHasItsDeviceAndNoEnd() throws {
        let row = try #require(try rows("trips").first)
        #expect(row["trip"] == trip.id)
        #expect(row["device"] == "gps0")
        #expect(row["start"] == "2026-05-01T10:00:00.000Z")
        #expect(row["end"] == nil)
    }

    @Test func pointsCarryTheirDeviceAndTrip() throws {
        let rows = try rows("points")
        #expect(rows.map { $0["device"] } == ["gps0", "gps0"])
        #expect(rows.map { $0["trip"] } == [trip.id, trip.id])
        #expect(rows.map { $0["time"] } == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
        #expect(rows.map { $0["lat"] } == [52.370001, 52.370003])
        #expect(rows.map { $0["lon"] } == [4.889998, 4.890004])
        #expect(rows.map { $0["speed_mps"] } == [3.5, nil])
        #expect(rows.map { $0["gap"] } == [1, 0])
    }

    @Test func eventsHaveThePlaceAndTheGeofence() throws {
        let rows = try rows("events")
        #expect(rows.map { $0["seq"] } == [1, 2])
        #expect(rows.map { $0["type"] } == ["trip.start", "geofence.enter"])
        #expect(rows.last?["lat"] == 52.37)
        #expect(rows.last?["geofence_title"] == "A")
        #expect(rows.first?["geofence"] == nil)
    }

    @Test func anEventForOnePersonIsLeftOut() throws {
        var pending = PendingCommit()
        pending.events = [
            EventRecord(
                time: time(2), type: "notification", device: nil, subject: nil, recipient: "ann",
                members: Array(#""type":"notification""#.utf8))
        ]
        _ = try store.commit(pending)
        #expect(try rows("events").count == 2)
    }

    @Test func thePointsOfOneTripAreFoundByTheirKey() throws {
        let plan = try store.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM points WHERE trip = 'x'")
                .map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("SEARCH trace USING INTEGER PRIMARY KEY") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN trace") }, "\(plan)")
    }
}
