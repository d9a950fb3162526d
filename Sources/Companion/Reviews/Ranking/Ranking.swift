import GRDB
import RPC
import Service
import Sights
import Store
import Subjects
import Time

/// A ranking of sights by their ratings or by their visits.
///
/// It is read in the caller's transaction.
///
/// Only sights with a rating or a visit in the period are ranked. Equal sights share a rank, and the next rank counts
/// all of them: 1, 2, 2, 4.
struct Ranking: Sendable {
    /// The order of a ranking.
    enum Order: String, CaseIterable, Sendable {
        /// The score of ``RatingSummary``; among equal scores, the number of ratings.
        case rating
        /// The number of visits according to geofence events.
        case visits
    }

    /// The position of a sight in a ranking.
    ///
    /// The next page continues behind it.
    ///
    /// It holds the values that the sight was ranked by instead of its rank. The position therefore stays the same if
    /// other sights rise or fall between two pages.
    struct Mark: Hashable, Sendable {
        /// The value that decides the rank.
        var value: Double
        /// The value that decides between equal sights.
        ///
        /// A higher weight ranks first.
        var weight: Int64
        /// The sight's row number.
        ///
        /// Sights with the same rank are listed in the order in which they were added.
        var item: Int64

        init(value: Double, weight: Int64, item: Int64) {
            self.value = value
            self.weight = weight
            self.item = item
        }
    }

    /// A sight with its rank among all sights, and its totals in the period.
    struct Place: Sendable {
        var rank: Int
        var sight: Sight
        /// The id of the photo that represents the sight.
        var picture: String?
        var ratings: Int
        /// The score of the ratings; `nil` if there are none.
        var score: Double?
        var visits: Int
    }

    /// The order of the ranking.
    var order = Order.rating
    /// The period in which ratings and visits count.
    var period = RankingPeriod.Span.total
    /// Words that the listed sights contain.
    ///
    /// Their ranks are still those among all sights. With `nil`, all sights are listed.
    var text: String?
    /// The mark behind which the list continues; `nil` from the beginning.
    var after: Mark?
    /// The maximum number of sights.
    var limit: Int
    /// The numbers of sights that are left out; the ranks of the others stay.
    var hidden: Set<Int64> = []
    /// The only devices and trips of which visits count; `nil` for all.
    var scope: TravelScope?

    /// Calls `body` with each sight of the query and its mark, best first, until `body` returns false.
    ///
    /// All sights with equal totals have the same rank. There are few distinct totals, so the query counts ranks in
    /// these, and reads the page from the first matching total on.
    ///
    /// - Complexity: O(*t* log *t* + *p* log *s*) for *t* distinct totals, a page of *p* sights, and *s* ranked sights.
    ///   With a text, O(*m* + *s*) more for *m* matching sights. With a scope, O(*v* log *v*) more for *v* visits in the
    ///   period.
    func forEach(in db: Database, _ body: (Place, Mark) throws -> Bool) throws {
        let match = text.flatMap(SightSearch.query)
        var arguments: StatementArguments = [
            "period": period.number, "limit": StoreDamage.widened(limit), "kind": SightSubject.kind,
            "value": after?.value ?? .infinity,
            "weight": after?.weight ?? 0, "item": after?.item ?? 0,
        ]
        if let match { arguments += ["match": match] }
        if let scope {
            arguments += StatementArguments(scope.arguments)
            arguments += [
                "begin": period.range?.lowerBound.milliseconds ?? .min,
                "end": period.range?.upperBound.milliseconds ?? .max,
            ]
        }
        if !hidden.isEmpty { arguments += ["hidden": SightAccess.list(hidden)] }
        let rows = try NamedRow.soundRows(
            db.cachedStatement(sql: request(isSearch: match != nil)), arguments: arguments)
        while let row = try rows.next() {
            let mark = Mark(value: row["value"], weight: row["weight"], item: row["sight_number"])
            let place = Place(
                rank: row["place"], sight: try Sight(row), picture: (row["picture"] as Int64?).map(String.init),
                ratings: row["ratings"], score: row["score"], visits: row["visits"])
            guard try body(place, mark) else { break }
        }
    }

    /// The tables of the totals as the scope has them: with the visits that it allows.
    private static let counted = """
        seen AS (
            SELECT sight_visit.sight AS sight, count(*) AS visits
            FROM sight_visit JOIN device ON device.number = sight_visit.device
            WHERE sight_visit.entered >= :begin AND sight_visit.entered < :end
                AND \(TravelScope.condition(at: "sight_visit.entered"))
            GROUP BY 1),
        sight_tally AS MATERIALIZED (
            SELECT kept.sight AS sight, kept.period AS period, kept.ratings AS ratings, kept.stars AS stars,
                coalesce(seen.visits, 0) AS visits
            FROM main.sight_tally AS kept LEFT JOIN seen ON seen.sight = kept.sight WHERE kept.period = :period),
        sight_visited AS (
            SELECT :period AS period, sight_tally.visits AS visits, count(*) AS sights
            FROM sight_tally WHERE sight_tally.visits > 0 GROUP BY 2),
        """

    /// Returns the query of a page: the columns of each sight, its mark, its rank and its totals.
    ///
    /// `grade` holds the distinct totals, and `near` those from the mark on, by rank. `walk` steps through `near` and
    /// collects the sights of each row until there are enough.
    private func request(isSearch: Bool) -> String {
        """
        WITH RECURSIVE
        \(scope == nil ? "" : Self.counted)
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
                    SELECT sight FROM \(scope == nil ? "sight_tally INDEXED BY sight_tally_by_\(order.index)" : "sight_tally")
                    WHERE period = :period AND \(order.isOfGrade) AND sight > near.behind
                        \(isSearch ? "AND +sight IN (SELECT rowid FROM sight_text WHERE sight_text MATCH :match)" : "")
                        \(hidden.isEmpty ? "" : "AND +sight NOT IN (SELECT unseen.value FROM json_each(:hidden) AS unseen)")
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
    /// The SQL query for the distinct totals of the period: the number of `sights` that have them, their `value` and
    /// `weight`.
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

    /// The suffix of the index to use.
    ///
    /// Without the hint, SQLite would scan all sights, as it cannot know how many share a total.
    fileprivate var index: String {
        switch self {
        case .rating: "ratings"
        case .visits: "visits"
        }
    }

    /// The SQL condition that a row of `sight_tally` has the totals of a row of `near`, in the form of the partial
    /// index.
    fileprivate var isOfGrade: String {
        switch self {
        case .rating: "ratings <> 0 AND ratings = near.ratings AND stars = near.stars"
        case .visits: "visits <> 0 AND visits = near.visits"
        }
    }

    /// Returns ``RatingSummary/score`` as an SQL expression.
    fileprivate static func score(_ tally: String, mean: String) -> String {
        "(\(RatingSummary.weight) * \(mean) + \(tally).stars) / (\(RatingSummary.weight) + \(tally).ratings)"
    }
}

extension Ranking.Mark: CursorKey {
    // The value keeps all its digits, so that the next page continues behind exactly this sight.
    var values: [JSONValue] { [.number(value), .integer(weight), .integer(item)] }

    init?(_ values: [JSONValue]) {
        guard values.count == 3, let value = Double(json: values[0]), value.isFinite,
            let weight = Int64(json: values[1]), let item = Int64(json: values[2])
        else { return nil }
        self.init(value: value, weight: weight, item: item)
    }
}
