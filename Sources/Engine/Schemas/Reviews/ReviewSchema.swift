import Service
import Store

/// The tables of reviews.
enum ReviewSchema {
    static let migration = StoreMigration(at: 16, name: "companion.reviews.1", sql: tables + counts + ratings)

    private static let tables = """
        -- What people say of a subject, one review a person and subject; times in milliseconds since 1970. agrees and
        -- flags are kept by triggers; flags counts the open ones.
        CREATE TABLE review (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            subject INTEGER NOT NULL REFERENCES subject (number) ON DELETE CASCADE,
            author INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
            text TEXT CHECK (text <> ''),
            time INTEGER NOT NULL,
            hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
            agrees INTEGER NOT NULL DEFAULT 0,
            flags INTEGER NOT NULL DEFAULT 0,
            UNIQUE (subject, author)
        ) STRICT;
        CREATE INDEX review_by_author ON review (author);
        CREATE INDEX review_by_newest ON review (subject, time);
        CREATE INDEX review_by_agrees ON review (subject, agrees);
        -- What a period's ratings are counted from, without the reviews themselves.
        CREATE INDEX review_by_time ON review (hidden, time, subject, rating);
        CREATE INDEX review_to_decide ON review (number) WHERE flags > 0 OR hidden = 1;

        -- Who agrees with a review.
        CREATE TABLE review_agree (
            review INTEGER NOT NULL REFERENCES review (number) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            PRIMARY KEY (review, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX review_agree_by_person ON review_agree (person);

        -- Who finds that a review should not be there; settled once it was decided upon.
        CREATE TABLE review_flag (
            review INTEGER NOT NULL REFERENCES review (number) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),
            PRIMARY KEY (review, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX review_flag_by_person ON review_flag (person);

        """

    private static let counts = """
        CREATE TRIGGER review_agreed AFTER INSERT ON review_agree BEGIN
            UPDATE review SET agrees = agrees + 1 WHERE number = NEW.review;
        END;
        CREATE TRIGGER review_agreed_no_more AFTER DELETE ON review_agree BEGIN
            UPDATE review SET agrees = agrees - 1 WHERE number = OLD.review;
        END;
        CREATE TRIGGER review_flagged AFTER INSERT ON review_flag BEGIN
            UPDATE review SET flags = flags + (NEW.settled = 0) WHERE number = NEW.review;
        END;
        CREATE TRIGGER review_flag_settled AFTER UPDATE OF settled ON review_flag BEGIN
            UPDATE review SET flags = flags + OLD.settled - NEW.settled WHERE number = NEW.review;
        END;
        CREATE TRIGGER review_flagged_no_more AFTER DELETE ON review_flag BEGIN
            UPDATE review SET flags = flags - (OLD.settled = 0) WHERE number = OLD.review;
        END;

        """

    private static let ratings = """
        \(Subjects.ratingTables)

        CREATE TRIGGER review_added AFTER INSERT ON review BEGIN
            INSERT OR IGNORE INTO rating (subject, kind)
                SELECT number, substr(id, 1, instr(id, '/') - 1) FROM subject WHERE number = NEW.subject;
            UPDATE rating SET
                ones = ones + (NEW.rating = 1), twos = twos + (NEW.rating = 2), threes = threes + (NEW.rating = 3),
                fours = fours + (NEW.rating = 4), fives = fives + (NEW.rating = 5)
            WHERE subject = NEW.subject AND NEW.hidden = 0;
        END;
        CREATE TRIGGER review_changed AFTER UPDATE OF rating, hidden ON review BEGIN
            UPDATE rating SET
                ones = ones + (NEW.rating = 1 AND NEW.hidden = 0) - (OLD.rating = 1 AND OLD.hidden = 0),
                twos = twos + (NEW.rating = 2 AND NEW.hidden = 0) - (OLD.rating = 2 AND OLD.hidden = 0),
                threes = threes + (NEW.rating = 3 AND NEW.hidden = 0) - (OLD.rating = 3 AND OLD.hidden = 0),
                fours = fours + (NEW.rating = 4 AND NEW.hidden = 0) - (OLD.rating = 4 AND OLD.hidden = 0),
                fives = fives + (NEW.rating = 5 AND NEW.hidden = 0) - (OLD.rating = 5 AND OLD.hidden = 0)
            WHERE subject = NEW.subject;
        END;
        CREATE TRIGGER review_removed AFTER DELETE ON review BEGIN
            UPDATE rating SET
                ones = ones - (OLD.rating = 1), twos = twos - (OLD.rating = 2), threes = threes - (OLD.rating = 3),
                fours = fours - (OLD.rating = 4), fives = fives - (OLD.rating = 5)
            WHERE subject = OLD.subject AND OLD.hidden = 0;
        END;

        CREATE TRIGGER rating_changed AFTER UPDATE ON rating BEGIN
            INSERT INTO rating_of_kind VALUES (NEW.kind, NEW.count, NEW.total)
                ON CONFLICT (kind) DO UPDATE SET
                    count = count + NEW.count - OLD.count, total = total + NEW.total - OLD.total;
        END;
        -- A subject that goes may take this row before its reviews.
        CREATE TRIGGER rating_removed AFTER DELETE ON rating BEGIN
            UPDATE rating_of_kind SET count = count - OLD.count, total = total - OLD.total WHERE kind = OLD.kind;
        END;
        """
}
