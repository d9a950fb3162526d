extension StoreMigration {
    /// The steps of this room.
    static let own: [StoreMigration] = [
        StoreMigration(at: 1, name: "store.log.1", sql: eventLog),
        StoreMigration(at: 2, name: "store.travels.1", sql: travels),
        StoreMigration(at: 3, name: "store.traces.1", sql: traces),
        StoreMigration(at: 4, name: "store.devices.2", sql: devices),
        StoreMigration(at: 5, name: "store.log.2", sql: sourceStates),
        StoreMigration(at: 6, name: "store.travels.2", sql: tripNumbers),
        StoreMigration(at: 7, name: "store.travels.3", sql: tripEdits),
        StoreMigration(at: 8, name: "store.log.3", sql: recipients),
        StoreMigration(at: 9, name: "store.travels.4", sql: importTimes),
        StoreMigration(at: 29, name: "store.log.4", sql: logStart),
        StoreMigration(at: 30, name: "store.traces.2", sql: traceKeys),
        StoreMigration(at: 45, name: "store.views.1", sql: dataViews),
        StoreMigration(at: 47, name: "store.reported.1", sql: reported),
        StoreMigration(at: 48, name: "store.log.5", sql: arrivals),
        StoreMigration(at: 49, name: "store.reported.2", sql: regions),
        StoreMigration(at: 51, name: "store.sums.1", sql: sums),
        StoreMigration(at: 56, name: "store.devices.3", sql: speedLimits),
        StoreMigration(at: 60, name: "store.kinds.1", sql: kinds),
        StoreMigration(at: 61, name: "store.heat.1", sql: heat),
        EventBlocks.migration,
        StoreMigration(at: 64, name: "store.travels.5", sql: lengths),
        StoreMigration(at: 81, name: "store.travels.6", sql: tripOrder),
    ]

    private static let tripOrder = """
        -- Lists of trips are ordered by start and then by id.
        DROP INDEX trip_by_device;
        CREATE INDEX trip_by_device ON trip (device, start, id);
        DROP INDEX trip_by_start;
        CREATE INDEX trip_by_start ON trip (start, id);
        """

    private static let recipients = """
        -- Whom an event is for alone; NULL where it is for everybody.
        ALTER TABLE event ADD COLUMN recipient TEXT;
        """

    private static let arrivals = """
        -- When the fix that decided an event came, in milliseconds since 1970, if that was late; the body does not say.
        ALTER TABLE event ADD COLUMN received INTEGER;
        """

    private static let eventLog = """
        -- The event log: its random name, and the number that the next event gets.
        CREATE TABLE log (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            name TEXT NOT NULL CHECK (length(name) = 32),
            next_seq INTEGER NOT NULL CHECK (next_seq >= 1)
        ) STRICT;
        INSERT INTO log VALUES (1, lower(hex(randomblob(16))), 1);

        -- Durable events. The time is in milliseconds since 1970; the body is the line that is served, its seq
        -- included.
        CREATE TABLE event (
            seq INTEGER PRIMARY KEY CHECK (seq >= 1),
            time INTEGER NOT NULL,
            type TEXT NOT NULL CHECK (type <> ''),
            device TEXT,
            subject TEXT,
            body TEXT NOT NULL
        ) STRICT;
        """

    private static let travels = """
        -- Devices, each with its last fix and the state after it (JSON).
        CREATE TABLE device (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last_time INTEGER,
            last_lat_e7 INTEGER CHECK (last_lat_e7 BETWEEN -900000000 AND 900000000),
            last_lon_e7 INTEGER CHECK (last_lon_e7 BETWEEN -1800000000 AND 1800000000),
            state TEXT,
            CHECK ((last_time IS NULL) = (last_lat_e7 IS NULL) AND (last_time IS NULL) = (last_lon_e7 IS NULL))
        ) STRICT;

        -- Recorded trips; one that goes on has no end, and a device has at most one such. What is not known is NULL.
        CREATE TABLE trip (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            device INTEGER NOT NULL REFERENCES device (number),
            start INTEGER NOT NULL,
            "end" INTEGER,
            distance_m REAL CHECK (distance_m >= 0),
            moving_s REAL CHECK (moving_s >= 0),
            stopped_s REAL CHECK (stopped_s >= 0),
            max_speed_mps REAL CHECK (max_speed_mps >= 0),
            stops INTEGER CHECK (stops >= 0),
            fixes INTEGER CHECK (fixes >= 0),
            algorithm INTEGER NOT NULL,
            settings TEXT NOT NULL,
            revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
            CHECK ("end" >= start)
        ) STRICT;
        CREATE INDEX trip_by_device ON trip (device, start);
        CREATE INDEX trip_by_start ON trip (start);
        CREATE UNIQUE INDEX trip_open ON trip (device) WHERE "end" IS NULL;

        -- Rests that were told; one that goes on has no end.
        CREATE TABLE stop (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            device INTEGER NOT NULL REFERENCES device (number),
            start INTEGER NOT NULL,
            "end" INTEGER,
            lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            CHECK ("end" >= start)
        ) STRICT;
        CREATE INDEX stop_by_device ON stop (device, start);
        """

    private static let traces = """
        -- The points of trips, in small whole units: milliseconds since the trip's start, 1e-7 degrees, decimetres,
        -- centimetres a second, tenths of a degree, and metres rounded up. The one writer proves what a CHECK and a
        -- foreign key would ask for each of millions of rows at two thirds of the speed; a trigger removes them.
        CREATE TABLE trace (
            trip INTEGER NOT NULL,
            time INTEGER NOT NULL,
            lat_e7 INTEGER NOT NULL,
            lon_e7 INTEGER NOT NULL,
            alt_dm INTEGER,
            speed_cmps INTEGER,
            track_ddeg INTEGER,
            accuracy_m INTEGER,
            PRIMARY KEY (trip, time)
        ) STRICT, WITHOUT ROWID;

        -- Points to which the way from the point before is not known. Few are, so that a column would cost more.
        CREATE TABLE trace_gap (
            trip INTEGER NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (trip, time)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER trip_removed AFTER DELETE ON trip BEGIN
            DELETE FROM trace WHERE trip = OLD.number;
            DELETE FROM trace_gap WHERE trip = OLD.number;
        END;

        -- The points as people read them: degrees, metres, metres a second, RFC 3339.
        CREATE VIEW trace_degrees AS
        SELECT
            trip.id AS trip,
            strftime('%Y-%m-%dT%H:%M:%fZ', (trip.start + trace.time) / 1000.0, 'unixepoch') AS time,
            trace.lat_e7 / 1e7 AS lat,
            trace.lon_e7 / 1e7 AS lon,
            trace.alt_dm / 10.0 AS alt_m,
            trace.speed_cmps / 100.0 AS speed_mps,
            trace.track_ddeg / 10.0 AS track_deg,
            trace.accuracy_m AS accuracy_m,
            trace_gap.time IS NOT NULL AS gap
        FROM trace
        JOIN trip ON trip.number = trace.trip
        LEFT JOIN trace_gap ON trace_gap.trip = trace.trip AND trace_gap.time = trace.time;
        """

    private static let traceKeys = """
        -- The points of trips as before, by one number: that of the trip above the 40 bits of the milliseconds since its
        -- start. Where a tree of such numbers grows at its end, SQLite begins a new page; that of two columns it
        -- balanced anew, five pages for each half minute.
        DROP VIEW trace_degrees;
        DROP TRIGGER trip_removed;
        ALTER TABLE trace RENAME TO trace_by_trip;
        CREATE TABLE trace (
            key INTEGER PRIMARY KEY,
            lat_e7 INTEGER NOT NULL,
            lon_e7 INTEGER NOT NULL,
            alt_dm INTEGER,
            speed_cmps INTEGER,
            track_ddeg INTEGER,
            accuracy_m INTEGER,
            trip INTEGER NOT NULL AS (key >> 40) VIRTUAL,
            time INTEGER NOT NULL AS (key & 1099511627775) VIRTUAL
        ) STRICT;
        INSERT INTO trace (key, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m)
            SELECT trip << 40 | time, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m
            FROM trace_by_trip WHERE time BETWEEN 0 AND 1099511627775 ORDER BY trip, time;
        DROP TABLE trace_by_trip;

        CREATE TRIGGER trip_removed AFTER DELETE ON trip BEGIN
            DELETE FROM trace WHERE key BETWEEN OLD.number << 40 AND OLD.number << 40 | 1099511627775;
            DELETE FROM trace_gap WHERE trip = OLD.number;
        END;

        -- The points that trips show, as people read them: degrees, metres, metres a second, RFC 3339.
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
        -- After the trips, by its key: SQLite would read all of it first.
        CROSS JOIN trace ON trace.key BETWEEN part.source << 40 AND part.source << 40 | 1099511627775
            AND coalesce(source.recorded, source.start) + trace.time BETWEEN part."from" AND part.until
        LEFT JOIN trace_gap ON trace_gap.trip = part.source AND trace_gap.time = trace.time;
        """

    private static let devices = """
        -- What people call a device, and which is meant where none is named: the one that is marked, else the first
        -- that came.
        ALTER TABLE device ADD COLUMN title TEXT CHECK (title <> '');
        ALTER TABLE device ADD COLUMN is_primary INTEGER NOT NULL DEFAULT 0 CHECK (is_primary IN (0, 1));
        CREATE UNIQUE INDEX device_primary ON device (is_primary) WHERE is_primary = 1;
        """

    private static let speedLimits = """
        -- The speed in metres a second above which a device is reported, wherever it is; NULL is that of the
        -- configuration.
        ALTER TABLE device ADD COLUMN speed_limit REAL CHECK (speed_limit > 0);
        """

    private static let sourceStates = """
        -- By this the last state of each receiver is found among all events; few are of these types.
        CREATE INDEX event_of_source ON event (device) WHERE type IN ('source.online', 'source.offline');
        """

    private static let importTimes = """
        -- When someone imported a trip, in milliseconds since 1970; NULL of one that was recorded.
        ALTER TABLE trip ADD COLUMN imported INTEGER;
        """

    private static let logStart = """
        -- The event log's name, and the number that its next event gets where those before it are gone: a number that was
        -- written with each event would cost a page each time.
        CREATE TABLE log_start (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            name TEXT NOT NULL CHECK (length(name) = 32),
            next_seq INTEGER NOT NULL CHECK (next_seq >= 1)
        ) STRICT;
        INSERT INTO log_start SELECT one, name, next_seq FROM log;
        DROP TABLE log;

        -- The event log: its random name, and the number that the next event gets.
        CREATE VIEW log AS
        SELECT one, name, max(next_seq, 1 + coalesce((SELECT max(seq) FROM event), 0)) AS next_seq FROM log_start;

        -- A number is never given again, though its event is gone.
        CREATE TRIGGER event_removed BEFORE DELETE ON event WHEN OLD.seq = (SELECT max(seq) FROM event) BEGIN
            UPDATE log_start SET next_seq = max(next_seq, OLD.seq + 1);
        END;
        """

    private static let tripNumbers = """
        -- What else a trip adds up to: the straight lines across its gaps, which its distance has not; those over more
        -- than a minute without a point, which it has; heights; and the box it lies in, whose west lies east of its
        -- east where it crosses the antimeridian.
        ALTER TABLE trip ADD COLUMN gaps_m REAL CHECK (gaps_m >= 0);
        ALTER TABLE trip ADD COLUMN bridged_m REAL CHECK (bridged_m >= 0);
        ALTER TABLE trip ADD COLUMN climb_m REAL CHECK (climb_m >= 0);
        ALTER TABLE trip ADD COLUMN descent_m REAL CHECK (descent_m >= 0);
        ALTER TABLE trip ADD COLUMN south_e7 INTEGER;
        ALTER TABLE trip ADD COLUMN west_e7 INTEGER;
        ALTER TABLE trip ADD COLUMN north_e7 INTEGER;
        ALTER TABLE trip ADD COLUMN east_e7 INTEGER;
        -- What goes on ends here with what is known: the rules have changed, and go on from nothing of the old ones.
        UPDATE trip SET
            "end" = start + coalesce((SELECT max(time) FROM trace WHERE trace.trip = trip.number), 0),
            fixes = (SELECT count(*) FROM trace WHERE trace.trip = trip.number)
        WHERE "end" IS NULL;
        UPDATE stop SET
            "end" = max(start, coalesce((SELECT last_time FROM device WHERE device.number = stop.device), start))
        WHERE "end" IS NULL;
        """
}
