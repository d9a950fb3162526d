import Store

extension PlanSchema {
    static let checklistMigration = StoreMigration(
        at: 76, name: "plans.checklists.1", sql: checklists + kinds + following)

    /// The kinds of objects that the bin and the history of a plan know.
    private static let kindsOfObjects = """
        'plan', 'location', 'activity', 'expense', 'repayment', 'checklist', 'task'
        """

    private static let checklists = """
        -- What the people of a plan have to do or to pack, in lists. Of level 0 they are for who added them.
        CREATE TABLE checklist (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            revision INTEGER NOT NULL DEFAULT 1,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 3),
            created INTEGER NOT NULL,
            title TEXT NOT NULL CHECK (title <> '')
        ) STRICT;
        CREATE INDEX checklist_by_plan ON checklist (plan, number);
        CREATE INDEX checklist_by_person ON checklist (person) WHERE person IS NOT NULL;

        -- The entries of lists, in an order of their own. Person and level are those of the list, kept by triggers; member
        -- is who does it, and day the date by which it is to be done.
        CREATE TABLE task (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            checklist INTEGER NOT NULL REFERENCES checklist (number) ON DELETE CASCADE,
            revision INTEGER NOT NULL DEFAULT 1,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            level INTEGER NOT NULL DEFAULT 0 CHECK (level BETWEEN 0 AND 3),
            created INTEGER NOT NULL,
            position INTEGER NOT NULL,
            title TEXT NOT NULL CHECK (title <> ''),
            done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
            member INTEGER REFERENCES plan_member (number) ON DELETE SET NULL,
            day TEXT
        ) STRICT;
        CREATE INDEX task_by_checklist ON task (checklist, position, number);
        CREATE INDEX task_by_plan ON task (plan);
        CREATE INDEX task_by_person ON task (person) WHERE person IS NOT NULL;
        CREATE INDEX task_by_member ON task (member) WHERE member IS NOT NULL;

        """

    /// SQLite cannot change the CHECK of a column, so that the two tables are made again.
    private static let kinds = """
        CREATE TABLE plan_bin_kept AS SELECT * FROM plan_bin;
        DROP TABLE plan_bin;
        -- What was removed from plans, until it is put back or its time is over. Content is a JSON object with the rows
        -- of each table; subjects are the things with photos and reviews among them, which stay as long as this does.
        -- What only its owner saw is hidden. The plan may itself be in the bin. Time is in milliseconds since 1970.
        CREATE TABLE plan_bin (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            plan INTEGER NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN (\(kindsOfObjects))),
            subject TEXT NOT NULL UNIQUE,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            time INTEGER NOT NULL,
            title TEXT NOT NULL,
            hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
            content TEXT NOT NULL,
            subjects TEXT NOT NULL
        ) STRICT;
        INSERT INTO plan_bin SELECT * FROM plan_bin_kept;
        DROP TABLE plan_bin_kept;
        CREATE INDEX plan_bin_by_plan ON plan_bin (plan, number);
        CREATE INDEX plan_bin_by_person ON plan_bin (person, number) WHERE person IS NOT NULL;
        CREATE INDEX plan_bin_by_time ON plan_bin (time);
        CREATE TRIGGER plan_bin_emptied AFTER DELETE ON plan_bin BEGIN
            DELETE FROM subject WHERE id IN (SELECT value FROM json_each(OLD.subjects)) AND NOT (
                id GLOB 'plan/*' AND EXISTS (SELECT 1 FROM plan WHERE plan.id = substr(subject.id, 6))
                OR id GLOB 'location/*' AND EXISTS (SELECT 1 FROM location WHERE location.id = substr(subject.id, 10))
                OR id GLOB 'activity/*' AND EXISTS (SELECT 1 FROM activity WHERE activity.id = substr(subject.id, 10)));
        END;

        CREATE TABLE plan_change_kept AS SELECT * FROM plan_change;
        DROP TABLE plan_change;
        -- The last changes of each plan, the later the higher the number; times are in milliseconds since 1970. Level
        -- and author are those of the subject as it is now, or was before it was removed: 0 is for its author alone.
        -- Private is a change of what only members see. Content is what it takes to undo the change, NULL if it cannot
        -- be undone; fields are the names of the changed ones, one a line.
        CREATE TABLE plan_change (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            size INTEGER NOT NULL,
            time INTEGER NOT NULL,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            author INTEGER REFERENCES person (number) ON DELETE SET NULL,
            level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 3),
            private INTEGER NOT NULL CHECK (private IN (0, 1)),
            kind TEXT NOT NULL CHECK (kind IN (\(kindsOfObjects))),
            subject TEXT NOT NULL,
            deed TEXT NOT NULL CHECK (deed IN ('added', 'changed', 'moved', 'removed', 'restored')),
            title TEXT NOT NULL,
            fields TEXT NOT NULL,
            undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)),
            content TEXT
        ) STRICT;
        INSERT INTO plan_change SELECT * FROM plan_change_kept;
        DROP TABLE plan_change_kept;
        CREATE INDEX plan_change_by_plan ON plan_change (plan, number, size);
        CREATE INDEX plan_change_by_subject ON plan_change (plan, subject);
        CREATE INDEX plan_change_by_person ON plan_change (person) WHERE person IS NOT NULL;
        CREATE INDEX plan_change_by_author ON plan_change (author) WHERE author IS NOT NULL;

        """

    /// The entries in the bin that belonged to a list.
    private static let binnedTasks = """
        SELECT plan_bin.subject FROM plan_bin
                WHERE plan_bin.plan = NEW.plan AND plan_bin.kind = 'task'
                    AND plan_bin.content ->> '$.task[0].checklist' = NEW.number
        """

    private static let following = """
        -- Whoever sees a list sees its entries, those in the bin and what was written of them.
        CREATE TRIGGER task_added AFTER INSERT ON task BEGIN
            UPDATE task SET level = checklist.level, person = checklist.person FROM checklist
            WHERE task.number = NEW.number AND checklist.number = NEW.checklist;
        END;
        CREATE TRIGGER checklist_level_changed AFTER UPDATE OF level, person ON checklist
        WHEN NEW.level <> OLD.level OR NEW.person IS NOT OLD.person BEGIN
            UPDATE task SET level = NEW.level, person = NEW.person WHERE checklist = NEW.number;
            UPDATE plan_change SET level = NEW.level, author = NEW.person
            WHERE plan = NEW.plan AND subject IN (
                SELECT 'task/' || task.id FROM task WHERE task.checklist = NEW.number
                UNION ALL \(binnedTasks));
            UPDATE plan_bin SET hidden = (NEW.level = 0) WHERE subject IN (\(binnedTasks));
        END;
        """
}
