#if Fleet
extension FleetSchema {
    /// The views for programs that draw maps; each statement may run again.
    ///
    /// They read the tables, and nothing writes more for them.
    static let postGIS = [
        "CREATE EXTENSION IF NOT EXISTS postgis",
        // What PackedTrace reads: a version, and for each point a byte of flags and differences of seven bits a byte.
        // In PostgreSQL, the operators |, & and << have one precedence.
        """
        CREATE OR REPLACE FUNCTION waymark.points(packed bytea, until bigint)
        RETURNS TABLE (at bigint, lat_e7 bigint, lon_e7 bigint, gap boolean)
        LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        DECLARE
            place integer := 1;
            flags integer;
            byte integer;
            shift integer;
            value bigint;
        BEGIN
            IF get_byte(packed, 0) <> 1 THEN RAISE EXCEPTION 'points of an unknown version'; END IF;
            at := 0;
            lat_e7 := 0;
            lon_e7 := 0;
            WHILE place < length(packed) LOOP
                flags := get_byte(packed, place);
                place := place + 1;
                FOR which IN 1..3 + (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1) + (flags >> 3 & 1) LOOP
                    value := 0;
                    shift := 0;
                    LOOP
                        byte := get_byte(packed, place);
                        place := place + 1;
                        value := value | ((byte & 127)::bigint << shift);
                        EXIT WHEN byte < 128;
                        shift := shift + 7;
                    END LOOP;
                    value := (value >> 1) # -(value & 1);
                    CASE which
                        WHEN 1 THEN at := at + value;
                        WHEN 2 THEN lat_e7 := lat_e7 + value;
                        WHEN 3 THEN lon_e7 := lon_e7 + value;
                        ELSE NULL;
                    END CASE;
                END LOOP;
                gap := flags & 16 <> 0;
                IF until IS NULL OR at <= until THEN RETURN NEXT; END IF;
            END LOOP;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION waymark.place(lat_e7 bigint, lon_e7 bigint) RETURNS geometry(Point, 4326)
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN ST_SetSRID(ST_MakePoint(lon_e7 / 1e7::double precision, lat_e7 / 1e7::double precision), 4326)
        """,
        // A trip as a line whose measure is the time in seconds since 1970.
        """
        CREATE OR REPLACE VIEW waymark.gis_trip AS
        SELECT trip.id, trip.device, to_timestamp(trip.start / 1000.0) AS start,
            to_timestamp(trip."end" / 1000.0) AS "end", trip.distance_m, trip.journey, line.points,
            line.geometry::geometry(LineStringM, 4326) AS geometry
        FROM waymark.trip
        CROSS JOIN LATERAL (
            SELECT count(*) AS points,
                ST_MakeLine(
                    ST_SetSRID(
                        ST_MakePointM(
                            point.lon_e7 / 1e7::double precision, point.lat_e7 / 1e7::double precision,
                            point.at / 1000.0::double precision),
                        4326)
                    ORDER BY point.at) AS geometry
            FROM waymark.trace CROSS JOIN LATERAL waymark.points(trace.points, trace.until) AS point
            WHERE trace.trip = trip.id
        ) AS line
        WHERE line.points > 1
        """,
        """
        CREATE OR REPLACE VIEW waymark.gis_device AS
        SELECT device.name, to_timestamp(device.last_time / 1000.0) AS time,
            waymark.place(device.last_lat_e7, device.last_lon_e7) AS geometry
        FROM waymark.device WHERE device.last_lat_e7 IS NOT NULL
        """,
        """
        CREATE OR REPLACE VIEW waymark.gis_stop AS
        SELECT stop.id, stop.device, to_timestamp(stop.start / 1000.0) AS start,
            to_timestamp(stop."end" / 1000.0) AS "end", waymark.place(stop.lat_e7, stop.lon_e7) AS geometry
        FROM waymark.stop
        """,
        """
        CREATE OR REPLACE VIEW waymark.gis_event AS
        SELECT event.partition || ':' || event.seq AS id, event.type, event.device, event.subject,
            to_timestamp(event.time / 1000.0) AS time, waymark.place(event.lat_e7, event.lon_e7) AS geometry
        FROM waymark.event
        """,
        // Tiles for servers such as Martin and pg_tileserv, which offer functions of z, x and y by themselves.
        """
        CREATE OR REPLACE FUNCTION waymark.device_tile(z integer, x integer, y integer) RETURNS bytea
        LANGUAGE sql STABLE PARALLEL SAFE AS $$
            SELECT ST_AsMVT(tile, 'devices') FROM (
                SELECT gis_device.name, extract(epoch FROM gis_device.time)::bigint AS time,
                    ST_AsMVTGeom(ST_Transform(gis_device.geometry, 3857), ST_TileEnvelope($1, $2, $3)) AS geometry
                FROM waymark.gis_device
                WHERE gis_device.geometry && ST_Transform(ST_TileEnvelope($1, $2, $3), 4326)
                ORDER BY gis_device.time DESC LIMIT 10000
            ) AS tile
        $$
        """,
        // The points in each tile of zoom 18, about 100 m wide. It is empty until it is refreshed.
        """
        CREATE MATERIALIZED VIEW IF NOT EXISTS waymark.heat AS
        SELECT cell.x, cell.y, count(*) AS points, count(DISTINCT trip.device) AS devices
        FROM waymark.trip JOIN waymark.trace ON trace.trip = trip.id
        CROSS JOIN LATERAL waymark.points(trace.points, trace.until) AS point
        CROSS JOIN LATERAL (
            SELECT floor((point.lon_e7 / 1e7 + 180) / 360 * 262144)::integer AS x,
                floor(
                    (1 - ln(tan(radians(point.lat_e7 / 1e7)) + 1 / cos(radians(point.lat_e7 / 1e7))) / pi())
                    / 2 * 262144
                )::integer AS y
        ) AS cell
        WHERE point.lat_e7 BETWEEN -850000000 AND 850000000
        GROUP BY cell.x, cell.y
        WITH NO DATA
        """,
        "CREATE UNIQUE INDEX IF NOT EXISTS heat_by_place ON waymark.heat (x, y)",
        // A tile has 64 times 64 squares, or as many as zoom 18 has there. In the body, x is the column of the view.
        """
        CREATE OR REPLACE FUNCTION waymark.heat_tile(z integer, x integer, y integer) RETURNS bytea
        LANGUAGE sql STABLE PARALLEL SAFE AS $$
            SELECT ST_AsMVT(tile, 'heat') FROM (
                SELECT sum(heat.points)::bigint AS points, max(heat.devices)::integer AS devices,
                    ST_AsMVTGeom(
                        ST_TileEnvelope(18 - shift, heat.x >> shift, heat.y >> shift), ST_TileEnvelope($1, $2, $3)
                    ) AS geometry
                FROM waymark.heat CROSS JOIN (SELECT greatest(0, 18 - $1 - 6) AS shift) AS grid
                WHERE $1 <= 18 AND heat.x >= $2 << (18 - $1) AND heat.x < ($2 + 1) << (18 - $1)
                    AND heat.y >= $3 << (18 - $1) AND heat.y < ($3 + 1) << (18 - $1)
                GROUP BY shift, heat.x >> shift, heat.y >> shift
            ) AS tile
        $$
        """,
    ]
}

extension FleetDatabase {
    /// Creates the views for programs that draw maps, and the extension PostGIS, for which the account must be allowed.
    ///
    /// - Throws: ``FleetStoreError``.
    public func createMapViews() throws(FleetStoreError) {
        _ = try run([Statement(FleetSchema.lock)] + FleetSchema.postGIS.map { Statement($0) })
    }
}
#endif
