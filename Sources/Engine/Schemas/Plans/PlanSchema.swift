package import Store

/// The database schema of plans.
package enum PlanSchema {
    static let migration = StoreMigration(
        at: 32, name: "plans.plans.1", sql: plans + members + locations + activities + triggers)
    static let moneyMigration = StoreMigration(at: 33, name: "plans.money.1", sql: money)
    static let linkMigration = StoreMigration(at: 34, name: "plans.links.1", sql: links)

    static let tripMigration = StoreMigration(at: 36, name: "plans.trips.1", sql: trips)

    /// All steps.
    package static let migrations = [
        migration, moneyMigration, linkMigration, tripMigration, watchMigration, binMigration, historyMigration,
        sumMigration, checklistMigration,
    ]

    /// Returns the columns of a planned time.
    ///
    /// They are the clock time, its zone, the offset that picks one of two equal clock times, and the moment in
    /// milliseconds since 1970.
    private static func time(_ name: String) -> String {
        """
        \(name)_clock TEXT,
            \(name)_zone TEXT,
            \(name)_offset_s INTEGER,
            \(name)_time INTEGER CHECK (
                (\(name)_clock IS NULL) = (\(name)_time IS NULL) AND (\(name)_clock IS NULL) = (\(name)_zone IS NULL))
        """
    }

    private static let plans = """
        -- What people intend. A level says who sees it: 0 the owner, 1 the members, 2 the owner's friends too, 3 everybody.
        -- Published is since when it has been for everybody, in milliseconds since 1970, and level_before what it goes
        -- back to. Folded is what is searched: title, description and destination in small letters without accents. The
        -- revision counts changes; likes are counted by triggers.
        CREATE TABLE plan (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            revision INTEGER NOT NULL DEFAULT 1,
            owner INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            creator INTEGER REFERENCES person (number) ON DELETE SET NULL,
            created INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            title TEXT NOT NULL CHECK (title <> ''),
            folded TEXT NOT NULL,
            description TEXT,
            destination TEXT,
            lat_e7 INTEGER CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            zone TEXT NOT NULL,
            people INTEGER CHECK (people > 0),
            cover_url TEXT,
            currency TEXT NOT NULL,
            level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 3),
            level_before INTEGER NOT NULL CHECK (level_before BETWEEN 0 AND 2),
            published INTEGER,
            likes INTEGER NOT NULL DEFAULT 0,
            next_turn INTEGER NOT NULL DEFAULT 1,
            \(time("start")),
            \(time("end")),
            CHECK (end_time >= start_time),
            CHECK ((lat_e7 IS NULL) = (lon_e7 IS NULL)),
            CHECK ((published IS NULL) = (level < 3))
        ) STRICT;
        CREATE INDEX plan_by_owner ON plan (owner, number);
        CREATE INDEX plan_by_publishing ON plan (published, number) WHERE published IS NOT NULL;
        CREATE INDEX plan_by_likes ON plan (likes, number) WHERE published IS NOT NULL;
        CREATE INDEX plan_by_start ON plan (start_time, number) WHERE published IS NOT NULL;

        CREATE TABLE plan_postal_code (
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            code TEXT NOT NULL COLLATE NOCASE CHECK (code <> ''),
            PRIMARY KEY (plan, place)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX plan_by_postal_code ON plan_postal_code (code, plan);

        """

    private static let members = """
        -- Who is of a plan, in the order in which they were asked; the owner is one of them. One who has left, or whose
        -- account is gone, keeps a row as long as the money of the plan knows them.
        CREATE TABLE plan_member (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            state TEXT NOT NULL CHECK (state IN ('asked', 'member', 'left')),
            edits INTEGER NOT NULL CHECK (edits IN (0, 1)),
            travels INTEGER NOT NULL CHECK (travels IN (0, 1)),
            time INTEGER NOT NULL,
            UNIQUE (plan, person)
        ) STRICT;
        CREATE INDEX plan_member_by_person ON plan_member (person, state, plan);

        -- Friends who may change a plan and are no members.
        CREATE TABLE plan_grant (
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            PRIMARY KEY (plan, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX plan_grant_by_person ON plan_grant (person, plan);

        """

    private static let locations = """
        -- The places of a plan, in an order of their own. Of level 0 they are for who added them. Passed and departed
        -- are in milliseconds since 1970, by the fixes of the device. Watched is the revision of place and radius, by which
        -- geofences new to a device are known.
        CREATE TABLE location (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            revision INTEGER NOT NULL DEFAULT 1,
            position INTEGER NOT NULL,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 3),
            created INTEGER NOT NULL,
            name TEXT NOT NULL CHECK (name <> ''),
            folded TEXT NOT NULL,
            address TEXT,
            description TEXT,
            lat_e7 INTEGER CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            radius_m REAL NOT NULL CHECK (radius_m > 0),
            cover_url TEXT,
            \(time("start")),
            \(time("end")),
            passed INTEGER,
            departed INTEGER,
            device TEXT,
            watched INTEGER NOT NULL DEFAULT 0,
            CHECK (end_time >= start_time),
            CHECK ((lat_e7 IS NULL) = (lon_e7 IS NULL)),
            CHECK (departed >= passed)
        ) STRICT;
        CREATE INDEX location_by_plan ON location (plan, position, number);
        CREATE INDEX location_by_person ON location (person) WHERE person IS NOT NULL;

        """

    private static let activities = """
        -- What people do on the way, each in one of five tabs.
        CREATE TABLE activity (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            revision INTEGER NOT NULL DEFAULT 1,
            tab TEXT NOT NULL CHECK (tab IN ('itinerary', 'transport', 'lodging', 'food', 'places')),
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 3),
            created INTEGER NOT NULL,
            title TEXT NOT NULL CHECK (title <> ''),
            description TEXT,
            location_name TEXT,
            address TEXT,
            lat_e7 INTEGER CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            contact TEXT,
            booked INTEGER NOT NULL DEFAULT 0 CHECK (booked IN (0, 1)),
            booking_code TEXT,
            booking_url TEXT,
            thumbnail_url TEXT,
            url TEXT,
            note TEXT,
            mode TEXT CHECK (mode IS NULL OR tab = 'transport'),
            departure TEXT CHECK (departure IS NULL OR tab = 'transport'),
            arrival TEXT CHECK (arrival IS NULL OR tab = 'transport'),
            rating INTEGER CHECK (rating IS NULL OR rating BETWEEN 0 AND 5 AND tab = 'food'),
            recommendation TEXT CHECK (recommendation IS NULL OR tab = 'food'),
            \(time("start")),
            \(time("end")),
            CHECK (end_time >= start_time),
            CHECK ((lat_e7 IS NULL) = (lon_e7 IS NULL))
        ) STRICT;
        -- Without a time they are after all others.
        CREATE INDEX activity_by_plan ON activity (plan, coalesce(start_time, end_time, 9223372036854775807), number);
        CREATE INDEX activity_by_person ON activity (person) WHERE person IS NOT NULL;

        -- What an item of the itinerary leads to in another tab.
        CREATE TABLE activity_link (
            activity INTEGER NOT NULL REFERENCES activity (number) ON DELETE CASCADE,
            target INTEGER NOT NULL REFERENCES activity (number) ON DELETE CASCADE,
            PRIMARY KEY (activity, target)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_link_by_target ON activity_link (target);

        -- Who takes part in an activity.
        CREATE TABLE activity_member (
            activity INTEGER NOT NULL REFERENCES activity (number) ON DELETE CASCADE,
            member INTEGER NOT NULL REFERENCES plan_member (number) ON DELETE CASCADE,
            PRIMARY KEY (activity, member)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_member_by_member ON activity_member (member);

        """

    private static let triggers = """
        -- What people have said of them goes with them.
        CREATE TRIGGER plan_removed AFTER DELETE ON plan BEGIN
            DELETE FROM subject WHERE id = 'plan/' || OLD.id;
        END;
        CREATE TRIGGER location_removed AFTER DELETE ON location BEGIN
            DELETE FROM subject WHERE id = 'location/' || OLD.id;
        END;
        CREATE TRIGGER activity_removed AFTER DELETE ON activity BEGIN
            DELETE FROM subject WHERE id = 'activity/' || OLD.id;
        END;

        CREATE TRIGGER plan_liked AFTER INSERT ON reaction WHEN NEW.kind = 'like' BEGIN
            UPDATE plan SET likes = likes + 1
            WHERE id = (SELECT substr(id, 6) FROM subject WHERE number = NEW.subject AND id GLOB 'plan/*');
        END;
        CREATE TRIGGER plan_liked_no_more AFTER DELETE ON reaction WHEN OLD.kind = 'like' BEGIN
            UPDATE plan SET likes = likes - 1
            WHERE id = (SELECT substr(id, 6) FROM subject WHERE number = OLD.subject AND id GLOB 'plan/*');
        END;

        -- Whoever is no friend of the owner any more loses the permission that they had as one.
        CREATE TRIGGER plan_grant_ended AFTER DELETE ON friend BEGIN
            DELETE FROM plan_grant
            WHERE person = OLD.other AND plan IN (SELECT number FROM plan WHERE owner = OLD.person);
        END;
        """

    private static let money = """
        -- What was paid: in minor units of its currency, and converted to the plan's by the rate that people agreed on.
        -- The turn is its number in the plan, by which members take turns at odd cents. A personal one is for one member
        -- alone, who paid it.
        CREATE TABLE expense (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            revision INTEGER NOT NULL DEFAULT 1,
            turn INTEGER NOT NULL,
            activity INTEGER REFERENCES activity (number) ON DELETE CASCADE,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            created INTEGER NOT NULL,
            title TEXT NOT NULL CHECK (title <> ''),
            category TEXT CHECK (category <> ''),
            tab TEXT CHECK (tab IN ('itinerary', 'transport', 'lodging', 'food', 'places')),
            day TEXT,
            amount INTEGER NOT NULL CHECK (amount > 0),
            currency TEXT NOT NULL,
            rate TEXT,
            converted INTEGER NOT NULL CHECK (converted >= 0),
            split TEXT NOT NULL CHECK (split IN ('evenly', 'parts', 'percentages', 'exact')),
            personal INTEGER NOT NULL DEFAULT 0 CHECK (personal IN (0, 1)),
            UNIQUE (plan, turn)
        ) STRICT;
        CREATE INDEX expense_by_activity ON expense (activity) WHERE activity IS NOT NULL;
        CREATE INDEX expense_by_person ON expense (person) WHERE person IS NOT NULL;

        -- Who paid and who owes, in the order of the members at that time.
        CREATE TABLE expense_payer (
            expense INTEGER NOT NULL REFERENCES expense (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            member INTEGER NOT NULL REFERENCES plan_member (number),
            amount INTEGER NOT NULL CHECK (amount > 0),
            converted INTEGER NOT NULL CHECK (converted >= 0),
            PRIMARY KEY (expense, place)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX expense_payer_by_member ON expense_payer (member);
        CREATE TABLE expense_share (
            expense INTEGER NOT NULL REFERENCES expense (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            member INTEGER NOT NULL REFERENCES plan_member (number),
            weight INTEGER NOT NULL CHECK (weight >= 0),
            amount INTEGER NOT NULL CHECK (amount >= 0),
            converted INTEGER NOT NULL CHECK (converted >= 0),
            PRIMARY KEY (expense, place)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX expense_share_by_member ON expense_share (member);

        -- What one member has given another, in minor units of the plan's currency.
        CREATE TABLE repayment (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            person INTEGER REFERENCES person (number) ON DELETE SET NULL,
            created INTEGER NOT NULL,
            sender INTEGER NOT NULL REFERENCES plan_member (number),
            receiver INTEGER NOT NULL REFERENCES plan_member (number),
            amount INTEGER NOT NULL CHECK (amount > 0),
            note TEXT,
            CHECK (sender <> receiver)
        ) STRICT;
        CREATE INDEX repayment_by_plan ON repayment (plan, number);
        CREATE INDEX repayment_by_sender ON repayment (sender);
        CREATE INDEX repayment_by_receiver ON repayment (receiver);
        CREATE INDEX repayment_by_person ON repayment (person) WHERE person IS NOT NULL;

        -- Those whom the money of a plan knows.
        CREATE VIEW plan_member_with_money AS
        SELECT member FROM expense_payer UNION ALL SELECT member FROM expense_share
        UNION ALL SELECT sender FROM repayment UNION ALL SELECT receiver FROM repayment;

        -- Where an owner's account goes, the plan passes to the first member who edits, else to the first who travels; a
        -- plan without either goes with its owner.
        CREATE TRIGGER plan_owner_removed BEFORE DELETE ON person BEGIN
            UPDATE plan SET revision = revision + 1, owner = coalesce((
                SELECT person FROM plan_member
                WHERE plan = plan.number AND state = 'member' AND person <> OLD.number AND (edits OR travels)
                ORDER BY edits DESC, number LIMIT 1
            ), owner)
            WHERE owner = OLD.number;
            UPDATE plan_member SET edits = 1 WHERE (plan, person) IN (
                SELECT number, owner FROM plan
                WHERE number IN (SELECT plan FROM plan_member WHERE person = OLD.number));
            DELETE FROM plan_member
            WHERE person = OLD.number AND NOT EXISTS (SELECT 1 FROM plan_member_with_money WHERE member = number)
                AND plan NOT IN (SELECT number FROM plan WHERE owner = OLD.number);
            UPDATE plan_member SET state = 'left', edits = 0, travels = 0 WHERE person = OLD.number;
        END;
        """

    private static let links = """
        -- What opens a plan, or one location of it, to whoever has the secret, of which only the SHA-256 is kept.
        CREATE TABLE plan_link (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            location INTEGER REFERENCES location (number) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            digest BLOB NOT NULL UNIQUE,
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            opened INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX plan_link_by_plan ON plan_link (plan, number);
        CREATE INDEX plan_link_by_location ON plan_link (location) WHERE location IS NOT NULL;
        CREATE INDEX plan_link_by_person ON plan_link (person);
        """

    private static let trips = """
        -- The recorded trips of plans: joined are those that have come to a plan by themselves, added those that someone
        -- has put there. Someone has taken out those apart, which do not join again.
        CREATE TABLE plan_trip (
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            trip INTEGER NOT NULL REFERENCES trip (number) ON DELETE CASCADE,
            state TEXT NOT NULL CHECK (state IN ('joined', 'added', 'apart')),
            PRIMARY KEY (plan, trip)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX plan_trip_by_trip ON plan_trip (trip);
        """
}
