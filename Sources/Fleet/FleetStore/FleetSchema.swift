#if Fleet
/// The tables of a fleet in PostgreSQL, in the schema `waymark`.
///
/// Each step runs once and never changes. `waymark.migration` has the numbers of those that ran.
enum FleetSchema {
    /// The steps in order, each a list of statements.
    ///
    /// The first has number 1.
    static let steps: [[String]] = [first, second, third, fourth]

    /// What must be there before the first step.
    static let ledger = [
        "CREATE SCHEMA IF NOT EXISTS waymark",
        """
        CREATE TABLE IF NOT EXISTS waymark.migration (
            number integer PRIMARY KEY,
            applied timestamptz NOT NULL DEFAULT now()
        )
        """,
    ]

    /// Lets one program at a time change the schema, until its transaction ends.
    static let lock = "SELECT pg_advisory_xact_lock(hashtext('waymark.migration'))"

    // Boards, which decide their events themselves. All their devices are in one partition after those of the queues; no
    // worker takes it, and each transaction of a door numbers its events there.
    private static let fourth = [
        // A board: the SHA-256 of its secret in hexadecimal digits, the number of its devices, and when its last batch
        // came.
        """
        CREATE TABLE waymark.board (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            digest text NOT NULL UNIQUE,
            devices integer NOT NULL DEFAULT 0,
            seen timestamptz
        )
        """,
        // A log of a board: the last event that is here with all before it, the chain of digests up to it, and how far
        // the traces of trips are, as in the store of a centre.
        """
        CREATE TABLE waymark.board_log (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            board bigint NOT NULL REFERENCES waymark.board,
            name text NOT NULL,
            seq bigint NOT NULL DEFAULT 0,
            chain bytea NOT NULL,
            traced bigint NOT NULL DEFAULT 0,
            tracing bigint,
            tracing_time bigint,
            UNIQUE (board, name)
        )
        """,
        // The events of a log as its board has stored them: the bytes, or the digest of one that stays on the board, or
        // how many the board had no longer.
        """
        CREATE TABLE waymark.board_event (
            log bigint NOT NULL REFERENCES waymark.board_log,
            seq bigint NOT NULL,
            bytes bytea,
            digest bytea,
            missing bigint,
            PRIMARY KEY (log, seq),
            CHECK ((bytes IS NULL)::integer + (digest IS NULL)::integer + (missing IS NULL)::integer = 2)
        )
        """,
        // Some events of boards have no place, and a device of a board has no state here.
        "ALTER TABLE waymark.event ALTER lat_e7 DROP NOT NULL, ALTER lon_e7 DROP NOT NULL",
        "ALTER TABLE waymark.device ALTER state DROP NOT NULL",
        "INSERT INTO waymark.partition (id) SELECT fleet.partitions FROM waymark.fleet ON CONFLICT DO NOTHING",
        // A report: what each device did in each month, by the beginning of its trips in UTC.
        """
        CREATE VIEW waymark.month_report AS
        SELECT trip.device, to_char(to_timestamp(trip.start / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
            count(*) AS trips, sum(trip.distance_m) AS distance_m, sum(trip.moving_s) AS moving_s,
            sum(trip.stopped_s) AS stopped_s, sum(trip.stops) AS stops, max(trip.max_speed_mps) AS max_speed_mps
        FROM waymark.trip WHERE trip."end" IS NOT NULL GROUP BY 1, 2
        """,
        // Another Waymark may follow the log. It knows each partition's by a name that no other fleet has.
        "ALTER TABLE waymark.fleet ADD COLUMN log uuid NOT NULL DEFAULT gen_random_uuid()",
        // Moves a log on, unless another door has moved it since it was read, and gives out the numbers of events.
        """
        CREATE FUNCTION waymark.advance(
            own_log bigint, old_seq bigint, old_traced bigint, old_time bigint, new_seq bigint, new_chain bytea,
            new_traced bigint, new_tracing bigint, new_time bigint, events bigint
        ) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE waymark.board_log
            SET seq = new_seq, chain = new_chain, traced = new_traced, tracing = new_tracing, tracing_time = new_time
            WHERE board_log.number = own_log AND board_log.seq = old_seq AND board_log.traced = old_traced
                AND board_log.tracing_time IS NOT DISTINCT FROM old_time;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'another door has moved log % on', own_log USING ERRCODE = 'WM001';
            END IF;
            UPDATE waymark.board SET seen = now() FROM waymark.board_log
            WHERE board_log.number = own_log AND board.number = board_log.board;
            IF events > 0 THEN
                UPDATE waymark.partition SET next_seq = next_seq + events FROM waymark.fleet
                WHERE partition.id = fleet.partitions;
            END IF;
        END $$
        """,
    ]

    // Programs that copy a partition go through its devices.
    private static let third = ["CREATE INDEX device_by_partition ON waymark.device (partition, name)"]

    private static let second = [
        // Messages that failed with others, and how often each was tried alone. A row is written before the try, so
        // that it is there if the try ends the worker.
        """
        CREATE TABLE waymark.attempt (
            partition integer NOT NULL,
            publisher text NOT NULL,
            number bigint NOT NULL,
            tries integer NOT NULL,
            PRIMARY KEY (partition, publisher, number)
        )
        """
    ]

    private static let first = [
        // The fleet: its name, which its queues begin with; how many partitions it has, for ever; the settings that
        // trips are computed with; and the version of its geofences.
        """
        CREATE TABLE waymark.fleet (
            one integer PRIMARY KEY CHECK (one = 1),
            name text NOT NULL,
            partitions integer NOT NULL CHECK (partitions BETWEEN 1 AND 256),
            settings text NOT NULL,
            geofences bigint NOT NULL DEFAULT 0
        )
        """,
        // A partition: how often a worker has taken it, and the number of its next event. A worker writes only with
        // the epoch that it took.
        """
        CREATE TABLE waymark.partition (
            id integer PRIMARY KEY,
            epoch bigint NOT NULL DEFAULT 0,
            next_seq bigint NOT NULL DEFAULT 1,
            worker text,
            taken timestamptz
        )
        """,
        // The messages of each publisher that a partition has applied: the highest number, and which of those below
        // it.
        """
        CREATE TABLE waymark.publisher (
            partition integer NOT NULL,
            id text NOT NULL,
            highest bigint NOT NULL,
            applied bytea NOT NULL,
            used timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (partition, id)
        )
        """,
        // Devices, each with its last fix and the state after it (JSON).
        """
        CREATE TABLE waymark.device (
            name text PRIMARY KEY,
            partition integer NOT NULL,
            last_time bigint,
            last_lat_e7 integer,
            last_lon_e7 integer,
            state text NOT NULL
        )
        """,
        // The log: the events of each partition, numbered without gaps. A body is the line of one Waymark without
        // its seq.
        """
        CREATE TABLE waymark.event (
            partition integer NOT NULL,
            seq bigint NOT NULL,
            time bigint NOT NULL,
            type text NOT NULL,
            device text NOT NULL,
            subject text,
            lat_e7 integer NOT NULL,
            lon_e7 integer NOT NULL,
            geofences bigint NOT NULL,
            body text NOT NULL,
            PRIMARY KEY (partition, seq)
        )
        """,
        "CREATE INDEX event_by_device ON waymark.event (device, seq)",
        // Trips; one that goes on has no end. `journey` is the trip that a later one continues after a silence.
        """
        CREATE TABLE waymark.trip (
            id text PRIMARY KEY,
            partition integer NOT NULL,
            device text NOT NULL,
            start bigint NOT NULL,
            "end" bigint,
            distance_m double precision,
            moving_s double precision,
            stopped_s double precision,
            max_speed_mps double precision,
            stops bigint,
            fixes bigint,
            gaps_m double precision,
            bridged_m double precision,
            climb_m double precision,
            descent_m double precision,
            south_e7 integer,
            west_e7 integer,
            north_e7 integer,
            east_e7 integer,
            algorithm integer NOT NULL,
            journey text
        )
        """,
        "CREATE INDEX trip_by_device ON waymark.trip (device, start)",
        // The points of trips, packed. `until` is the time of the last one that counts, where a trip was cut; NULL
        // for all.
        """
        CREATE TABLE waymark.trace (
            trip text NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            until bigint,
            points bytea NOT NULL,
            PRIMARY KEY (trip, first)
        )
        """,
        """
        CREATE TABLE waymark.stop (
            id text PRIMARY KEY,
            partition integer NOT NULL,
            device text NOT NULL,
            start bigint NOT NULL,
            "end" bigint,
            lat_e7 integer NOT NULL,
            lon_e7 integer NOT NULL
        )
        """,
        "CREATE INDEX stop_by_device ON waymark.stop (device, start)",
        // Geofences, each with the version of its last change; one without a body is removed.
        """
        CREATE TABLE waymark.geofence (
            kind text NOT NULL,
            id text NOT NULL,
            version bigint NOT NULL,
            body text NOT NULL,
            shape text,
            PRIMARY KEY (kind, id)
        )
        """,
        // Messages that cannot be applied.
        """
        CREATE TABLE waymark.refused (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            partition integer NOT NULL,
            at timestamptz NOT NULL DEFAULT now(),
            reason text NOT NULL,
            body bytea NOT NULL
        )
        """,
        // The secrets with which phones report, by their SHA-256 in hexadecimal digits; a device has one.
        """
        CREATE TABLE waymark.secret (
            digest text PRIMARY KEY,
            device text NOT NULL UNIQUE
        )
        """,
        // The workers that are there, by when they last said so.
        """
        CREATE TABLE waymark.worker (
            id text PRIMARY KEY,
            seen timestamptz NOT NULL
        )
        """,
        // The fence: it refuses a worker whose partition another one has taken, and gives out the numbers of its
        // events. It returns the version of the geofences.
        """
        CREATE FUNCTION waymark.fence(own_partition integer, own_epoch bigint, own_seq bigint, events bigint)
        RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE waymark.partition SET next_seq = next_seq + events
            WHERE partition.id = own_partition AND partition.epoch = own_epoch AND partition.next_seq = own_seq;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'another worker has taken partition %', own_partition USING ERRCODE = 'WM001';
            END IF;
            RETURN (SELECT fleet.geofences FROM waymark.fleet);
        END $$
        """,
    ]
}
#endif
