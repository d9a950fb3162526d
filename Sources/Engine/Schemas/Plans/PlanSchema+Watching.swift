import Store

extension PlanSchema {
    static let watchMigration = StoreMigration(at: 39, name: "plans.watching.1", sql: watching)

    /// Returns SQL that records locations in `location_due`.
    ///
    /// The statement checks for duplicates itself. `OR IGNORE` would not do: if another trigger or a foreign key action
    /// fires this trigger, SQLite applies the conflict policy of the outer statement instead.
    ///
    /// - Parameter condition: the SQL condition on `location` that selects the locations.
    private static func note(_ condition: String) -> String {
        """
        INSERT INTO location_due SELECT id FROM location
                WHERE lat_e7 IS NOT NULL AND \(condition) AND id NOT IN (SELECT id FROM location_due);
        """
    }

    /// Returns SQL that records the location of a trigger's row, `NEW` or `OLD`.
    private static func note(theOneOf row: String) -> String {
        "INSERT INTO location_due SELECT \(row).id WHERE \(row).id NOT IN (SELECT id FROM location_due);"
    }

    /// Returns the SQL condition for a row of `plan_member` that belongs to a traveller.
    private static func travels(_ row: String) -> String { "(\(row).state = 'member' AND \(row).travels = 1)" }

    private static func ofPerson(_ row: String) -> String {
        """
        plan IN (SELECT plan FROM plan_member AS one WHERE one.person = \(row).person AND \(travels("one")))
        """
    }

    private static let watching = """
        -- The devices that carry travellers of plans; twice one that carries two.
        CREATE VIEW plan_device AS
        SELECT plan_member.plan, carried.device
        FROM plan_member JOIN carried ON carried.person = plan_member.person
        WHERE \(travels("plan_member"));

        -- As what a location is watched: its place, radius, time and devices; NULL where it is not.
        ALTER TABLE location ADD COLUMN watched_as TEXT;

        -- The locations that may have to be watched otherwise, or no more, once the change is committed.
        CREATE TABLE location_due (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TRIGGER location_due_when_new AFTER INSERT ON location WHEN NEW.lat_e7 IS NOT NULL BEGIN
            \(note(theOneOf: "NEW"))
        END;
        CREATE TRIGGER location_due_when_changed AFTER UPDATE OF name, lat_e7, lon_e7, radius_m ON location
        WHEN NEW.name <> OLD.name OR NEW.lat_e7 IS NOT OLD.lat_e7 OR NEW.lon_e7 IS NOT OLD.lon_e7
            OR NEW.radius_m <> OLD.radius_m
        BEGIN
            \(note(theOneOf: "NEW"))
        END;
        CREATE TRIGGER location_due_when_gone AFTER DELETE ON location WHEN OLD.lat_e7 IS NOT NULL BEGIN
            \(note(theOneOf: "OLD"))
        END;
        CREATE TRIGGER location_due_for_days AFTER UPDATE OF start_time, end_time ON plan
        WHEN NEW.start_time IS NOT OLD.start_time OR NEW.end_time IS NOT OLD.end_time
        BEGIN
            \(note("plan = NEW.number"))
        END;
        CREATE TRIGGER location_due_for_member AFTER INSERT ON plan_member WHEN \(travels("NEW")) BEGIN
            \(note("plan = NEW.plan"))
        END;
        CREATE TRIGGER location_due_for_other_member AFTER UPDATE OF person, state, travels ON plan_member
        WHEN NEW.person IS NOT OLD.person OR \(travels("NEW")) <> \(travels("OLD"))
        BEGIN
            \(note("plan = NEW.plan"))
        END;
        CREATE TRIGGER location_due_for_no_member AFTER DELETE ON plan_member WHEN \(travels("OLD")) BEGIN
            \(note("plan = OLD.plan"))
        END;
        CREATE TRIGGER location_due_for_carried AFTER INSERT ON carried BEGIN
            \(note(ofPerson("NEW")))
        END;
        CREATE TRIGGER location_due_for_carried_no_more AFTER DELETE ON carried BEGIN
            \(note(ofPerson("OLD")))
        END;
        """
}
