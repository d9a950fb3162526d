import GRDB
import Geodesy
import Positioning
import Tracking

/// Writes what is kept of trips and stops, within one transaction.
struct TravelWriter: ~Copyable {
    /// A trip that goes on.
    private struct OpenTrip {
        var number: Int64
        var start: Timestamp
    }

    private let db: Database
    private let settings: String
    private var points: TraceWriter

    /// - Parameter settings: What the trips are computed with, JSON.
    init(_ db: Database, settings: String) throws {
        self.db = db
        self.settings = settings
        points = try TraceWriter(db)
    }

    /// Applies the changes of one device, in order.
    mutating func write(_ changes: [TravelChange], ofDevice device: Int64) throws {
        guard !changes.isEmpty else { return }
        var open = try openTrip(ofDevice: device)
        for change in changes {
            switch change {
            case .tripBegan(let trip):
                open = try begin(trip, ofDevice: device)
            case .point(let fix, let gap):
                guard let open, let point = TracePoint(fix, since: open.start, gap: gap) else { continue }
                try write(point, of: open)
            case .truncated(let after):
                guard let open else { continue }
                try truncate(open, after: after)
            case .tripEnded(let trip):
                try end(trip)
                open = nil
            case .stopBegan(let stop), .stopEnded(let stop):
                try write(stop, ofDevice: device)
            }
        }
    }

    private func openTrip(ofDevice device: Int64) throws -> OpenTrip? {
        try Row.fetchOne(
            db.cachedStatement(sql: #"SELECT number, start FROM trip WHERE device = ? AND "end" IS NULL"#),
            arguments: [device]
        )
        .map { OpenTrip(number: $0[0], start: Timestamp(milliseconds: $0[1])) }
    }

    private func begin(_ trip: TripSummary, ofDevice device: Int64) throws -> OpenTrip {
        if let row = try Row.fetchOne(db, sql: #"SELECT "end" IS NULL FROM trip WHERE id = ?"#, arguments: [trip.id]) {
            guard row[0] else { throw StoreError.tripExists(id: trip.id) }
            try db.execute(sql: "DELETE FROM trip WHERE id = ?", arguments: [trip.id])
        }
        try abandonTrips(ofDevice: device)
        try db.execute(
            sql: "INSERT INTO trip (id, device, start, algorithm, settings) VALUES (?, ?, ?, ?, ?)",
            arguments: [trip.id, device, trip.start.milliseconds, TrackingPolicy.algorithm, settings])
        return OpenTrip(number: db.lastInsertedRowID, start: trip.start)
    }

    /// Ends what a device has left open because its state was lost.
    private func abandonTrips(ofDevice device: Int64) throws {
        try db.execute(
            sql: """
                UPDATE trip SET
                    "end" = start + coalesce((SELECT max(time) FROM trace WHERE trace.trip = trip.number), 0),
                    fixes = (SELECT count(*) FROM trace WHERE trace.trip = trip.number)
                WHERE device = ? AND "end" IS NULL
                """,
            arguments: [device])
    }

    private mutating func write(_ point: TracePoint, of trip: OpenTrip) throws {
        try points.write(point, ofTrip: trip.number)
        guard point.gap else { return }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO trace_gap (trip, time) VALUES (?, ?)")
            .execute(arguments: [trip.number, point.time])
    }

    private func truncate(_ trip: OpenTrip, after time: Timestamp) throws {
        for table in ["trace", "trace_gap"] {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE trip = ? AND time > ?")
                .execute(arguments: [trip.number, time.milliseconds(since: trip.start)])
        }
    }

    private func end(_ trip: TripSummary) throws {
        try db.execute(
            sql: """
                UPDATE trip SET "end" = ?, distance_m = ?, moving_s = ?, stopped_s = ?, max_speed_mps = ?, stops = ?,
                    fixes = ?
                WHERE id = ?
                """,
            arguments: [
                trip.end?.milliseconds, trip.distance.meters, trip.moving, trip.stopped,
                trip.maximumSpeed?.metersPerSecond, trip.stops, trip.fixes, trip.id,
            ])
    }

    private func write(_ stop: StopSummary, ofDevice device: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO stop (id, device, start, "end", lat_e7, lon_e7) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET "end" = excluded."end", lat_e7 = excluded.lat_e7,
                    lon_e7 = excluded.lon_e7
                """
        ).execute(
            arguments: [
                stop.id, device, stop.start.milliseconds, stop.end?.milliseconds, stop.place.latitudeE7,
                stop.place.longitudeE7,
            ])
    }
}
