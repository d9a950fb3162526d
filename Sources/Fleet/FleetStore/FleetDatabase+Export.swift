#if Fleet
public import Positioning
public import Time

/// A point of a device's trip.
public struct FleetPoint: Sendable {
    /// The device.
    public let device: String
    /// The id of the trip.
    public let trip: String
    /// The point; it has a time.
    public let fix: Fix
    /// Whether the way to it is unknown.
    public let gap: Bool
}

/// An event in the columns that tables have.
public struct FleetEventRow: Sendable {
    /// The number within the partition.
    public let seq: Int64
    /// The type, such as `geofence.exit`.
    public let type: String
    /// When it happened.
    public let time: Timestamp
    /// The device.
    public let device: String
    /// Where, in 10⁻⁷ degrees north; `nil` for an event of a board without a place.
    public let latitudeE7: Int64?
    /// Where, in 10⁻⁷ degrees east.
    public let longitudeE7: Int64?
    /// The kind of the geofence; `nil` for an event without one.
    public let geofenceKind: String?
    /// The id of the geofence.
    public let geofence: String?
    /// The title of the geofence.
    public let geofenceTitle: String?
    /// The id of the trip or the stop.
    public let travel: String?
    /// The seconds inside the geofence, of an exit or a dwell.
    public let inside: String?
    /// The JSON object.
    public let body: String
}

// What programs ask that copy a span of time: the rows of a partition device by device. The cost is that of all events and
// trips of the devices until its end, and of the points in the span.
extension FleetDatabase {
    /// The devices of which one call reads.
    public static let devicesAtOnce = 50

    private static let (tripsAtOnce, eventsAtOnce) = (20, 1000)

    /// Returns the next devices of a partition in the order of their names.
    ///
    /// - Parameters:
    ///   - name: The last device that is known; `nil` begins.
    /// - Returns: At most ``devicesAtOnce``; none at the end.
    /// - Throws: ``FleetStoreError``.
    public func devices(of partition: Int, after name: String?) throws(FleetStoreError) -> [String] {
        let rows = try run(
            Statement(
                named: "export-devices",
                """
                SELECT device.name FROM waymark.device
                WHERE device.partition = $1 AND ($2::text IS NULL OR device.name > $2)
                ORDER BY device.name LIMIT $3::bigint
                """, ["\(partition)", name, "\(Self.devicesAtOnce)"]))
        var names: [String] = []
        for row in rows.values.indices { names.append(try rows.text(row, 0)) }
        return names
    }

    /// Calls a function with the points of trips in a span of time, by device and time.
    ///
    /// At most the points of 20 trips are in memory at once.
    ///
    /// - Throws: ``FleetStoreError``, and what the function throws.
    public func forEachPoint(
        of devices: [String], from start: Timestamp, before end: Timestamp, _ body: (FleetPoint) throws -> Void
    ) throws {
        let span: [String?] = ["\(start.milliseconds)", "\(end.milliseconds)"]
        let trips = try run(
            Statement(
                named: "export-trips",
                """
                SELECT trip.id, trip.device FROM waymark.trip
                WHERE trip.device = ANY ($1::text[]) AND trip.start < $3
                    AND (trip."end" IS NULL OR trip."end" >= $2)
                ORDER BY trip.device, trip.start
                """, [ValueText.array(devices)] + span))
        for first in stride(from: 0, to: trips.values.count, by: Self.tripsAtOnce) {
            let some = trips.values.indices.dropFirst(first).prefix(Self.tripsAtOnce)
            var statements: [Statement] = []
            for row in some {
                statements.append(
                    Statement(
                        named: "export-points",
                        """
                        SELECT trace.points, trace.until FROM waymark.trace
                        WHERE trace.trip = $1 AND trace.last >= $2 AND trace.first < $3 ORDER BY trace.first
                        """, [try trips.text(row, 0)] + span))
            }
            for (row, packets) in zip(some, try run(statements)) {
                let (trip, device) = (try trips.text(row, 0), try trips.text(row, 1))
                for (fix, gap) in try Self.points(in: packets) {
                    guard let time = fix.time, time >= start, time < end else { continue }
                    try body(FleetPoint(device: device, trip: trip, fix: fix, gap: gap))
                }
            }
        }
    }

    /// Calls a function with the events of a span of time, by device and number.
    ///
    /// At most 50,000 events are in memory at once.
    ///
    /// - Parameter devices: At most ``devicesAtOnce`` devices.
    /// - Throws: ``FleetStoreError``, and what the function throws.
    public func forEachEvent(
        of devices: [String], from start: Timestamp, before end: Timestamp, _ body: (FleetEventRow) throws -> Void
    ) throws {
        let pages = try run(devices.map { Self.events(of: $0, after: 0, from: start, before: end) })
        for (device, first) in zip(devices, pages) {
            var page = first
            while !page.values.isEmpty {
                var last: Int64 = 0
                for row in page.values.indices {
                    let event = try Self.event(page, row)
                    last = event.seq
                    try body(event)
                }
                guard page.values.count == Self.eventsAtOnce else { break }
                page = try run(Self.events(of: device, after: last, from: start, before: end))
            }
        }
    }

    private static func events(
        of device: String, after seq: Int64, from start: Timestamp, before end: Timestamp
    ) -> Statement {
        Statement(
            named: "export-events",
            """
            SELECT event.seq, event.type, event.time, event.device, event.lat_e7, event.lon_e7,
                event.body::json -> 'geofence' ->> 'kind', event.body::json -> 'geofence' ->> 'id',
                event.body::json -> 'geofence' ->> 'title',
                coalesce(event.body::json -> 'trip' ->> 'id', event.body::json -> 'stop' ->> 'id'),
                event.body::json ->> 'inside', event.body
            FROM waymark.event
            WHERE event.device = $1 AND event.seq > $2 AND event.time >= $3 AND event.time < $4
            ORDER BY event.seq LIMIT $5::bigint
            """, [device, "\(seq)", "\(start.milliseconds)", "\(end.milliseconds)", "\(eventsAtOnce)"])
    }

    private static func event(_ rows: Rows, _ row: Int) throws(FleetStoreError) -> FleetEventRow {
        FleetEventRow(
            seq: try rows.number(row, 0), type: try rows.text(row, 1), time: try rows.time(row, 2),
            device: try rows.text(row, 3), latitudeE7: rows.optional(row, 4).flatMap { Int64($0) },
            longitudeE7: rows.optional(row, 5).flatMap { Int64($0) },
            geofenceKind: rows.optional(row, 6), geofence: rows.optional(row, 7),
            geofenceTitle: rows.optional(row, 8), travel: rows.optional(row, 9), inside: rows.optional(row, 10),
            body: try rows.text(row, 11))
    }
}
#endif
