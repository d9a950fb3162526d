package import Store

/// The tables of votes.
package enum VoteSchema {
    /// All steps.
    package static let migrations = [migration, planMigration]

    private static let migration = StoreMigration(at: 38, name: "votes.votes.1", sql: votes + ballots + triggers)

    private static let planMigration = StoreMigration(
        at: 77, name: "votes.plans.1",
        sql: """
            -- The id of the plan to whose people a vote belongs; NULL for a vote that was opened somewhere. A vote of a plan
            -- is nowhere and has no passcode: its lat_e7, lon_e7 and passcode mean nothing. While the plan is in the bin,
            -- nobody finds its votes; they go with it.
            ALTER TABLE vote ADD COLUMN plan TEXT CHECK (plan <> '');
            CREATE INDEX vote_by_plan ON vote (plan, number) WHERE plan IS NOT NULL;
            CREATE TRIGGER vote_plan_removed AFTER DELETE ON plan
            WHEN NOT EXISTS (SELECT 1 FROM plan_bin WHERE plan_bin.subject = 'plan/' || OLD.id) BEGIN
                DELETE FROM vote WHERE vote.plan = OLD.id;
            END;
            CREATE TRIGGER vote_plan_emptied AFTER DELETE ON plan_bin
            WHEN OLD.kind = 'plan' AND NOT EXISTS (SELECT 1 FROM plan WHERE plan.number = OLD.plan) BEGIN
                DELETE FROM vote WHERE vote.plan = substr(OLD.subject, 6);
            END;
            """)

    private static let votes = """
        -- What people decide together. The passcode is kept as scrypt has made it; the seal is the key by which the
        -- ballots are sealed. Times and the span are in milliseconds, those since 1970; ended is NULL while a vote is
        -- open. Folded is what is searched: the subject in small letters without accents. Voted is how many ballots are
        -- counted, kept by triggers; nothing else of the ballots is added up before the end. Tries is how many wrong
        -- passcodes were given, watched the revision of the place, by which geofences new to a device are known.
        CREATE TABLE vote (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id GLOB '[1-9][0-9][0-9][0-9][0-9][0-9][0-9]'),
            initiator INTEGER REFERENCES person (number) ON DELETE SET NULL,
            colour TEXT NOT NULL,
            subject TEXT NOT NULL CHECK (subject <> ''),
            folded TEXT NOT NULL,
            participants INTEGER NOT NULL CHECK (participants > 0),
            passcode TEXT NOT NULL,
            seal BLOB NOT NULL CHECK (length(seal) = 32),
            span INTEGER NOT NULL CHECK (span > 0),
            opened INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            ended INTEGER,
            lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            watched INTEGER NOT NULL,
            voted INTEGER NOT NULL DEFAULT 0 CHECK (voted >= 0),
            tries INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX vote_by_initiator ON vote (initiator, number);
        CREATE INDEX vote_by_latitude ON vote (lat_e7) WHERE ended IS NULL;
        -- What is due: by its limit, by a clock that was set back, and by its last ballot.
        CREATE INDEX vote_by_end ON vote (ends) WHERE ended IS NULL;
        CREATE INDEX vote_by_beginning ON vote (ends - span) WHERE ended IS NULL;
        CREATE INDEX vote_in_full ON vote (number) WHERE ended IS NULL AND voted >= participants;

        -- What there is to choose, by number from 1; how many chose it is there once the vote has ended.
        CREATE TABLE vote_option (
            vote INTEGER NOT NULL REFERENCES vote (number) ON DELETE CASCADE,
            place INTEGER NOT NULL CHECK (place > 0),
            text TEXT NOT NULL CHECK (text <> ''),
            count INTEGER CHECK (count >= 0),
            PRIMARY KEY (vote, place)
        ) STRICT, WITHOUT ROWID;

        """

    private static let ballots = """
        -- Who was let in by the passcode, and how far they have come: open until they are done, then counted, or removed
        -- by the initiator. The choice is sealed; neither the time of it nor of any change is kept. The name is the one
        -- that they had when they were done, and the key what makes two of them one.
        CREATE TABLE vote_ballot (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            vote INTEGER NOT NULL REFERENCES vote (number) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'counted', 'removed')),
            choice BLOB,
            name TEXT,
            name_key TEXT,
            UNIQUE (vote, person),
            CHECK (state = 'open' OR name IS NOT NULL AND name_key IS NOT NULL)
        ) STRICT;
        CREATE INDEX vote_ballot_by_person ON vote_ballot (person, vote);
        CREATE INDEX vote_ballot_by_name ON vote_ballot (vote, name_key) WHERE name_key IS NOT NULL;

        -- The names that several have in an open vote, in the order in which they were found, until the initiator has
        -- said that they are done with.
        CREATE TABLE vote_conflict (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            vote INTEGER NOT NULL REFERENCES vote (number) ON DELETE CASCADE,
            name_key TEXT NOT NULL,
            UNIQUE (vote, name_key)
        ) STRICT;

        -- Open votes that went with their initiator's account, by id, and who had taken part and is yet to be told.
        CREATE TABLE vote_gone (
            vote TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE vote_gone_person (
            vote TEXT NOT NULL REFERENCES vote_gone (vote) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            PRIMARY KEY (vote, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX vote_gone_person_by_person ON vote_gone_person (person);

        """

    private static let triggers = """
        CREATE TRIGGER vote_ballot_counted AFTER UPDATE OF state ON vote_ballot
        WHEN (NEW.state = 'counted') <> (OLD.state = 'counted') BEGIN
            UPDATE vote SET voted = voted + iif(NEW.state = 'counted', 1, -1) WHERE number = NEW.vote;
        END;
        -- A ballot that goes with its account is counted no more while the vote is open; what has ended stays as it is.
        CREATE TRIGGER vote_ballot_gone AFTER DELETE ON vote_ballot WHEN OLD.state <> 'open' BEGIN
            UPDATE vote SET voted = voted - (OLD.state = 'counted') WHERE number = OLD.vote AND ended IS NULL;
            DELETE FROM vote_conflict
            WHERE vote = OLD.vote AND name_key = OLD.name_key AND (
                SELECT count(*) FROM vote_ballot WHERE vote = OLD.vote AND name_key = OLD.name_key) < 2;
        END;
        CREATE TRIGGER vote_removed AFTER DELETE ON vote BEGIN
            DELETE FROM subject WHERE id = 'vote/' || OLD.id;
        END;
        -- An open vote goes with its initiator's account, as does one that nobody else has taken part in. What others
        -- have decided stays theirs.
        CREATE TRIGGER vote_initiator_removed BEFORE DELETE ON person BEGIN
            INSERT INTO vote_gone SELECT id FROM vote WHERE initiator = OLD.number AND ended IS NULL;
            INSERT INTO vote_gone_person
                SELECT vote.id, vote_ballot.person FROM vote JOIN vote_ballot ON vote_ballot.vote = vote.number
                WHERE vote.initiator = OLD.number AND vote.ended IS NULL AND vote_ballot.person <> OLD.number
                    AND vote_ballot.state <> 'open';
            DELETE FROM vote WHERE initiator = OLD.number AND (ended IS NULL OR NOT EXISTS (
                SELECT 1 FROM vote_ballot
                WHERE vote_ballot.vote = vote.number AND vote_ballot.person <> OLD.number
                    AND vote_ballot.state <> 'open'));
        END;
        """
}
