extension StoreMigration {
    static let tripEdits = """
        -- What someone has made of trips. No point of a trace is ever changed by it: a trip that was changed shows parts
        -- of recordings, its own and other trips'. One that was merged into another, or removed while another shows its
        -- points, is hidden. The times of a trip's own points count from where it was recorded to begin: `recorded`, or
        -- its start where that is NULL.
        ALTER TABLE trip ADD COLUMN recorded INTEGER;
        ALTER TABLE trip ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1));
        CREATE INDEX trip_hidden ON trip (number) WHERE hidden = 1;

        -- The last changes of each trip, to be undone.
        CREATE TABLE trip_edit (
            number INTEGER PRIMARY KEY CHECK (number >= 1),
            made_at INTEGER NOT NULL,
            change TEXT NOT NULL CHECK (change <> '')
        ) STRICT;

        -- What each trip of a change was before it (JSON); NULL where the change has made it.
        CREATE TABLE trip_before (
            trip INTEGER NOT NULL REFERENCES trip (number) ON DELETE CASCADE,
            edit INTEGER NOT NULL REFERENCES trip_edit (number) ON DELETE CASCADE,
            state TEXT,
            PRIMARY KEY (trip, edit)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX trip_before_by_edit ON trip_before (edit);

        -- The parts of recordings that a trip shows now, with edit 0, or showed before an edit: from one point to
        -- another, in milliseconds since 1970. A trip without any shows its own recording. `gap` where the way to the
        -- first point is not known, whatever its recording says.
        CREATE TABLE trip_part (
            trip INTEGER NOT NULL REFERENCES trip (number) ON DELETE CASCADE,
            edit INTEGER NOT NULL CHECK (edit >= 0),
            "from" INTEGER NOT NULL,
            until INTEGER NOT NULL,
            source INTEGER NOT NULL REFERENCES trip (number),
            gap INTEGER NOT NULL CHECK (gap IN (0, 1)),
            PRIMARY KEY (trip, edit, "from"),
            CHECK (until >= "from")
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX trip_part_by_source ON trip_part (source);

        -- The points that trips show, as people read them: degrees, metres, metres a second, RFC 3339.
        DROP VIEW trace_degrees;
        CREATE VIEW trace_degrees AS
        WITH part (trip, source, "from", until, gap) AS (
            SELECT number, number, -9223372036854775808, 9223372036854775807, 0 FROM trip
            WHERE hidden = 0 AND NOT EXISTS (SELECT 1 FROM trip_part WHERE trip_part.trip = number AND edit = 0)
            UNION ALL
            SELECT trip, source, "from", until, gap FROM trip_part WHERE edit = 0
        )
        SELECT
            trip.id AS trip,
            strftime(
                '%Y-%m-%dT%H:%M:%fZ', (coalesce(source.recorded, source.start) + trace.time) / 1000.0, 'unixepoch'
            ) AS time,
            trace.lat_e7 / 1e7 AS lat,
            trace.lon_e7 / 1e7 AS lon,
            trace.alt_dm / 10.0 AS alt_m,
            trace.speed_cmps / 100.0 AS speed_mps,
            trace.track_ddeg / 10.0 AS track_deg,
            trace.accuracy_m AS accuracy_m,
            trace_gap.time IS NOT NULL
                OR part.gap AND coalesce(source.recorded, source.start) + trace.time = part."from" AS gap
        FROM part
        JOIN trip ON trip.number = part.trip
        JOIN trip AS source ON source.number = part.source
        JOIN trace ON trace.trip = part.source
            AND coalesce(source.recorded, source.start) + trace.time BETWEEN part."from" AND part.until
        LEFT JOIN trace_gap ON trace_gap.trip = trace.trip AND trace_gap.time = trace.time;
        """
}
