import GRDB
import Places
import RPC
import Service

/// Sights in the order of what people make of them, or of how often they come; within a transaction of its caller.
///
/// Ranked are those that have been rated, or visited, within the period. Equal ones have the same rank, and the next
/// one's counts them all: 1, 2, 2, 4.
struct Ranking: Sendable {
    /// What sights are ranked by.
    enum Order: String, CaseIterable, Sendable {
        /// The score of ``RatingSummary``, of equal ones the number of ratings.
        case rating
        /// How many visits there were, as geofence events have told.
        case visits
    }

    /// Where a sight stands, for the list to go on behind it.
    ///
    /// It says what the sight was ranked by rather than its rank, so that others that rise or fall meanwhile do not move
    /// it.
    struct Mark: Hashable, Sendable {
        /// What it is ranked by.
        var value: Double
        /// What decides between equal ones, more being better.
        var weight: Int64
        /// The sight's number: those that share a rank are in the order in which they were added.
        var item: Int64

        init(value: Double, weight: Int64, item: Int64) {
            self.value = value
            self.weight = weight
            self.item = item
        }
    }

    /// A sight with its rank among all of the period, and what it was made of in the period.
    struct Place: Sendable {
        var rank: Int
        var sight: Sight
        /// The id of the photo that stands for it.
        var picture: String?
        var ratings: Int
        /// The score of the ratings; nil where there is none.
        var score: Double?
        var visits: Int
    }

    /// What sights are ranked by.
    var order = Order.rating
    /// What of time counts.
    var period = RankingPeriod.Span.total
    /// Only those that match this, with the ranks they have among all; all where nil.
    var text: String?
    /// Only those behind this one.
    var after: Mark?
    /// How many at most.
    var limit: Int

    /// Calls `body` with each sight asked for, the best first, as long as it returns true.
    ///
    /// Sights of the same tally have the same rank: they are counted in the few rows of tallies that there are, and the
    /// page is read from the first of these on.
    ///
    /// - Complexity: O(*t* log *t* + *p* log *s*) for *t* tallies that differ, a page of *p*, and *s* ranked sights; with a
    ///   text besides O(*m* + *s*) for *m* sights that match it.
    func forEach(in db: Database, _ body: (Place, Mark) throws -> Bool) throws {
        let match = text.flatMap(SightSearch.query)
        var arguments: StatementArguments = [
            "period": period.number, "limit": limit, "kind": SightSubject.kind, "value": after?.value ?? .infinity,
            "weight": after?.weight ?? 0, "item": after?.item ?? 0,
        ]
        if let match { arguments += ["match": match] }
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(sql: request(isSearch: match != nil)), arguments: arguments)
        while let row = try rows.next() {
            let mark = Mark(value: row["value"], weight: row["weight"], item: row["sight_number"])
            let place = Place(
                rank: row["place"], sight: try Sight(row), picture: (row["picture"] as Int64?).map(String.init),
                ratings: row["ratings"], score: row["score"], visits: row["visits"])
            guard try body(place, mark) else { break }
        }
    }

    /// The query of a page: columns of the sight, its mark, its rank, and what else is shown of it.
    ///
    /// `grade` are the tallies that differ, `near` those from the mark on by their rank. `walk` goes from one to the next
    /// and takes the sights of each, until there are enough.
    private func request(isSearch: Bool) -> String {
        """
        WITH RECURSIVE
        expected (mean) AS (
            SELECT coalesce(
                (SELECT CAST(total AS REAL) / count FROM rating_of_kind WHERE kind = :kind AND count > 0),
                \(RatingSummary.middle))),
        grade AS (\(order.grades)),
        placed AS (
            SELECT *, 1 - sights + sum(sights) OVER (ORDER BY value DESC, weight DESC ROWS UNBOUNDED PRECEDING) AS place
            FROM grade),
        near AS MATERIALIZED (
            SELECT *, row_number() OVER (ORDER BY value DESC, weight DESC) AS step,
                CASE WHEN value = :value AND weight = :weight THEN :item ELSE 0 END AS behind
            FROM placed WHERE (value, weight) <= (:value, :weight)),
        walk (step, passed, items) AS (
            SELECT 0, 0, '[]' UNION ALL
            SELECT near.step, passed + json_array_length(items), (
                SELECT json_group_array(sight) FROM (
                    SELECT sight FROM sight_tally INDEXED BY sight_tally_by_\(order.index)
                    WHERE period = :period AND \(order.isOfGrade) AND sight > near.behind
                        \(isSearch ? "AND +sight IN (SELECT rowid FROM sight_text WHERE sight_text MATCH :match)" : "")
                    ORDER BY sight LIMIT :limit))
            FROM walk JOIN near ON near.step = walk.step + 1
            WHERE passed + json_array_length(items) < :limit),
        page AS MATERIALIZED (
            SELECT near.value, near.weight, near.place, item.value AS item
            FROM walk JOIN near ON near.step = walk.step CROSS JOIN json_each(walk.items) AS item
            ORDER BY near.step, item.value LIMIT :limit)
        SELECT \(SightStore.columns), page.value, page.weight, page.place, tally.ratings, tally.visits,
            CASE WHEN tally.ratings > 0 THEN \(Order.score("tally", mean: "(SELECT mean FROM expected)")) END AS score,
            \(Subjects.cover(of: "'\(SightSubject.kind)/' || sight.id")) AS picture
        FROM page CROSS JOIN sight ON sight.number = page.item
            CROSS JOIN sight_tally AS tally ON tally.sight = page.item AND tally.period = :period
        ORDER BY page.value DESC, page.weight DESC, page.item
        """
    }
}

extension Ranking.Order {
    /// A query of the tallies that differ in the period: how many `sights` have them, `value` and `weight`.
    fileprivate var grades: String {
        switch self {
        case .rating:
            """
            SELECT ratings, stars, sights, \(Self.score("sight_rated", mean: "mean")) AS value, ratings AS weight
            FROM sight_rated CROSS JOIN expected WHERE period = :period
            """
        case .visits:
            """
            SELECT visits, sights, CAST(visits AS REAL) AS value, 0 AS weight
            FROM sight_visited WHERE period = :period
            """
        }
    }

    /// The index of what it ranks by; SQLite, which does not know how many share a tally, would go through all sights.
    fileprivate var index: String {
        switch self {
        case .rating: "ratings"
        case .visits: "visits"
        }
    }

    /// Whether a row of `sight_tally` is of a row of `near`; as the index has it.
    fileprivate var isOfGrade: String {
        switch self {
        case .rating: "ratings <> 0 AND ratings = near.ratings AND stars = near.stars"
        case .visits: "visits <> 0 AND visits = near.visits"
        }
    }

    /// ``RatingSummary/score`` in SQL.
    fileprivate static func score(_ tally: String, mean: String) -> String {
        "(\(RatingSummary.weight) * \(mean) + \(tally).stars) / (\(RatingSummary.weight) + \(tally).ratings)"
    }
}

extension Ranking.Mark: CursorKey {
    // All digits of the value: the list goes on behind this very sight.
    var values: [JSONValue] { [.number(value), .integer(weight), .integer(item)] }

    init?(_ values: [JSONValue]) {
        guard values.count == 3, let value = Double(json: values[0]), value.isFinite,
            let weight = Int64(json: values[1]), let item = Int64(json: values[2])
        else { return nil }
        self.init(value: value, weight: weight, item: item)
    }
}
