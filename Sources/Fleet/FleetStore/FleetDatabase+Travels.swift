#if Fleet
import Geodesy
import Time
import Tracking

// The statements that write trips, their points, and stops.
extension FleetDatabase {
    static func travel(_ write: PartitionCommit.TravelWrite, of partition: Int) -> [Statement] {
        switch write {
        case .tripBegan(let trip):
            [
                Statement(
                    named: "trip-began",
                    // The trip is there already only if the state of its device was lost; it goes on then.
                    """
                    INSERT INTO waymark.trip (id, partition, device, start, algorithm) VALUES ($1, $2, $3, $4, $5)
                    ON CONFLICT (id) DO NOTHING
                    """,
                    [
                        trip.id, "\(partition)", trip.device, "\(trip.start.milliseconds)",
                        "\(TrackingPolicy.algorithm)",
                    ])
            ]
        case .points(let points, let trip): [insertion(of: points, trip: trip)]
        case .truncated(let trip, let after):
            [
                Statement(
                    named: "truncate", "DELETE FROM waymark.trace WHERE trace.trip = $1 AND trace.first > $2",
                    [trip, "\(after.milliseconds)"]),
                Statement(
                    named: "cut",
                    """
                    UPDATE waymark.trace SET until = least(trace.until, $2)
                    WHERE trace.trip = $1 AND trace.last > $2
                    """, [trip, "\(after.milliseconds)"]),
            ]
        case .tripEnded(let trip): [end(of: trip)]
        case .tripRemoved(let trip):
            [
                Statement(named: "trace-removed", "DELETE FROM waymark.trace WHERE trace.trip = $1", [trip]),
                Statement(named: "trip-removed", "DELETE FROM waymark.trip WHERE trip.id = $1", [trip]),
            ]
        case .tripsJoined(let first, let second):
            [
                Statement(
                    named: "join", "UPDATE waymark.trip SET journey = $1 WHERE trip.id = $2", [first, second])
            ]
        case .stop(let stop):
            [
                Statement(
                    named: "stop",
                    """
                    INSERT INTO waymark.stop (id, partition, device, start, "end", lat_e7, lon_e7)
                    VALUES ($1, $2, $3, $4, $5, $6, $7)
                    ON CONFLICT (id) DO UPDATE
                        SET "end" = excluded."end", lat_e7 = excluded.lat_e7, lon_e7 = excluded.lon_e7
                    """,
                    [
                        stop.id, "\(partition)", stop.device, "\(stop.start.milliseconds)",
                        stop.end.map { "\($0.milliseconds)" }, "\(stop.place.latitudeE7)",
                        "\(stop.place.longitudeE7)",
                    ])
            ]
        }
    }

    private static func insertion(of points: PackedTrace, trip: String) -> Statement {
        Statement(
            named: "points",
            """
            INSERT INTO waymark.trace (trip, first, last, points) VALUES ($1, $2, $3, $4)
            ON CONFLICT (trip, first) DO UPDATE SET last = excluded.last, until = NULL, points = excluded.points
            """,
            [
                trip, "\(points.first.milliseconds)", "\(points.last.milliseconds)", ValueText.bytes(points.bytes),
            ])
    }

    private static func end(of trip: TripSummary) -> Statement {
        Statement(
            named: "trip-ended",
            """
            UPDATE waymark.trip SET "end" = $2, distance_m = $3, moving_s = $4, stopped_s = $5, max_speed_mps = $6,
                stops = $7, fixes = $8, gaps_m = $9, bridged_m = $10, climb_m = $11, descent_m = $12,
                south_e7 = ($13::integer[])[1], west_e7 = ($13::integer[])[2], north_e7 = ($13::integer[])[3],
                east_e7 = ($13::integer[])[4], start = $14
            WHERE trip.id = $1
            """,
            [
                trip.id, trip.end.map { "\($0.milliseconds)" }, "\(trip.distance.meters)", "\(trip.moving)",
                "\(trip.stopped)", trip.maximumSpeed.map { "\($0.metersPerSecond)" }, "\(trip.stops)",
                "\(trip.fixes)", "\(trip.gaps.meters)", "\(trip.bridged.meters)", trip.climb.map { "\($0.meters)" },
                trip.descent.map { "\($0.meters)" },
                trip.bounds.map {
                    ValueText.array([$0.southE7, $0.westE7, $0.northE7, $0.eastE7].map { Int64($0) })
                },
                // A board may have changed it.
                "\(trip.start.milliseconds)",
            ])
    }

    /// Packs the points of a trip, which came a few at a time, into as few rows as they need.
    ///
    /// It changes nothing that anybody sees, and may be left out or repeated.
    ///
    /// - Throws: ``FleetStoreError``, as ``commit(_:to:)`` does.
    public func packPoints(of trip: String, in partition: TakenPartition) throws(FleetStoreError) {
        // Only the worker of the partition writes these rows, and the fence says whether this one still is.
        let parts = try storedPoints(of: trip)
        guard parts.count > 1 else { return }
        var statements = [
            Statement(
                named: "fence", "SELECT waymark.fence($1, $2, $3, $4)",
                ["\(partition.id)", "\(partition.epoch)", "\(partition.nextSeq)", "0"]),
            Statement("DELETE FROM waymark.trace WHERE trace.trip = $1", [trip]),
        ]
        var rest = parts.flatMap(\.self)[...]
        while let packed = PackedTrace(rest.prefix(PackedTrace.mostPoints)) {
            statements.append(Self.insertion(of: packed, trip: trip))
            rest = rest.dropFirst(PackedTrace.mostPoints)
        }
        _ = try run(statements)
    }
}
#endif
