import GRDB
import Service

/// Sights as places that people find by name.
struct SightPlaces: FoundPlaceSource {
    func places(named text: String, for viewer: Viewer, limit: Int, in db: Database) throws -> [FoundPlace] {
        guard let query = SightSearch.query(text) else { return [] }
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns) FROM sight_text CROSS JOIN sight ON sight.number = sight_text.rowid
                    WHERE sight_text MATCH ? ORDER BY sight_text.rank LIMIT ?
                    """), arguments: ["title : (\(query))", limit]
        ) { row in
            let sight = try Sight(row)
            return FoundPlace(id: sight.id, kind: SightSubject.kind, name: sight.title, place: sight.place)
        }
    }
}
