import GRDB
import Service
import Store

/// The sights as places that people find by name.
struct SightPlaces: FoundPlaceSource {
    func places(named text: String, for viewer: Viewer, limit: Int, in db: Database) throws -> [FoundPlace] {
        guard let words = SightSearch.query(text) else { return [] }
        let query = "title : (\(words))"
        let order = try SightSearch.isCommon(query, in: db) ? "rowid" : "rank"
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns) FROM sight_text CROSS JOIN sight ON sight.number = sight_text.rowid
                    WHERE sight_text MATCH ? ORDER BY sight_text.\(order) LIMIT ?
                    """), arguments: [query, StoreDamage.widened(limit)]
        ) { row in
            let sight = try Sight(row)
            return FoundPlace(id: sight.id, kind: SightSubject.kind, name: sight.title, place: sight.place)
        }
    }
}
