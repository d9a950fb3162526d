import GRDB
import Service
import Store

/// The sights as places that people find by name.
struct SightPlaces: FoundPlaceSource {
    func places(named text: String, for viewer: Viewer, limit: Int, in db: Database) throws -> [FoundPlace] {
        guard let words = SightSearch.query(text) else { return [] }
        let query = "title : (\(words))"
        let order = try SightSearch.isCommon(query, in: db) ? "rowid" : "rank"
        let hidden = try SightAccess(for: viewer, in: db).hidden(in: db).numbers
        var arguments: StatementArguments = [query, StoreDamage.widened(limit)]
        if !hidden.isEmpty { arguments += [SightAccess.list(hidden)] }
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns) FROM sight_text CROSS JOIN sight ON sight.number = sight_text.rowid
                    WHERE sight_text MATCH ?1
                        \(hidden.isEmpty ? "" : "AND sight.number NOT IN (SELECT unseen.value FROM json_each(?3) AS unseen)")
                    ORDER BY sight_text.\(order) LIMIT ?2
                    """),
            arguments: arguments
        ) { row in
            let sight = try Sight(row)
            return FoundPlace(id: sight.id, kind: SightSubject.kind, name: sight.title, place: sight.place)
        }
    }
}
