import GRDB
import Geodesy
import Time
import Tracking

/// A cache of devices as the last commit left them, so that the next one need not look them up.
///
/// It is valid while nothing else writes. Only the writing connection uses it.
struct KnownDevices: Sendable {
    struct Device: Sendable {
        var number: Int64
        /// The device's open trip.
        var trip: OpenTrip?
    }

    struct OpenTrip: Sendable {
        var number: Int64
        var start: Timestamp
    }

    var byName: [String: Device] = [:]
}

/// A writer of trips and stops within one transaction.
struct TravelWriter: ~Copyable {
    private typealias OpenTrip = KnownDevices.OpenTrip

    /// The devices after the changes; discard them if the transaction fails.
    private(set) var known: KnownDevices
    /// The events to append after the end of a trip that was merged with the one before it, by that trip's subject.
    private(set) var revisions: [String: [EventRecord]] = [:]
    let db: Database
    let policy: TrackingPolicy
    let points: TraceWriter
    private let selection: DirectStatement

    /// - Parameter policy: The settings that the trips are computed with.
    init(_ db: Database, knowing known: consuming KnownDevices, policy: TrackingPolicy) throws {
        let points = try TraceWriter(db)
        let selection = try DirectStatement(
            """
            SELECT device.number, trip.number, trip.start
            FROM device LEFT JOIN trip ON trip.device = device.number AND trip."end" IS NULL WHERE name = ?
            """, in: db)
        self.known = known
        self.db = db
        self.policy = policy
        self.points = points
        self.selection = selection
    }

    /// Applies the changes of one device, in order.
    ///
    /// - Returns: The number of the device, which is added if it is not in the store yet.
    mutating func write(_ changes: [TravelChange], ofDevice name: String) throws -> Int64 {
        let found = try known.byName[name] ?? find(name)
        let device = found.number
        var open = found.trip
        defer { known.byName[name] = KnownDevices.Device(number: device, trip: open) }
        for change in changes {
            switch change {
            case .tripBegan(let trip):
                open = try begin(trip, ofDevice: device)
            case .point(let fix, let gap):
                guard let open, let point = TracePoint(fix, since: open.start, gap: gap) else { continue }
                try points.write(point, ofTrip: open.number)
            case .truncated(let after):
                guard let open else { continue }
                try truncate(open, after: after)
            case .tripEnded(let trip):
                try end(trip)
                open = nil
            case .tripsJoined(let first, let second, let decided):
                revisions["trip/\(second)"] = try TripEditing.join(first, with: second, now: decided, in: db)
            case .stopBegan(let stop), .stopEnded(let stop):
                try write(stop, ofDevice: device)
            }
        }
        return device
    }

    /// Returns a device's number and its open trip, and adds the device if necessary.
    private func find(_ name: String) throws -> KnownDevices.Device {
        try selection.bind(name, at: 1)
        defer { selection.reset() }
        guard try selection.step(), let number = selection.integer(0) else {
            return KnownDevices.Device(number: try Devices.add(name, to: db))
        }
        guard let trip = selection.integer(1), let start = selection.integer(2) else {
            return KnownDevices.Device(number: number)
        }
        return KnownDevices.Device(
            number: number, trip: OpenTrip(number: trip, start: Timestamp(milliseconds: start)))
    }

    private func begin(_ trip: TripSummary, ofDevice device: Int64) throws -> OpenTrip {
        try db.execute(sql: #"DELETE FROM trip WHERE id = ? AND "end" IS NULL"#, arguments: [trip.id])
        try Travels.vacate(trip.id, in: db)
        try abandonTrips(ofDevice: device)
        try db.execute(
            sql: "INSERT INTO trip (id, device, start, algorithm, settings) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                trip.id, device, trip.start.milliseconds, TrackingPolicy.algorithm, try StoredJSON.encode(policy),
            ])
        return OpenTrip(number: db.lastInsertedRowID, start: trip.start)
    }

    /// Ends the trips that a device left open because its state was lost.
    private func abandonTrips(ofDevice device: Int64) throws {
        try db.execute(
            sql: """
                UPDATE trip SET
                    "end" = start + coalesce((SELECT max(time) FROM trace WHERE \(TraceKeys.isOfTrip)), 0),
                    fixes = (SELECT count(*) FROM trace WHERE \(TraceKeys.isOfTrip))
                WHERE device = ? AND "end" IS NULL
                """,
            arguments: [device])
    }

    private func truncate(_ trip: OpenTrip, after time: Timestamp) throws {
        let last = time.milliseconds(since: trip.start)
        let keys = TraceKeys(trip: trip.number).range(from: last + 1)
        try db.cachedStatement(sql: "DELETE FROM trace WHERE key BETWEEN ? AND ?")
            .execute(arguments: [keys.least, keys.greatest])
        try db.cachedStatement(sql: "DELETE FROM trace_gap WHERE trip = ? AND time > ?")
            .execute(arguments: [trip.number, last])
    }

    /// Writes the final numbers of a trip in the store.
    func end(_ trip: TripSummary) throws {
        try db.execute(
            sql: """
                UPDATE trip SET "end" = ?, distance_m = ?, moving_s = ?, stopped_s = ?, max_speed_mps = ?, stops = ?,
                    fixes = ?, gaps_m = ?, bridged_m = ?, climb_m = ?, descent_m = ?, south_e7 = ?, west_e7 = ?,
                    north_e7 = ?, east_e7 = ?
                WHERE id = ?
                """,
            arguments: [
                trip.end?.milliseconds, trip.distance.meters, trip.moving, trip.stopped,
                trip.maximumSpeed?.metersPerSecond, trip.stops, trip.fixes, trip.gaps.meters, trip.bridged.meters,
                trip.climb?.meters, trip.descent?.meters, trip.bounds?.southE7, trip.bounds?.westE7,
                trip.bounds?.northE7, trip.bounds?.eastE7, trip.id,
            ])
    }

    /// Writes a stop, replacing an earlier version of it.
    func write(_ stop: StopSummary, ofDevice device: Int64) throws {
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
