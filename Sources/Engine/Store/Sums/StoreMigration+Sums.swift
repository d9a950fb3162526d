extension StoreMigration {
    /// The sums of trips by device and local day, and the logbook.
    ///
    /// Triggers note the trips whose sums are out of date; ``TripSums/settle(in:)`` replaces these in the same
    /// transaction. Other triggers add the days up.
    static let sums: String = [
        tables, changes, stops("stop_made", "NEW", "INSERT ON stop"),
        stops("stop_changed", "NEW", "UPDATE ON stop"), stops("stop_removed", "OLD", "DELETE ON stop"),
        adding("trip_day_added", "NEW", "INSERT ON trip_day"), adding("trip_day_removed", "OLD", "DELETE ON trip_day"),
        classifying("trip_log_made", "NEW", "INSERT ON trip_log"),
        classifying("trip_log_changed", "NEW", "UPDATE ON trip_log"),
        classifying("trip_log_removed", "OLD", "DELETE ON trip_log"),
    ].joined()

    private static let tables = """
        -- The time zone at whose midnight the days of the sums begin, by its name in the tz database.
        CREATE TABLE sum_zone (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            name TEXT NOT NULL CHECK (name <> '')
        ) STRICT;
        INSERT INTO sum_zone VALUES (1, 'UTC');

        -- What a trip that has ended adds to each local day that it touches: days since 1970, centimetres, milliseconds,
        -- centimetres a second, and times in milliseconds since 1970. A trip counts on the day on which it began. What
        -- is not known is NULL, as are the first and the last movement of a day on which the device only stood.
        CREATE TABLE trip_day (
            trip INTEGER NOT NULL,
            day INTEGER NOT NULL,
            device INTEGER NOT NULL,
            trips INTEGER NOT NULL CHECK (trips IN (0, 1)),
            distance_cm INTEGER NOT NULL CHECK (distance_cm >= 0),
            moving_ms INTEGER NOT NULL CHECK (moving_ms >= 0),
            stopped_ms INTEGER NOT NULL CHECK (stopped_ms >= 0),
            stops INTEGER NOT NULL CHECK (stops >= 0),
            max_speed_cmps INTEGER CHECK (max_speed_cmps >= 0),
            first INTEGER,
            last INTEGER,
            PRIMARY KEY (trip, day)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX trip_day_by_day ON trip_day (day, device);
        CREATE INDEX trip_day_over_midnight ON trip_day (device) WHERE trips = 0;

        -- The trips whose rows above are out of date, within the transaction that changes them.
        CREATE TABLE trip_due (trip INTEGER PRIMARY KEY) STRICT;
        INSERT INTO trip_due SELECT number FROM trip WHERE "end" IS NOT NULL AND hidden = 0;

        -- A driver's logbook: what a trip was for, in which words, and who drove. By hand, or by a rule about places.
        CREATE TABLE trip_log (
            trip INTEGER PRIMARY KEY REFERENCES trip (number) ON DELETE CASCADE,
            purpose TEXT CHECK (purpose IN ('business', 'private', 'commute')),
            reason TEXT CHECK (reason <> ''),
            driver TEXT CHECK (driver <> ''),
            is_by_rule INTEGER NOT NULL DEFAULT 0 CHECK (is_by_rule IN (0, 1)),
            set_at INTEGER NOT NULL
        ) STRICT;

        -- All trips of a device on a day, added up by triggers.
        CREATE TABLE day_sum (
            day INTEGER NOT NULL,
            device INTEGER NOT NULL,
            trips INTEGER NOT NULL,
            distance_cm INTEGER NOT NULL,
            moving_ms INTEGER NOT NULL,
            stopped_ms INTEGER NOT NULL,
            stops INTEGER NOT NULL,
            max_speed_cmps INTEGER,
            first INTEGER,
            last INTEGER,
            business_cm INTEGER NOT NULL,
            private_cm INTEGER NOT NULL,
            commute_cm INTEGER NOT NULL,
            PRIMARY KEY (day, device)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER trip_sums_removed AFTER DELETE ON trip BEGIN
            DELETE FROM trip_due WHERE trip = OLD.number;
            DELETE FROM trip_day WHERE trip = OLD.number;
        END;

        """

    private static let changes = """
        CREATE TRIGGER trip_due_made AFTER INSERT ON trip WHEN NEW."end" IS NOT NULL BEGIN
            INSERT OR IGNORE INTO trip_due VALUES (NEW.number);
        END;
        CREATE TRIGGER trip_due_changed
        AFTER UPDATE OF device, start, "end", distance_m, moving_s, stopped_s, max_speed_mps, stops, hidden ON trip
        WHEN NEW."end" IS NOT NULL BEGIN
            INSERT OR IGNORE INTO trip_due VALUES (NEW.number);
        END;

        """

    /// A trigger that marks the trips over midnight during which a stop is, because the stops tell how their time is
    /// divided between the days.
    private static func stops(_ name: String, _ row: String, _ event: String) -> String {
        """
        CREATE TRIGGER trip_due_\(name) AFTER \(event) BEGIN
            INSERT OR IGNORE INTO trip_due
                SELECT trip.number FROM trip_day JOIN trip ON trip.number = trip_day.trip
                WHERE trip_day.device = \(row).device AND trip_day.trips = 0
                    AND trip.start < coalesce(\(row)."end", trip."end") AND trip."end" > \(row).start;
        END;

        """
    }

    /// A trigger that adds up the day of a changed row again.
    private static func adding(_ name: String, _ row: String, _ event: String) -> String {
        """
        CREATE TRIGGER day_sum_\(name) AFTER \(event) BEGIN
            DELETE FROM day_sum WHERE day = \(row).day AND device = \(row).device;
            INSERT INTO day_sum \(total) WHERE day = \(row).day AND device = \(row).device GROUP BY day, device;
        END;

        """
    }

    /// A trigger that adds up the days of a trip again whose purpose has changed.
    private static func classifying(_ name: String, _ row: String, _ event: String) -> String {
        let days = "(SELECT day, device FROM trip_day WHERE trip = \(row).trip)"
        return """
            CREATE TRIGGER day_sum_\(name) AFTER \(event) BEGIN
                DELETE FROM day_sum WHERE (day, device) IN \(days);
                INSERT INTO day_sum \(total) WHERE (day, device) IN \(days) GROUP BY day, device;
            END;

            """
    }

    /// The sums of the rows of a day and a device.
    ///
    /// The function `total` cannot overflow, whatever a damaged row holds.
    static let total = """
        SELECT
            day, device, \(sum("trips")), \(sum("distance_cm")), \(sum("moving_ms")), \(sum("stopped_ms")),
            \(sum("stops")), max(max_speed_cmps), min(first), max(last), \(distance("business")),
            \(distance("private")), \(distance("commute"))
        FROM trip_day LEFT JOIN trip_log ON trip_log.trip = trip_day.trip
        """

    private static func sum(_ column: String) -> String { "CAST(total(\(column)) AS INTEGER)" }

    private static func distance(_ purpose: String) -> String {
        "CAST(total(distance_cm) FILTER (WHERE purpose = '\(purpose)') AS INTEGER)"
    }
}
