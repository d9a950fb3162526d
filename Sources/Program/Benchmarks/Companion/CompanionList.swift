import People
import RPC
import Service
import Subjects

/// A list of the companion to measure, and the plain SQL for the same rows.
struct CompanionList: Sendable {
    /// The method, with the variant of the call after a comma.
    let name: String
    /// The name of the rows in the answer.
    let elements: String
    /// The parameters of the call, besides those of the page.
    var parameters: JSONObject = [:]
    /// The number of rows before the deep page; 0 if the list has only one page.
    var depth = 0
    /// The number of rows on the measured pages.
    var limit: Int = 50
    /// The number of the person who calls.
    var person = 1
    /// Whether the method has a limit.
    var isLimited = true
    /// The largest limit that the method accepts.
    var largestPage = 200
    /// The queries for the rest of the answer, such as the number of all rows.
    var also: [String] = []
    /// Returns the query for the same rows after a key, whose values are written as in SQL.
    let sql: @Sendable (_ key: [String]?) -> String

    var method: String { name.split(separator: ",").first.map(String.init) ?? name }

    /// Returns the query for the same rows after those of a cursor.
    func query(after cursor: String?) -> String {
        let values = cursor.flatMap { Cursor($0, of: method) }?.values
        return sql(
            values?.map { value in
                switch value {
                case .string(let text): "'\(text.replacing("'", with: "''"))'"
                case .bool(let isTrue): isTrue ? "1" : "0"
                default: String(decoding: JSONText { $0.value(value) }.bytes, as: UTF8.self)
                }
            })
    }

    func request(limit: Int, after key: String?) -> Request {
        var parameters = parameters
        if isLimited { parameters["limit"] = .integer(Int64(limit)) }
        if let key { parameters["after"] = .string(key) }
        return Request(id: .integer(1), method: method, parameters: .named(parameters))
    }
}

extension CompanionList {
    static let all = ofSights + ofReports + ofRanks + ofReviews + ofPeople + ofVotes + ofPosts + ofOnes

    private static let ofSights = [
        CompanionList(
            name: "sights.list", elements: "sights", depth: 90_000, limit: 100, largestPage: 1000
        ) { "SELECT sight.*, \(owner) FROM sight WHERE number > \($0?[0] ?? "0") ORDER BY number LIMIT 100" },
        CompanionList(
            name: "sights.list, category", elements: "sights", parameters: ["category": "museum"], depth: 10_000,
            limit: 100, largestPage: 1000
        ) {
            """
            SELECT sight.*, \(owner) FROM sight WHERE category = 'museum' AND number > \($0?[0] ?? "0")
            ORDER BY number LIMIT 100
            """
        },
        CompanionList(
            name: "sights.list, bbox", elements: "sights", parameters: ["bbox": [4, 50, 8, 54]], depth: 1500,
            limit: 100, largestPage: 1000
        ) {
            """
            SELECT sight.*, \(owner) FROM sight WHERE lat_e7 BETWEEN 500000000 AND 540000000 AND lon_e7 BETWEEN 40000000 AND 80000000
                AND number > \($0?[0] ?? "0") ORDER BY number LIMIT 100
            """
        },
        CompanionList(
            name: "sights.list, text", elements: "sights", parameters: ["text": "museum"], depth: 10_000, limit: 100,
            largestPage: 1000
        ) { key in
            """
            SELECT sight.*, \(owner), place FROM (
                SELECT sight_text.rowid AS chosen,
                    CAST(sight_text.rowid NOT IN (SELECT rowid FROM sight_text WHERE sight_text MATCH 'title : "museum"*')
                        AS REAL) AS place
                FROM sight_text WHERE sight_text MATCH '"museum"*')
            JOIN sight ON number = chosen \(key.map { "WHERE (place, number) > (\(list($0)))" } ?? "")
            ORDER BY place, number LIMIT 100
            """
        },
        CompanionList(
            name: "sights.list, rare text", elements: "sights", parameters: ["text": "name4711"], limit: 100
        ) { _ in
            """
            SELECT sight.*, \(owner), rank FROM sight_text JOIN sight ON number = sight_text.rowid WHERE sight_text MATCH '"name4711"*'
            ORDER BY rank, number LIMIT 100
            """
        },
        CompanionList(
            name: "sights.nearest", elements: "nearest", parameters: ["lat": 52, "lon": 5, "k": 10], isLimited: false
        ) { _ in
            """
            SELECT *, (lat_e7 - 520000000) * (lat_e7 - 520000000)
                + 0.379 * (lon_e7 - 50000000) * (lon_e7 - 50000000) AS distance FROM sight
            WHERE lat_e7 BETWEEN 515000000 AND 525000000 AND lon_e7 BETWEEN 42000000 AND 58000000
            ORDER BY distance LIMIT 10
            """
        },
        CompanionList(
            name: "sights.visits", elements: "visits", parameters: ["id": "s1"], depth: 9000, largestPage: 1000
        ) { key in
            """
            SELECT * FROM sight_visit
            WHERE sight = 1 \(key.map { "AND (entered, device) < (\(list($0)))" } ?? "")
            ORDER BY entered DESC, device DESC LIMIT 50
            """
        },
    ]

    /// Sums of two years of ten devices, which are as many days as twenty years of one.
    private static let ofReports = [
        CompanionList(
            name: "reports.summary, months", elements: "sums", limit: 1000, largestPage: 1000
        ) { _ in
            """
            SELECT strftime('%Y-%m', day * 86400, 'unixepoch') AS month, device, sum(trips), sum(distance_cm), sum(moving_ms),
                sum(stopped_ms), sum(stops), max(max_speed_cmps), min(first), max(last)
            FROM day_sum GROUP BY 1, 2 ORDER BY 1 DESC, 2
            """
        },
        CompanionList(
            name: "reports.summary, days", elements: "sums", parameters: ["period": "day"], depth: 4000, limit: 100,
            largestPage: 1000
        ) { key in
            """
            SELECT day_sum.* FROM day_sum JOIN device ON number = device
                \(key.map { "WHERE day < \($0[0]) OR day = \($0[0]) AND name > \($0[1])" } ?? "")
            ORDER BY day DESC, name LIMIT 100
            """
        },
    ]

    private static let ofRanks = [
        ranking("total", "SELECT subject, count, total FROM rating WHERE kind = 'sight' AND count > 0"),
        ranking("year", tally(from: 1_767_225_600_000, to: 1_798_761_600_000), ["period": "year"]),
        ranking(
            "month", tally(from: 1_777_593_600_000 - 2_592_000_000, to: 1_777_593_600_000),
            [
                "period": "month", "at": "2026-04-15T00:00:00Z",
            ]),
        ranking(
            "text", "SELECT subject, count, total FROM rating WHERE kind = 'sight' AND count > 0", ["text": "museum"],
            and: """
                subject IN (
                    SELECT subject.number FROM sight_text JOIN sight ON sight.number = sight_text.rowid
                    JOIN subject ON subject.id = 'sight/' || sight.id WHERE sight_text MATCH '"museum"*')
                """, depth: 2000),
        CompanionList(
            name: "sights.ranking, by visits", elements: "sights", parameters: ["by": "visits"], depth: 15_000
        ) { key in
            """
            SELECT * FROM (SELECT sight AS item, count(*) AS value FROM sight_visit GROUP BY sight)
            JOIN sight ON sight.number = item \(key.map { "WHERE (-value, item) > (-\($0[0]), \($0[2]))" } ?? "")
            ORDER BY value DESC, item LIMIT 50
            """
        },
        CompanionList(
            name: "sights.ratings", elements: "", parameters: ["id": "s1"], isLimited: false
        ) { _ in "SELECT * FROM rating WHERE subject = (SELECT number FROM subject WHERE id = 'sight/s1')" },
    ]

    private static func tally(from begin: Int64, to end: Int64) -> String {
        """
        SELECT subject, count(*) AS count, sum(rating) AS total FROM review
        WHERE hidden = 0 AND time >= \(begin) AND time < \(end) GROUP BY subject
        """
    }

    private static func ranking(
        _ name: String, _ tallies: String, _ parameters: JSONObject = [:], and condition: String = "true",
        depth: Int = 5000
    ) -> CompanionList {
        CompanionList(
            name: "sights.ranking, \(name)", elements: "sights", parameters: parameters, depth: depth
        ) { key in
            let place = key.map { "(-value, -count, subject) > (-\($0[0]), -\($0[1]), \($0[2]))" }
            return """
                SELECT * FROM (
                    SELECT *, (\(RatingSummary.weight) * (SELECT CAST(total AS REAL) / count FROM rating_of_kind WHERE kind = 'sight')
                        + total) / (\(RatingSummary.weight) + count) AS value FROM (\(tallies)))
                JOIN subject ON subject.number = subject JOIN sight ON sight.id = substr(subject.id, 7)
                WHERE \(condition) AND \(place ?? "true") ORDER BY value DESC, count DESC, subject LIMIT 50
                """
        }
    }

    private static let ofReviews = [
        CompanionList(
            name: "reviews.list, newest", elements: "reviews", parameters: ["subject": "sight/s1"], depth: 900
        ) { reviews($0, by: "time") },
        CompanionList(
            name: "reviews.list, agreed", elements: "reviews",
            parameters: ["subject": "sight/s1", "order": "agreed"], depth: 900
        ) { reviews($0, by: "agrees") },
        CompanionList(
            name: "photos.list, subject", elements: "photos", parameters: ["subject": "sight/s1"], depth: 400,
            largestPage: 1000, also: ["SELECT count(*) FROM photo WHERE subject = 1"]
        ) {
            """
            SELECT \(photo), \(position) FROM \(photos)
            WHERE photo.subject = 1 AND place > \($0?[0] ?? "0") ORDER BY place LIMIT 50
            """
        },
        CompanionList(
            name: "photos.list, person", elements: "photos", parameters: ["person": "p1"], depth: 4500,
            largestPage: 1000
        ) {
            """
            SELECT \(photo), \(position) FROM \(photos)
            WHERE photo.person = 1 AND photo.number < \($0?[0] ?? "1e9") ORDER BY photo.number DESC LIMIT 50
            """
        },
    ]

    /// The columns that a list returns for each photo.
    private static let photo = """
        photo.*, picture.*, person.id, subject.id,
        EXISTS (SELECT 1 FROM photo AS other WHERE other.subject = photo.subject AND other.cover = 1),
        EXISTS (SELECT 1 FROM photo AS other WHERE other.subject = photo.subject AND other.portrait = 1),
        EXISTS (SELECT 1 FROM reaction WHERE reaction.person = 1 AND reaction.kind = 'save'
            AND reaction.subject = (SELECT number FROM subject AS self WHERE self.id = 'photo/' || photo.number))
        """

    /// The place where the person's own photo was taken.
    ///
    /// It is the trip of a device that carried them, and the points of the trace before and after.
    private static let position = """
        CASE WHEN photo.person = 1 THEN (SELECT trip.id || coalesce((SELECT lat_e7 || ' ' || lon_e7 FROM trace
                WHERE key BETWEEN trip.number << 40 AND (trip.number << 40) + taken - start
                ORDER BY key DESC LIMIT 1), '') || coalesce((SELECT lat_e7 || ' ' || lon_e7 FROM trace
                WHERE key BETWEEN (trip.number << 40) + taken - start + 1 AND (trip.number + 1 << 40) - 1
                ORDER BY key LIMIT 1), '')
            FROM trip JOIN carried ON carried.device = (SELECT name FROM device WHERE device.number = trip.device)
            WHERE carried.person = photo.person AND hidden = 0 AND start < taken + 900000
                AND NOT EXISTS (SELECT 1 FROM trip_part WHERE trip_part.trip = trip.number)
            ORDER BY start DESC LIMIT 1) END
        """

    private static let photos = """
        photo JOIN picture ON picture.number = photo.picture JOIN subject ON subject.number = photo.subject
            LEFT JOIN person ON person.number = photo.person LEFT JOIN picture_copy USING (picture)
        """

    private static func reviews(_ key: [String]?, by column: String) -> String {
        """
        SELECT *, \(person("person", as: 1)),
            EXISTS (SELECT 1 FROM review_agree WHERE review = review.number AND person = 1),
            EXISTS (SELECT 1 FROM review_flag WHERE review = review.number AND person = 1)
        FROM review JOIN person ON person.number = author WHERE subject = 1 AND hidden = 0
            \(key.map { "AND (\(column), review.number) < (\(list($0)))" } ?? "")
        ORDER BY \(column) DESC, review.number DESC LIMIT 50
        """
    }

    private static let ofPeople = [
        search("people.search", depth: 900),
        search("people.search, text", ["text": "curie"], where: "\(names) LIKE '%curie%'", depth: 100),
        people("people.following", from: "follow JOIN person ON number = other", where: "person = 1", depth: 900),
        people("people.followers", from: "follow JOIN person ON number = person", where: "other = 1", depth: 900),
        people("friends.list", from: "friend JOIN person ON number = other", where: "person = 1", depth: 400),
        CompanionList(name: "people.suggested", elements: "people", limit: 10) { _ in
            """
            SELECT *, (SELECT count(*) FROM friend AS mine JOIN friend AS theirs ON theirs.person = mine.other
                WHERE mine.person = 1 AND theirs.other = number) AS shared FROM person
            WHERE number <> 1 AND number NOT IN (SELECT other FROM follow WHERE person = 1) ORDER BY shared DESC LIMIT 10
            """
        },
    ]

    /// Returns a list of people by name.
    ///
    /// The method lists people that the caller follows first. Person 1 follows all others, so the order is the same.
    private static func people(
        _ name: String, from source: String, _ parameters: JSONObject = [:], where condition: String = "true",
        depth: Int
    ) -> CompanionList {
        CompanionList(name: name, elements: "people", parameters: parameters, depth: depth, largestPage: 1000) { key in
            """
            SELECT *, \(Self.person("person", as: 1)) FROM \(source)
            WHERE \(condition) AND \(key.map { "(name_key, id) > (\($0[1]), \($0[2]))" } ?? "true")
            ORDER BY name_key, id LIMIT 50
            """
        }
    }

    /// Returns a search for people, in which the people followed by person 1 come first.
    private static func search(
        _ name: String, _ parameters: JSONObject = [:], where condition: String = "true", depth: Int
    ) -> CompanionList {
        CompanionList(name: name, elements: "people", parameters: parameters, depth: depth, largestPage: 1000) { key in
            let place = key.map { "(NOT followed, name_key, id) > (NOT \($0[0]), \($0[1]), \($0[2]))" }
            return """
                SELECT *, \(person("person", as: 1)) FROM (
                    SELECT *, EXISTS (SELECT 1 FROM follow WHERE person = 1 AND other = number) AS followed FROM person
                    WHERE \(condition) AND \(place ?? "true")
                    ORDER BY followed DESC, name_key, id LIMIT 50) AS person
                ORDER BY followed DESC, name_key, id
                """
        }
    }

    private static let names = "(id || ' ' || first_name || ' ' || last_name)"

    private static let ofOnes = [
        notifications("notifications.list", depth: 900),
        notifications("notifications.list, read", ["state": "read"], where: "state = 'read'", depth: 600),
        notifications("notifications.list, friend", ["kind": "friend"], where: "kind = 'friend'"),
        CompanionList(name: "notifications.badge", elements: "", isLimited: false) { _ in
            "SELECT count(*) FROM notification WHERE person = 1 AND state = 'new'"
        },
        CompanionList(
            name: "reactions.mine", elements: "subjects", parameters: ["kind": "heart"], depth: 9000, largestPage: 500
        ) {
            """
            SELECT * FROM reaction JOIN subject ON subject.number = subject JOIN sight ON sight.id = substr(subject.id, 7)
            WHERE person = 1 AND kind = 'heart' AND reaction.number < \($0?[0] ?? "1e9") ORDER BY reaction.number DESC LIMIT 50
            """
        },
        suggestions("received", "sender", where: "recipient = 1 AND state = 'open'"),
        suggestions("sent", "recipient", where: "sender = 1 AND state <> 'withdrawn'"),
    ]

    private static func notifications(
        _ name: String, _ parameters: JSONObject = [:], where condition: String = "true", depth: Int = 0
    ) -> CompanionList {
        CompanionList(name: name, elements: "notifications", parameters: parameters, depth: depth) {
            """
            SELECT * FROM notification WHERE person = 1 AND \(condition) AND number < \($0?[0] ?? "1e9")
            ORDER BY number DESC LIMIT 50
            """
        }
    }

    private static func suggestions(_ box: String, _ other: String, where condition: String) -> CompanionList {
        CompanionList(
            name: "suggestions.list, \(box)", elements: "suggestions", parameters: ["box": .string(box)], depth: 4000
        ) {
            """
            SELECT *, \(person("person", as: 1)) FROM suggestion JOIN person ON person.number = \(other) JOIN subject ON subject.number = subject
            JOIN sight ON sight.id = substr(subject.id, 7)
            WHERE \(condition) AND suggestion.number < \($0?[0] ?? "1e9") ORDER BY suggestion.number DESC LIMIT 50
            """
        }
    }

    private static let ofVotes = [
        CompanionList(
            name: "votes.list, initiated", elements: "votes", parameters: ["part": "initiated"], depth: 4000
        ) {
            "SELECT \(vote) FROM vote WHERE initiator = 1 AND number < \($0?[0] ?? "1e9") ORDER BY number DESC LIMIT 50"
        },
        CompanionList(
            name: "votes.list, attended", elements: "votes", parameters: ["part": "attended"], depth: 4000
        ) {
            """
            SELECT \(vote) FROM vote_ballot JOIN vote ON vote.number = vote_ballot.vote
            WHERE person = 1 AND state <> 'open' AND vote_ballot.vote < \($0?[0] ?? "1e9")
            ORDER BY vote_ballot.vote DESC LIMIT 50
            """
        },
        CompanionList(
            name: "votes.here", elements: "votes", depth: 100,
            // These are the queries for the position of the person.
            also: ["SELECT * FROM device", "SELECT device FROM carried WHERE person = 1"]
        ) {
            """
            SELECT \(vote) FROM vote WHERE ended IS NULL AND lat_e7 BETWEEN 519909000 AND 520091000
                AND lon_e7 BETWEEN 49852000 AND 50148000 AND (lat_e7 - 520000000) * (lat_e7 - 520000000)
                    + 0.379 * (lon_e7 - 50000000) * (lon_e7 - 50000000) <= 89932.2 * 89932.2
                AND number < \($0?[0] ?? "1e9") ORDER BY number DESC LIMIT 50
            """
        },
    ]

    private static let ofPosts = [
        feed("posts.feed", of: 1, depth: 20_000),
        // Person 2 follows a thousand people, and none of the latest posts is by one of them.
        feed("posts.feed, quiet", of: 2, depth: 4000),
        posts("posts.list, person", ["person": "p1"], where: "post.author = 1", depth: 9000),
        posts("posts.list, product", ["product": "1"], where: "post.product = 1"),
        posts(
            "posts.here", ["lat": 52, "lon": 5],
            where: """
                post.number IN (SELECT number FROM post
                    WHERE cell IN (5111668, 5111669, 5115269, 5115270) AND lat_e7 BETWEEN 519910000 AND 520090000)
                AND (lat_e7 - 520000000) * (lat_e7 - 520000000)
                    + 0.379 * (lon_e7 - 50000000) * (lon_e7 - 50000000) <= 89932.2 * 89932.2
                """),
        CompanionList(name: "shopping.list", elements: "products", depth: 400) {
            """
            SELECT *, coalesce((SELECT photo.number FROM photo WHERE photo.subject = (
                    SELECT number FROM subject WHERE id = 'product/' || product.number) ORDER BY cover DESC, place LIMIT 1),
                (SELECT photo.number FROM photo WHERE photo.subject = (SELECT number FROM subject WHERE id = 'post/' || (
                    SELECT max(number) FROM post WHERE post.product = product.number)) ORDER BY cover DESC, place LIMIT 1))
            FROM shopping_item JOIN product ON product.number = product
            WHERE person = 1 AND shopping_item.number < \($0?[0] ?? "1e9") ORDER BY shopping_item.number DESC LIMIT 50
            """
        },
        CompanionList(
            name: "reactions.list, post", elements: "people", parameters: ["subject": "post/1", "kind": "heart"],
            depth: 900, largestPage: 500
        ) {
            """
            SELECT *, \(person("person", as: 1)) FROM reaction JOIN person ON person.number = person
            WHERE subject = (SELECT number FROM subject WHERE id = 'post/1') AND kind = 'heart'
                AND reaction.number < \($0?[0] ?? "1e9") ORDER BY reaction.number DESC LIMIT 50
            """
        },
    ]

    private static func feed(_ name: String, of person: Int, depth: Int) -> CompanionList {
        var list = posts(
            name,
            where: """
                (+post.author = \(person)
                    OR +post.author IN (SELECT other FROM follow WHERE follow.person = \(person)))
                """, as: person, depth: depth)
        list.person = person
        return list
    }

    /// Returns a list of posts with the columns of a row, of which the person may see those for everyone or for
    /// friends.
    private static func posts(
        _ name: String, _ parameters: JSONObject = [:], where condition: String, as person: Int = 1, depth: Int = 0
    ) -> CompanionList {
        CompanionList(
            name: name, elements: "posts", parameters: parameters, depth: depth, largestPage: 100
        ) { key in
            """
            SELECT *, \(Self.person("person", as: person)),
                \(["heart", "save"].map { kind in
                    """
                    EXISTS (SELECT 1 FROM reaction
                        WHERE reaction.subject = about.number AND reaction.kind = '\(kind)' AND reaction.person = \(person))
                    """
                }.joined(separator: ", ")),
                (SELECT wears FROM post_verdict WHERE post_verdict.post = post.number AND post_verdict.person = \(person)),
                (SELECT count FROM rating WHERE rating.subject = about.number),
                (SELECT number FROM photo WHERE photo.subject = about.number ORDER BY cover DESC, place LIMIT 1)
            FROM post JOIN person ON person.number = post.author LEFT JOIN product ON product.number = post.product
                LEFT JOIN subject AS about ON about.id = 'post/' || post.number
            WHERE \(condition) AND post.hidden = 0 AND (post.author = \(person) OR level = 'everyone' OR EXISTS (
                SELECT 1 FROM friend WHERE friend.person = post.author AND friend.other = \(person)))
                AND post.number < \(key?[0] ?? "1e9") ORDER BY post.number DESC LIMIT 50
            """
        }
    }

    /// The id of the person who added a sight, which lists return for each sight.
    private static let owner = "(SELECT person.id FROM person WHERE person.number = sight.owner)"

    /// The columns that a list returns for each person, as the person with the number `viewer` sees them.
    private static func person(_ table: String, as viewer: Int) -> String {
        PersonRow.columns(of: table, as: "listed").replacing(":me", with: String(viewer))
    }

    /// The columns that a list returns for each vote.
    private static let vote = """
        vote.*, EXISTS (SELECT 1 FROM vote_conflict WHERE vote_conflict.vote = vote.number),
        (SELECT state FROM vote_ballot AS own WHERE own.vote = vote.number AND own.person = 1)
        """

    /// Returns the values of a key, separated by commas.
    private static func list(_ key: [String]) -> String { key.joined(separator: ", ") }
}
