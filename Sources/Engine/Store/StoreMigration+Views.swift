extension StoreMigration {
    /// Views for other programs, which *Your data* documents: degrees, metres, UTC as text, and names in place of
    /// numbers.
    ///
    /// The tables below them may change from one release to the next. The columns of these views stay; later ones are
    /// added behind them.
    static let dataViews = """
        CREATE VIEW devices AS
        SELECT
            name AS device,
            title,
            is_primary AS "primary",
            \(utc("last_time")) AS last_time,
            last_lat_e7 / 1e7 AS last_lat,
            last_lon_e7 / 1e7 AS last_lon
        FROM device;

        \(trips(kind: ""))

        CREATE VIEW stops AS
        SELECT
            stop.id AS stop,
            device.name AS device,
            \(utc("stop.start")) AS start,
            \(utc("stop.\"end\"")) AS "end",
            (stop."end" - stop.start) / 1000.0 AS seconds,
            lat_e7 / 1e7 AS lat,
            lon_e7 / 1e7 AS lon
        FROM stop JOIN device ON device.number = stop.device;

        -- Events of one person, such as notifications, are left out.
        CREATE VIEW events AS
        SELECT
            seq,
            type,
            \(utc("time")) AS time,
            device,
            json_extract(body, '$.lat') AS lat,
            json_extract(body, '$.lon') AS lon,
            json_extract(body, '$.geofence.kind') AS geofence_kind,
            json_extract(body, '$.geofence.id') AS geofence,
            json_extract(body, '$.geofence.title') AS geofence_title,
            coalesce(json_extract(body, '$.trip.id'), json_extract(body, '$.stop.id')) AS travel,
            body
        FROM event
        WHERE recipient IS NULL;

        -- The points that trips show. The cross join keeps SQLite from reading the points of every trip first.
        CREATE VIEW points AS
        SELECT
            device.name AS device,
            trace_degrees.*
        FROM trip
        JOIN device ON device.number = trip.device
        CROSS JOIN trace_degrees ON trace_degrees.trip = trip.id
        WHERE trip.hidden = 0;
        """

    /// SQL for the view of trips.
    private static func trips(kind: String) -> String {
        """
        -- Trips as they are shown: without those that were merged into another.
        CREATE VIEW trips AS
        SELECT
            trip.id AS trip,
            device.name AS device,
            \(utc("trip.start")) AS start,
            \(utc("trip.\"end\"")) AS "end",
            distance_m,
            moving_s,
            stopped_s,
            max_speed_mps,
            trip.stops AS stops,
            fixes,
            gaps_m,
            bridged_m,
            climb_m,
            descent_m,
            south_e7 / 1e7 AS south,
            west_e7 / 1e7 AS west,
            north_e7 / 1e7 AS north,
            east_e7 / 1e7 AS east,
            \(utc("imported")) AS imported\(kind)
        FROM trip JOIN device ON device.number = trip.device
        WHERE hidden = 0;
        """
    }

    static let kinds = """
        -- How the device travelled, as an imported recording tells it: a name such as walking.
        ALTER TABLE trip ADD COLUMN kind TEXT;

        DROP VIEW trips;
        \(trips(kind: ",\n    trip.kind AS kind"))
        """

    /// SQL for the RFC 3339 text of milliseconds since 1970.
    private static func utc(_ milliseconds: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%fZ', \(milliseconds) / 1000.0, 'unixepoch')"
    }
}
