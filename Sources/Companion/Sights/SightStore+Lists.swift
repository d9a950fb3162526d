package import GRDB
import Service
import Store

/// Lists of sights, read in the caller's transaction.
extension SightStore {
    /// Calls `body` with each sight of a query and its mark, until `body` returns false.
    ///
    /// A text search yields the best matches first, and equally good ones in the order in which they were added.
    /// Without a text, all sights come in the order in which they were added. If more than ``SightSearch/maximumScored``
    /// sights match the text, those with all its words in their title come first.
    ///
    /// The page after a mark continues behind that mark, even if sights were added or removed since. How well a sight
    /// matches depends on how frequent its words are in all sights. If those frequencies change much between two pages,
    /// a sight next to the mark may be listed twice or omitted.
    ///
    /// - Complexity: O(*p* log *n*) for *p* sights of *n* in all, without a text or window. With one, O(*m* log *m*)
    ///   for *m* matching sights, and O(*p*) behind the mark if they are too many to be scored.
    package static func forEach(_ query: Query, in db: Database, _ body: (Sight, Mark) throws -> Bool) throws {
        var isCommon = false
        if let match = query.text.flatMap(SightSearch.query) {
            // The next page is ordered as the first one was. Scores of bm25 are negative, the ranks of `commonRequest` are not.
            isCommon = try query.after?.rank.map { $0 >= 0 } ?? SightSearch.isCommon(match, in: db)
        }
        let (sql, arguments) = request(query, isCommon: isCommon)
        let rows = try NamedRow.soundRows(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() {
            guard try body(Sight(row), Mark(rank: row["place"], number: row["sight_number"])) else { break }
        }
    }

    /// Returns the SQL and arguments of a query.
    ///
    /// Each row has ``columns`` and the rank as `place`.
    ///
    /// - Parameter isCommon: Whether more sights match the text than are scored.
    package static func request(_ query: Query, isCommon: Bool = false) -> (sql: String, arguments: StatementArguments)
    {
        var conditions: [String] = []
        var arguments: StatementArguments = ["limit": StoreDamage.widened(query.limit)]
        func ask(_ condition: String, _ values: [String: (any DatabaseValueConvertible)?]) {
            conditions.append(condition)
            arguments += StatementArguments(values)
        }
        let match = query.text.flatMap(SightSearch.query)
        if let match, !isCommon { ask("sight_text MATCH :match", ["match": match]) }
        if !query.hidden.isEmpty {
            ask(
                "sight.number NOT IN (SELECT unseen.value FROM json_each(:hidden) AS unseen)",
                ["hidden": SightAccess.list(query.hidden)])
        }
        if let category = query.category { ask("sight.category = :category", ["category": category]) }
        switch query.after {
        case .some where isCommon: break
        case let after? where match != nil:
            ask("(rank, sight.number) > (:rank, :number)", ["rank": after.rank, "number": after.number])
        case let after?: ask("sight.number > :number", ["number": after.number])
        case nil: break
        }
        if let window = query.window {
            let also = window.crossesAntimeridian ? "OR" : "AND"
            ask(
                """
                lat_e7 BETWEEN :south AND :north AND (
                    lon_e7 >= :west \(also) lon_e7 <= :east
                    OR abs(lon_e7) = 1800000000 AND (-lon_e7 >= :west \(also) -lon_e7 <= :east))
                """,
                ["south": window.southE7, "north": window.northE7, "west": window.westE7, "east": window.eastE7])
        }
        guard match != nil || query.window != nil else {
            let sql = """
                SELECT \(columns), NULL AS place FROM sight WHERE \((conditions + ["true"]).joined(separator: " AND "))
                ORDER BY sight.number LIMIT :limit
                """
            return (sql, arguments)
        }
        if let match, isCommon { return commonRequest(match, after: query.after, conditions, arguments) }
        // The inner query chooses the page from indexes alone, so that only the sights of the page are read in full.
        let (rank, order) = match == nil ? ("NULL", "chosen") : ("rank", "place, chosen")
        let tables = match == nil ? "sight" : "sight_text JOIN sight ON sight.number = sight_text.rowid"
        let sql = """
            SELECT \(columns), place FROM (
                SELECT sight.number AS chosen, \(rank) AS place FROM \(tables)
                WHERE \((conditions + ["true"]).joined(separator: " AND "))
                ORDER BY \(order) LIMIT :limit)
            JOIN sight ON sight.number = chosen ORDER BY \(order)
            """
        return (sql, arguments)
    }

    /// Returns the query for words that many sights match.
    ///
    /// Sights with all words in their title have the rank 0, the others 1. Each group is in the order in which its sights
    /// were added, so that SQLite reads no more of them than the page has.
    private static func commonRequest(
        _ match: String, after mark: Mark?, _ conditions: [String], _ arguments: StatementArguments
    ) -> (sql: String, arguments: StatementArguments) {
        var arguments = arguments
        let tables = "sight_text" + (conditions.isEmpty ? "" : " CROSS JOIN sight ON sight.number = sight_text.rowid")
        func part(_ rank: Double, _ name: String, _ words: String) -> String {
            arguments += [name: words]
            var conditions = ["sight_text MATCH :\(name)"] + conditions
            if let mark, mark.rank == rank { conditions.append("sight_text.rowid > \(mark.number)") }
            return """
                SELECT * FROM (
                    SELECT sight_text.rowid AS chosen, \(rank) AS place FROM \(tables)
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY sight_text.rowid LIMIT :limit)
                """
        }
        var parts: [String] = []
        if mark?.rank ?? 0 == 0 { parts.append(part(0, "titled", "title : (\(match))")) }
        parts.append(part(1, "others", "(\(match)) NOT title : (\(match))"))
        let sql = """
            SELECT \(columns), place FROM (
                \(parts.joined(separator: " UNION ALL ")) ORDER BY place, chosen LIMIT :limit)
            JOIN sight ON sight.number = chosen ORDER BY place, chosen
            """
        return (sql, arguments)
    }
}
