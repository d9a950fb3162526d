import GRDB
import Places
import Positioning
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
        /// A number for the order of those that share a rank.
        var item: Int64

        init(value: Double, weight: Int64, item: Int64) {
            self.value = value
            self.weight = weight
            self.item = item
        }
    }

    /// A sight with its rank among all of the period.
    struct Place: Sendable {
        var rank: Int
        var sight: Sight
    }

    /// What sights are ranked by.
    var order = Order.rating
    /// From when to before when; nil for all of time.
    var period: Range<Timestamp>?
    /// Only those that match this, with the ranks they have among all; all where nil.
    var text: String?
    /// Only those behind this one.
    var after: Mark?
    /// How many at most.
    var limit = Int.max

    /// Calls `body` with each sight asked for, the best first, as long as it returns true.
    ///
    /// - Complexity: O(*s*) for *s* ranked sights, O(*s* log *s*) with a text; besides, for a ranking by visits, O(*v*) for
    ///   *v* visits in the period.
    func forEach(in db: Database, _ body: (Place, Mark) throws -> Bool) throws {
        let (sql, arguments) = try request.build(db)
        let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        var before: (mark: Mark, rank: Int, position: Int)?
        while let row = try rows.next() {
            let mark = Mark(value: row["value"], weight: row["weight"], item: row["item"])
            var (rank, position): (Int, Int) = (row["rank"], row["position"])
            if isWhole, let before {
                position = before.position + 1
                let isEqual = mark.value == before.mark.value && mark.weight == before.mark.weight
                rank = isEqual ? before.rank : position
            }
            before = (mark, rank, position)
            guard try body(Place(rank: rank, sight: try Sight(row)), mark) else { break }
        }
    }

    /// Whether there is no text: sights that stand side by side are so among all, too, and ranks need not be counted for
    /// each.
    private var isWhole: Bool { match == nil }

    private var match: String? { text.flatMap(SightSearch.query) }

    /// The query for rows of the columns of a sight, its mark, its rank and its position.
    ///
    /// Without a text, rank and position are those of the first row.
    var request: SQL {
        let columns = SQL(sql: SightStore.columns)
        var conditions: [SQL] = []
        if let match { conditions.append("item IN (\(found(match)))") }
        if let after {
            let (value, weight, item) = (after.value, after.weight, after.item)
            conditions.append(
                "(value < \(value) OR value = \(value) AND (weight < \(weight) OR weight = \(weight) AND item > \(item)))"
            )
        }
        let condition = conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
        let order: SQL = "ORDER BY value DESC, weight DESC, item"
        guard isWhole else {
            return """
                SELECT \(columns), value, weight, item, place AS rank, 0 AS position FROM (
                    SELECT * FROM (
                        SELECT *, rank() OVER (ORDER BY value DESC, weight DESC) AS place FROM (\(values)))
                    WHERE \(condition) \(order) LIMIT \(limit))
                JOIN \(sights) \(order)
                """
        }
        return """
            WITH worth AS MATERIALIZED (\(values)),
            page AS MATERIALIZED (SELECT * FROM worth WHERE \(condition) \(order) LIMIT \(limit)),
            top AS MATERIALIZED (SELECT value AS v, weight AS w, item AS i FROM page \(order) LIMIT 1)
            SELECT \(columns), value, weight, item,
                1 + (SELECT count(*) FROM worth, top WHERE value > v OR value = v AND weight > w) AS rank,
                1 + (SELECT count(*) FROM worth, top
                    WHERE value > v OR value = v AND (weight > w OR weight = w AND item < i)) AS position
            FROM page JOIN \(sights) \(order)
            """
    }

    /// A query of what there is to rank.
    private var values: SQL {
        switch order {
        case .rating:
            return
                "SELECT subject AS item, score AS value, count AS weight FROM (\(Reviews.scores(of: SightSubject.kind, in: period)))"
        case .visits:
            guard let period else {
                return
                    "SELECT sight AS item, CAST(count(*) AS REAL) AS value, 0 AS weight FROM sight_visit GROUP BY sight"
            }
            let (begin, end) = (period.lowerBound.milliseconds, period.upperBound.milliseconds)
            return """
                SELECT sight AS item, CAST(count(*) AS REAL) AS value, 0 AS weight FROM sight_visit
                WHERE entered >= \(begin) AND entered < \(end) GROUP BY sight
                """
        }
    }

    /// A query of the items that match a text.
    private func found(_ match: String) -> SQL {
        switch order {
        case .rating:
            """
            SELECT subject.number FROM sight_text JOIN sight ON sight.number = sight_text.rowid
            JOIN subject ON subject.id = \(SightSubject.kind) || '/' || sight.id WHERE sight_text MATCH \(match)
            """
        case .visits: "SELECT rowid FROM sight_text WHERE sight_text MATCH \(match)"
        }
    }

    /// The sights of items, for a join.
    private var sights: SQL {
        switch order {
        case .rating:
            "subject ON subject.number = item JOIN sight ON sight.id = substr(subject.id, \(SightSubject.kind.utf8.count + 2))"
        case .visits: "sight ON sight.number = item"
        }
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
