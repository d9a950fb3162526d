import GRDB
import Service
import Store

/// The totals of the ratings and visits of each sight, for all time, each year and each month.
///
/// Triggers update the totals whenever a review or a visit is added, changed or deleted. A ranking therefore reads one
/// page of totals instead of every review and visit.
package enum SightTally {
    /// The value of the column `period` that stands for all time.
    package static let allOfTime: Int64 = 0

    /// Returns the value of the column `period` for a calendar year in UTC, or for one of its months.
    ///
    /// - Precondition: `year` is in 1 to 9999.
    package static func period(year: Int, month: Int = 0) -> Int64 { Int64(year) * 100 + Int64(month) }

    static let migration = StoreMigration(
        at: 35, name: "companion.ranking.1",
        sql: tables + filling + indexes + standings + forgetting + reviewTriggers + visitTriggers)

    private static let kind = "\(SightSubject.kind)/"
    private static let afterKind = SightSubject.kind.utf8.count + 2

    private static let tables = """
        -- What was made of a sight in a period: how many visible ratings it got, the sum of their stars, and how many
        -- visits began. A period is 0 for all of time, YYYY00 for a year and YYYYMM for a month, in UTC. Kept by
        -- triggers; there is no row where all is 0.
        CREATE TABLE sight_tally (
            sight INTEGER NOT NULL REFERENCES sight (number) ON DELETE CASCADE,
            period INTEGER NOT NULL,
            ratings INTEGER NOT NULL DEFAULT 0,
            stars INTEGER NOT NULL DEFAULT 0,
            visits INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (sight, period)
        ) STRICT, WITHOUT ROWID;

        -- How many sights have the same ratings in a period: they have the same score, so that ranks are counted in
        -- these few rows. The same of visits. Kept by triggers.
        CREATE TABLE sight_rated (
            period INTEGER NOT NULL,
            ratings INTEGER NOT NULL,
            stars INTEGER NOT NULL,
            sights INTEGER NOT NULL,
            PRIMARY KEY (period, ratings, stars)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sight_visited (
            period INTEGER NOT NULL,
            visits INTEGER NOT NULL,
            sights INTEGER NOT NULL,
            PRIMARY KEY (period, visits)
        ) STRICT, WITHOUT ROWID;

        """

    private static let filling = """
        WITH
        said AS MATERIALIZED (
            SELECT sight.number AS sight, \(month("time")) AS month, count(*) AS ratings, sum(rating) AS stars
            FROM review JOIN subject ON subject.number = review.subject
                JOIN sight ON sight.id = substr(subject.id, \(afterKind))
            WHERE hidden = 0 AND substr(subject.id, 1, \(afterKind - 1)) = '\(kind)' GROUP BY 1, 2),
        seen AS MATERIALIZED (
            SELECT sight, \(month("entered")) AS month, count(*) AS visits FROM sight_visit GROUP BY 1, 2),
        told AS (
            SELECT sight, month, ratings, stars, 0 AS visits FROM said
            UNION ALL SELECT sight, month, 0, 0, visits FROM seen)
        INSERT INTO sight_tally
            SELECT sight, CASE length WHEN 'all' THEN 0 WHEN 'year' THEN month / 100 * 100 ELSE month END AS period,
                sum(ratings), sum(stars), sum(visits)
            FROM told CROSS JOIN (SELECT 'all' AS length UNION ALL SELECT 'year' UNION ALL SELECT 'month')
            WHERE length = 'all' OR month > 100 GROUP BY 1, 2;
        INSERT INTO sight_rated
            SELECT period, ratings, stars, count(*) FROM sight_tally WHERE ratings > 0 GROUP BY 1, 2, 3;
        INSERT INTO sight_visited SELECT period, visits, count(*) FROM sight_tally WHERE visits > 0 GROUP BY 1, 2;

        """

    private static let indexes = """
        CREATE INDEX sight_tally_by_ratings ON sight_tally (period, ratings, stars, sight) WHERE ratings <> 0;
        CREATE INDEX sight_tally_by_visits ON sight_tally (period, visits, sight) WHERE visits <> 0;

        """

    /// The triggers that keep `sight_rated` and `sight_visited` in step with `sight_tally`.
    private static let standings = """
        CREATE TRIGGER sight_tally_added AFTER INSERT ON sight_tally BEGIN
            \(rated)
            \(visited)
        END;
        CREATE TRIGGER sight_tally_removed AFTER DELETE ON sight_tally BEGIN
            \(ratedNoMore)
            \(visitedNoMore)
        END;
        CREATE TRIGGER sight_tally_rated AFTER UPDATE OF ratings, stars ON sight_tally BEGIN
            \(ratedNoMore)
            \(rated)
        END;
        CREATE TRIGGER sight_tally_visited AFTER UPDATE OF visits ON sight_tally BEGIN
            \(visitedNoMore)
            \(visited)
        END;
        CREATE TRIGGER sight_tally_ended AFTER UPDATE ON sight_tally WHEN NEW.ratings = 0 AND NEW.visits = 0 BEGIN
            DELETE FROM sight_tally WHERE sight = NEW.sight AND period = NEW.period;
        END;

        """

    private static let rated = """
        INSERT INTO sight_rated SELECT NEW.period, NEW.ratings, NEW.stars, 1 WHERE NEW.ratings > 0
            ON CONFLICT DO UPDATE SET sights = sights + 1;
        """

    private static let ratedNoMore = """
        UPDATE sight_rated SET sights = sights - 1
            WHERE period = OLD.period AND ratings = OLD.ratings AND stars = OLD.stars;
        DELETE FROM sight_rated
            WHERE period = OLD.period AND ratings = OLD.ratings AND stars = OLD.stars AND sights = 0;
        """

    private static let visited = """
        INSERT INTO sight_visited SELECT NEW.period, NEW.visits, 1 WHERE NEW.visits > 0
            ON CONFLICT DO UPDATE SET sights = sights + 1;
        """

    private static let visitedNoMore = """
        UPDATE sight_visited SET sights = sights - 1 WHERE period = OLD.period AND visits = OLD.visits;
        DELETE FROM sight_visited WHERE period = OLD.period AND visits = OLD.visits AND sights = 0;
        """

    /// The trigger that clears a sight's ratings before its subject is deleted.
    ///
    /// Afterwards, its reviews can no longer be traced to the sight.
    private static let forgetting = """
        CREATE TRIGGER sight_tally_forgotten BEFORE DELETE ON subject
        WHEN substr(OLD.id, 1, \(afterKind - 1)) = '\(kind)' BEGIN
            UPDATE sight_tally SET ratings = 0, stars = 0
            WHERE sight = (SELECT number FROM sight WHERE id = substr(OLD.id, \(afterKind)));
        END;

        """

    private static let reviewTriggers = """
        CREATE TRIGGER review_tallied AFTER INSERT ON review BEGIN
            \(review("NEW"))
        END;
        CREATE TRIGGER review_tallied_no_more AFTER DELETE ON review BEGIN
            \(reviewNoMore("OLD"))
        END;
        CREATE TRIGGER review_tallied_anew AFTER UPDATE OF subject, rating, time, hidden ON review BEGIN
            \(reviewNoMore("OLD"))
            \(review("NEW"))
        END;

        """

    private static let visitTriggers = """
        CREATE TRIGGER sight_visit_tallied AFTER INSERT ON sight_visit BEGIN
            \(visit("NEW"))
        END;
        CREATE TRIGGER sight_visit_tallied_no_more AFTER DELETE ON sight_visit BEGIN
            \(visitNoMore("OLD"))
        END;
        CREATE TRIGGER sight_visit_tallied_anew AFTER UPDATE OF sight, entered ON sight_visit BEGIN
            \(visitNoMore("OLD"))
            \(visit("NEW"))
        END;
        """

    /// Returns an SQL expression for the month of a time as YYYYMM, in UTC.
    ///
    /// For a time outside the years 1 to 9999 it is NULL or at most 100.
    private static func month(_ time: String) -> String {
        "CAST(strftime('%Y%m', \(time) / 1000.0, 'unixepoch') AS INTEGER)"
    }

    /// Returns an SQL query for the periods that contain a time, as the column `period`.
    private static func periods(_ time: String) -> String {
        """
        (SELECT 0 AS period UNION ALL SELECT \(month(time)) / 100 * 100 WHERE \(month(time)) > 100
            UNION ALL SELECT \(month(time)) WHERE \(month(time)) > 100)
        """
    }

    /// Returns the `FROM` and `WHERE` clauses that find the sight of a review.
    ///
    /// They match no row if the review is hidden or is about something other than a sight.
    private static func sight(of review: String) -> String {
        """
        FROM subject JOIN sight ON sight.id = substr(subject.id, \(afterKind))
        WHERE \(review).hidden = 0 AND subject.number = \(review).subject
            AND substr(subject.id, 1, \(afterKind - 1)) = '\(kind)'
        """
    }

    private static func review(_ row: String) -> String {
        """
        INSERT INTO sight_tally (sight, period, ratings, stars)
            SELECT number, period, 1, \(row).rating
            FROM (SELECT sight.number \(sight(of: row))) CROSS JOIN \(periods("\(row).time")) WHERE true
            ON CONFLICT DO UPDATE SET ratings = ratings + 1, stars = stars + \(row).rating;
        """
    }

    private static func reviewNoMore(_ row: String) -> String {
        """
        UPDATE sight_tally SET ratings = ratings - 1, stars = stars - \(row).rating
            WHERE sight = (SELECT sight.number \(sight(of: row))) AND period IN \(periods("\(row).time"));
        """
    }

    private static func visit(_ row: String) -> String {
        """
        INSERT INTO sight_tally (sight, period, visits)
            SELECT \(row).sight, period, 1 FROM \(periods("\(row).entered")) WHERE true
            ON CONFLICT DO UPDATE SET visits = visits + 1;
        """
    }

    private static func visitNoMore(_ row: String) -> String {
        """
        UPDATE sight_tally SET visits = visits - 1
            WHERE sight = \(row).sight AND period IN \(periods("\(row).entered"));
        """
    }
}
