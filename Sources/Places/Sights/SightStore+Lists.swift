package import GRDB
import Service

/// Lists of sights within a transaction of its caller.
extension SightStore {
    /// Calls `body` with each sight asked for and where it stands, as long as it returns true: the best matches of a text
    /// first, those that match as well and all where there is no text in the order in which they were added.
    ///
    /// Where more than ``SightSearch/mostScored`` match, those with the words in their title come first.
    ///
    /// A page after a mark goes on behind it whatever has come and gone. How well a sight matches depends on how frequent
    /// its words are in all sights: where those change much meanwhile, one that stands beside the mark may be told twice or
    /// not at all.
    ///
    /// - Complexity: O(*p* log *n*) for *p* sights without a text or window, of *n* in all; with one, O(*m* log *m*) for
    ///   the *m* that match it, and O(*p*) behind the mark where they are too many to be scored.
    package static func forEach(_ query: Query, in db: Database, _ body: (Sight, Mark) throws -> Bool) throws {
        var isCommon = false
        if let match = query.text.flatMap(SightSearch.query) {
            // A list goes on as it began; scores are below 0.
            isCommon = try query.after?.rank.map { $0 >= 0 } ?? SightSearch.isCommon(match, in: db)
        }
        let (sql, arguments) = request(query, isCommon: isCommon)
        let rows = try NamedRow.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() {
            guard try body(Sight(row), Mark(rank: row["place"], number: row["sight_number"])) else { break }
        }
    }

    /// The query for rows of ``columns`` and the rank.
    ///
    /// - Parameter isCommon: whether more match its text than are scored.
    package static func request(_ query: Query, isCommon: Bool = false) -> (sql: String, arguments: StatementArguments)
    {
        var conditions: [String] = []
        var arguments: StatementArguments = ["limit": query.limit]
        func ask(_ condition: String, _ values: [String: (any DatabaseValueConvertible)?]) {
            conditions.append(condition)
            arguments += StatementArguments(values)
        }
        let match = query.text.flatMap(SightSearch.query)
        if let match, !isCommon { ask("sight_text MATCH :match", ["match": match]) }
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
        // The page is chosen by what indexes say, so that only its own sights are read whole.
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

    /// The query for those that match words of many: with rank 0 those with all of them in their title, with 1 the others,
    /// each in the order in which they were added, so that no more are looked at than are asked for.
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
