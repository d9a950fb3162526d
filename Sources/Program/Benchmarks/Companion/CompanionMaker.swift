import Store

/// A maker of a store with some years of a thousand people, which is the same each time.
///
/// It has 100,000 sights, a million notifications, 200,000 reviews, 10,000 votes, and 100,000 posts with a million
/// hearts.
///
/// It writes the rows directly into the tables, because a million calls would take an hour. Person 1 is connected to
/// everybody, and sight 1 is the most visited; their lists are the longest.
enum CompanionMaker {
    static let people = 1000
    static let sights = 100_000
    static let notifications = 1_000_000
    static let reviews = 200_000
    static let visits = 200_000
    static let votes = 10_000
    static let posts = 100_000
    static let hearts = 1_000_000
    /// 2026-05-01 10:00:00 UTC in milliseconds since 1970; everything happened in the two years before.
    static let now: Int64 = 1_777_629_600_000
    static let categories = ["museum", "church", "bridge", "mill", "park", "castle", "tower", "market"]

    /// Fills a new store.
    static func fill(_ store: LocationDatabase) throws {
        for sql in statements {
            try store.write { db in
                let statement = try DirectStatement(sql, in: db)
                try statement.run()
            }
        }
    }

    /// The statements, in an order in which the rows referred to exist already.
    private static var statements: [String] {
        [person, follow, followOfTheFirst, friend, sight, subjects, review, device, trip, visit]
            + (0..<10).map(notification) + [
                reaction, suggestion, picture, photo, vote, voteOption, ballot, seat, passenger,
                product, post, postSubject, shopping,
            ] + (0..<10).map(heart) + quietFollower
    }

    static let person = """
        \(rows(people)) INSERT INTO person (id, first_name, last_name, email, joined, proven, name_key)
        SELECT 'p' || i, first, last, 'p' || i || '@example.org', \(now), \(now), lower(first || ' ' || last) FROM (
            SELECT i, \(word(["Ada", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hedy"], 1)) AS first,
                \(word(["Lovelace", "Archer", "Berg", "Curie", "Dijkstra", "Euler"], 2)) || i AS last FROM n)
        """

    private static let follow = """
        \(rows(people * 20)) INSERT OR IGNORE INTO follow
        SELECT 1 + i % \(people) AS person, 1 + \(mixed(3, people)) AS other, \(now) FROM n WHERE person <> other
        """

    /// Person 1 follows everybody, and everybody follows person 1.
    private static let followOfTheFirst = """
        \(rows(people)) INSERT OR IGNORE INTO follow
        SELECT 1, i, \(now) FROM n WHERE i > 1 UNION ALL SELECT i, 1, \(now) FROM n WHERE i > 1
        """

    /// Friendships in both directions; person 1 is a friend of half of the people.
    private static let friend = """
        \(rows(people * 5)), pair (one, other) AS (
            SELECT 1 + i % \(people), 1 + \(mixed(4, people)) FROM n UNION SELECT 1, 2 * i FROM n WHERE i <= \(people / 2))
        INSERT OR IGNORE INTO friend
        SELECT one, other, \(now) FROM pair WHERE one <> other
        UNION SELECT other, one, \(now) FROM pair WHERE one <> other
        """

    private static let sight = """
        \(rows(sights))
        INSERT INTO sight (id, title, lat_e7, lon_e7, radius_m, category, description, revision, owner, added)
        SELECT 's' || i, \(word(adjectives, 5)) || ' ' || \(word(categories, 6)) || ' ' || i,
            360000000 + \(mixed(7, 240_000_000)), -90000000 + \(mixed(8, 390_000_000)), 100, \(word(categories, 6)),
            'Built by name' || \(mixed(9, 5000)) || ' of ' || \(word(adjectives, 10)) || ' stone in '
                || (1200 + \(mixed(11, 800))) || ', with a ' || \(word(categories, 12)) || ' near by',
            1, 1 + \(mixed(13, people)), \(now) - \(mixed(14, 63_072_000)) * 1000 FROM n
        """

    private static let adjectives = [
        "Old", "New", "Red", "Great", "Little", "White", "Upper", "Lower", "Royal", "Quiet",
    ]

    private static let subjects = """
        INSERT INTO subject (number, id) SELECT number, 'sight/' || id FROM sight
        """

    /// Reviews of sight 1 by everybody, and of a fifth of all sights by ten people each.
    private static let review = """
        \(rows(reviews)) INSERT INTO review (subject, author, rating, text, time, agrees)
        SELECT CASE WHEN i <= \(people) THEN 1 ELSE 2 + (i * 7) % 20000 END,
            CASE WHEN i <= \(people) THEN i ELSE 1 + (i / 20000 * 97 + i) % \(people) END,
            1 + \(mixed(15, 5)), 'It was ' || \(word(adjectives, 16)) || ' enough for the ' || \(mixed(17, 90)) || ' of us',
            \(now) - \(mixed(18, 63_072_000)) * 1000, \(mixed(19, 30)) FROM n WHERE true ON CONFLICT DO NOTHING
        """

    private static let device = "\(rows(10)) INSERT INTO device (name) SELECT 'd' || i FROM n"

    private static let trip = """
        \(rows(10_000)) INSERT INTO trip (id, device, start, "end", algorithm, settings)
        SELECT 't' || i, 1 + i % 10, \(now) - i * 6300000, \(now) - i * 6300000 + 6000000, 1, '{}' FROM n
        """

    /// Visits, of which a twentieth is at sight 1.
    private static let visit = """
        \(rows(visits)) INSERT OR IGNORE INTO sight_visit
        SELECT CASE WHEN i % 20 = 0 THEN 1 ELSE 1 + \(mixed(20, sights)) END, \(now) - i * 315000, 1 + i % 10,
            \(now) - i * 315000 + 300000, 0 FROM n
        """

    /// Returns the statement for a tenth of the notifications, which go to the people by turns.
    private static func notification(_ tenth: Int) -> String {
        """
        \(rows(notifications / 10)) INSERT INTO notification (person, key, kind, time, text, destination, state, silent)
        SELECT 1 + i % \(people), 'key/\(tenth)/' || i,
            CASE WHEN \(mixed(21, 50)) = 0 THEN 'friend' ELSE 'sight' END, \(now) - \(10 - tenth) * 6307200000 + i * 63072,
            'You are near <b>' || \(word(adjectives, 22)) || ' ' || \(word(categories, 23)) || '</b>.',
            'waymark://sight/s' || (1 + \(mixed(24, sights))),
            \(tenth == 9 ? "'new'" : "CASE WHEN \(mixed(25, 4)) = 0 THEN 'unread' ELSE 'read' END"), 0 FROM n
        """
    }

    /// Ten thousand sights with a heart of person 1, and ninety with a heart of each other person.
    private static let reaction = """
        \(rows(people * 100)) INSERT OR IGNORE INTO reaction (subject, kind, person, time)
        SELECT 1 + \(mixed(26, sights)), 'heart', CASE WHEN i <= 10000 THEN 1 ELSE 1 + i % \(people) END, \(now) FROM n
        """

    /// Five suggestions from everybody to person 1, and five from person 1 to everybody.
    private static let suggestion = """
        \(rows(people * 5)) INSERT OR IGNORE INTO suggestion (sender, recipient, subject, text, time)
        SELECT 2 + i % (\(people) - 1), 1, 1 + \(mixed(27, sights)), 'Look at it', \(now) FROM n
        UNION ALL SELECT 1, 2 + i % (\(people) - 1), 1 + \(mixed(28, sights)), 'Look at it', \(now) FROM n
        """

    private static let picture = """
        \(rows(20_000))
        INSERT INTO picture (sha256, size, type, width, height, taken)
        SELECT printf('%064x', i), 3000000, 'jpeg', 4000, 3000, \(now) FROM n
        """

    /// Photos: sight 1 has as many as it may have, and person 1 has added 5,000.
    private static let photo = """
        \(rows(20_000)) INSERT INTO photo (subject, place, picture, person, added, caption)
        SELECT CASE WHEN i <= 500 THEN 1 ELSE 2 + i % 5000 END, CASE WHEN i <= 500 THEN i ELSE 1 + i / 5000 END, i,
            CASE WHEN i % 4 = 0 THEN 1 ELSE 1 + \(mixed(29, people)) END, \(now), 'A view of it' FROM n
        """

    /// Votes, of which half are by person 1; the last two hundred are open, around 52° N 5° E.
    private static let vote = """
        \(rows(votes))
        INSERT INTO vote (id, initiator, colour, subject, folded, participants, passcode, seal, span, opened, ends, ended,
            lat_e7, lon_e7, watched, voted)
        SELECT 1000000 + i, CASE WHEN i % 2 = 0 THEN 1 ELSE 2 + \(mixed(30, people - 1)) END, 'blue', subject, lower(subject),
            50, 'none', zeroblob(32), 3600000, opened, opened + 3600000,
            CASE WHEN i <= \(votes - 200) THEN opened + 3600000 END, 520000000 + \(mixed(31, 40000)),
            50000000 + \(mixed(32, 40000)), 0, 5
        FROM (SELECT i, 'Which ' || \(word(adjectives, 33)) || ' ' || \(word(categories, 34)) || ' on day ' || i AS subject,
            \(now) - CASE WHEN i <= \(votes - 200) THEN (\(votes + 1) - i) * 6307200 ELSE 1000 END AS opened FROM n)
        """

    private static let voteOption = """
        INSERT INTO vote_option SELECT number, column1, 'Option ' || column1, CASE WHEN ended IS NOT NULL THEN 1 END
        FROM vote, (VALUES (1), (2), (3), (4), (5))
        """

    /// Five ballots in each vote; person 1 has one in half of the votes.
    private static let ballot = """
        \(rows(votes * 5)) INSERT OR IGNORE INTO vote_ballot (vote, person, state, name, name_key)
        SELECT 1 + (i - 1) / 5, CASE WHEN i % 10 = 0 THEN 1 ELSE 2 + \(mixed(35, people - 1)) END, 'counted', 'Name ' || i,
            'name ' || i FROM n
        """

    /// A device in the middle of the open votes, which carries person 1.
    private static let seat = """
        UPDATE device SET last_time = \(now), last_lat_e7 = 520000000, last_lon_e7 = 50000000 WHERE name = 'd1'
        """
    private static let passenger = "INSERT INTO carried (device, person) VALUES ('d1', 1)"

    /// Products: a tenth of all posts show one, and each is in twenty posts.
    private static let product = """
        \(rows(posts / 200)) INSERT INTO product (owner, name, brand, price, currency, link, created)
        SELECT 1 + \(mixed(36, people)), \(word(adjectives, 37)) || ' coat ' || i, 'Brand ' || i % 50, 1000 + i, 'EUR',
            'https://shop.example/' || i, \(now) FROM n
        """

    /// Posts around 52° N 5° E, within some kilometres.
    ///
    /// Each hundredth is for friends only, and a tenth of all are by person 1.
    private static let post = """
        \(rows(posts))
        INSERT INTO post (author, product, text, brands, voting, level, lat_e7, lon_e7, cell, place, created)
        SELECT CASE WHEN i % 10 = 0 THEN 1 ELSE 2 + \(mixed(38, people - 1)) END,
            CASE WHEN i % 10 = 3 THEN 1 + \(mixed(39, posts / 200)) END,
            \(word(adjectives, 40)) || ' for the ' || \(word(categories, 41)), 'Brand ' || i % 50, i % 2,
            CASE WHEN i % 100 = 7 THEN 'friends' ELSE 'everyone' END, lat, lon,
            (lat + 900000000) / 1000000 * 3601 + (lon + 1800000000) / 1000000, 'Town', \(now) - (\(posts) - i) * 600000
        FROM (SELECT i, 519000000 + \(mixed(42, 2_000_000)) AS lat, 49000000 + \(mixed(43, 2_000_000)) AS lon FROM n)
        """

    private static let postSubject = "INSERT INTO subject (id) SELECT 'post/' || number FROM post"

    /// Returns the statement for a tenth of the hearts of posts; post 1 has one of everybody.
    private static func heart(_ tenth: Int) -> String {
        """
        \(rows(hearts / 10)) INSERT OR IGNORE INTO reaction (subject, kind, person, time)
        SELECT subject.number, 'heart', 1 + (i * 7 + \(tenth) * 100) % \(people), \(now)
        FROM n CROSS JOIN subject
            ON subject.id = 'post/' || CASE WHEN i <= 100 THEN 1 ELSE 1 + \(mixed(44 + tenth, posts)) END
        """
    }

    private static let shopping = """
        INSERT INTO shopping_item (person, product, added) SELECT 1, number, \(now) FROM product
        """

    /// Person 2 follows a thousand people who have written no post for a long time, which makes the slowest feed.
    private static let quietFollower = [
        """
        \(rows(1000)) INSERT INTO person (id, first_name, last_name, email, joined, proven, name_key)
        SELECT 'q' || i, 'Quiet', 'Person' || i, 'q' || i || '@example.org', \(now), \(now), 'quiet person' || i FROM n
        """,
        "UPDATE post SET author = \(people) + 1 + number % 1000 WHERE number <= 20000 AND author <> 1",
        "INSERT OR IGNORE INTO follow SELECT 2, number, \(now) FROM person WHERE number > \(people)",
        "DELETE FROM follow WHERE person = 2 AND other <= \(people)",
    ]

    /// Returns a clause with the numbers from 1 to `count`, as `n (i)`.
    static func rows(_ count: Int) -> String {
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    /// Returns an expression for a pseudo-random number below `bound` for each `i` and `seed`.
    ///
    /// It multiplies as in Knuth's multiplicative hashing.
    static func mixed(_ seed: Int, _ bound: Int) -> String {
        let factor = ResultChecksum.mix(UInt64(seed)) & 0xFFFF_FFFF | 1
        return "(((i * \(factor) & 4294967295) * 40503 >> 13 & 1073741823) % \(bound))"
    }

    /// Returns an expression for one of some words, chosen pseudo-randomly for each `i` and `seed`.
    static func word(_ words: [String], _ seed: Int) -> String {
        let cases = words.enumerated().map { "WHEN \($0.offset) THEN '\($0.element)'" }
        return "CASE \(mixed(seed, words.count)) \(cases.joined(separator: " ")) END"
    }
}
