import Store

extension PlanSchema {
    static let binMigration = StoreMigration(at: 62, name: "plans.bin.1", sql: bin)

    /// Returns SQL that is true for an object that has just been moved to the bin, alone or with its plan.
    private static func isBinned(_ kind: String) -> String {
        """
        EXISTS (SELECT 1 FROM plan_bin WHERE subject = '\(kind)/' || OLD.id)
            OR EXISTS (SELECT 1 FROM plan_bin WHERE kind = 'plan' AND plan = OLD.plan)
        """
    }

    private static let bin = """
        -- What was removed from plans, until it is put back or its time is over. Content is a JSON object with the rows
        -- of each table; subjects are the things with photos and reviews among them, which stay as long as this does.
        -- What only its owner saw is hidden. The plan may itself be in the bin. Time is in milliseconds since 1970.
        CREATE TABLE plan_bin (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            plan INTEGER NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('plan', 'location', 'activity', 'expense', 'repayment')),
            subject TEXT NOT NULL UNIQUE,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            time INTEGER NOT NULL,
            title TEXT NOT NULL,
            hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
            content TEXT NOT NULL,
            subjects TEXT NOT NULL
        ) STRICT;
        CREATE INDEX plan_bin_by_plan ON plan_bin (plan, number);
        CREATE INDEX plan_bin_by_person ON plan_bin (person, number) WHERE person IS NOT NULL;
        CREATE INDEX plan_bin_by_time ON plan_bin (time);

        -- What people have said of something goes with it, but not before it has left the bin.
        DROP TRIGGER plan_removed;
        DROP TRIGGER location_removed;
        DROP TRIGGER activity_removed;
        CREATE TRIGGER plan_removed AFTER DELETE ON plan
        WHEN NOT EXISTS (SELECT 1 FROM plan_bin WHERE subject = 'plan/' || OLD.id) BEGIN
            DELETE FROM subject WHERE id = 'plan/' || OLD.id;
            DELETE FROM plan_bin WHERE plan = OLD.number;
        END;
        CREATE TRIGGER location_removed AFTER DELETE ON location WHEN NOT (\(isBinned("location"))) BEGIN
            DELETE FROM subject WHERE id = 'location/' || OLD.id;
        END;
        CREATE TRIGGER activity_removed AFTER DELETE ON activity WHEN NOT (\(isBinned("activity"))) BEGIN
            DELETE FROM subject WHERE id = 'activity/' || OLD.id;
        END;
        CREATE TRIGGER plan_bin_emptied AFTER DELETE ON plan_bin BEGIN
            DELETE FROM subject WHERE id IN (SELECT value FROM json_each(OLD.subjects)) AND NOT (
                id GLOB 'plan/*' AND EXISTS (SELECT 1 FROM plan WHERE plan.id = substr(subject.id, 6))
                OR id GLOB 'location/*' AND EXISTS (SELECT 1 FROM location WHERE location.id = substr(subject.id, 10))
                OR id GLOB 'activity/*' AND EXISTS (SELECT 1 FROM activity WHERE activity.id = substr(subject.id, 10)));
        END;

        -- A removed plan belongs to its owner alone, and goes with that account.
        CREATE TRIGGER plan_bin_owner_removed BEFORE DELETE ON person BEGIN
            DELETE FROM plan_bin
            WHERE plan IN (SELECT plan FROM plan_bin WHERE kind = 'plan' AND person = OLD.number);
        END;
        """
}
