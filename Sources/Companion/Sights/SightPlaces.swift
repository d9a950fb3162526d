import Foundation
import GRDB
import Gazetteer
import Geodesy
import Service
import Store

/// The sights as places that people find by name.
///
/// With a centre, the nearest come first. If few sights match, all of them are compared. If many do, those in ever larger
/// windows around the centre are, until there are enough, so that the cost does not grow with the number of sights.
struct SightPlaces: FoundPlaceSource {
    /// The distances to the edges of these windows.
    private static let windows: [Distance] = [.kilometers(2), .kilometers(10), .kilometers(50)]
    /// The most sights of a window whose titles are compared, nearest first; a dense city has fewer within 2 km.
    private static let mostCompared = 4000

    func places(
        named text: String, near center: Coordinate?, for viewer: Viewer, limit: Int, in db: Database
    ) throws -> [FoundPlace] {
        guard let words = SightSearch.query(text) else { return [] }
        let query = "title : (\(words))"
        let isCommon = try SightSearch.isCommon(query, in: db)
        let hidden = try SightAccess(for: viewer, in: db).hidden(in: db).numbers
        guard let center else {
            let order = isCommon ? "rowid" : "rank"
            return try Self.places(
                Self.matches(query, by: order, most: limit, but: hidden, in: db).map(\.number), in: db)
        }
        guard isCommon else {
            let all = try Self.matches(query, by: "rowid", most: SightSearch.maximumScored, but: hidden, in: db)
            return try Self.places(Self.nearest(all, to: center).prefix(limit).map(\.number), in: db)
        }
        var found: [Int64] = []
        for window in Self.windows where found.count < limit {
            found = try Self.titled(text, within: window, of: center, most: limit, but: hidden, in: db)
        }
        if found.count < limit {
            let far = try Self.matches(query, by: "rowid", most: limit, but: hidden.union(found), in: db)
            found += far.prefix(limit - found.count).map(\.number)
        }
        return try Self.places(found, in: db)
    }

    /// A sight that may be found, and where it is.
    private struct Candidate {
        var number: Int64
        var place: Coordinate

        init?(_ row: NamedRow) {
            guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else { return nil }
            (number, self.place) = (row["number"], place)
        }
    }

    /// Returns sights that match a query of the full-text search, in an order of its table.
    private static func matches(
        _ query: String, by order: String, most limit: Int, but hidden: Set<Int64>, in db: Database
    ) throws -> [Candidate] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT sight.number, sight.lat_e7, sight.lon_e7
                    FROM sight_text CROSS JOIN sight ON sight.number = sight_text.rowid
                    WHERE sight_text MATCH ?1
                        AND sight.number NOT IN (SELECT unseen.value FROM json_each(?3) AS unseen)
                    ORDER BY sight_text.\(order) LIMIT ?2
                    """),
            arguments: [query, StoreDamage.widened(limit), SightAccess.list(hidden)], Candidate.init
        ).compactMap(\.self)
    }

    private static func nearest(_ all: [Candidate], to center: Coordinate) -> [Candidate] {
        all.map { ($0, Sphere.distance(from: center, to: $0.place)) }
            .sorted { ($0.1.meters, $0.0.number) < ($1.1.meters, $1.0.number) }.map(\.0)
    }

    /// Returns the numbers of the sights in a window with the words of a text in their title, nearest first.
    private static func titled(
        _ text: String, within distance: Distance, of center: Coordinate, most limit: Int, but hidden: Set<Int64>,
        in db: Database
    ) throws -> [Int64] {
        // A slightly larger area, so that no sight is missed. It has all longitudes near a pole or the antimeridian.
        let margin = distance.meters / 110_000
        let north = abs(center.latitude) + margin
        let width = north < 89 ? margin / cos(north * .pi / 180) : 360
        let isWhole = abs(center.longitude) + width >= 180
        let inside = try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT sight.number, sight.lat_e7, sight.lon_e7 FROM sight INDEXED BY sight_by_place
                    WHERE sight.lat_e7 BETWEEN :south AND :north
                        AND (:west IS NULL OR sight.lon_e7 BETWEEN :west AND :east)
                    """),
            arguments: [
                "south": (center.latitude - margin) * 1e7, "north": (center.latitude + margin) * 1e7,
                "west": isWhole ? nil : (center.longitude - width) * 1e7,
                "east": isWhole ? nil : (center.longitude + width) * 1e7,
            ], Candidate.init
        ).compactMap(\.self).filter {
            !hidden.contains($0.number) && Sphere.distance(from: center, to: $0.place) <= distance
        }
        let near = nearest(inside, to: center).prefix(mostCompared).map(\.number)
        let titles = try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT sight.number, sight.title FROM json_each(?) AS asked
                    CROSS JOIN sight ON sight.number = asked.value ORDER BY asked.key
                    """),
            arguments: [numbers(near)]
        ) { row in (number: row["number"] as Int64, title: row["title"] as String) }
        var comparison = NameComparison(text)
        var found: [Int64] = []
        for (number, title) in titles where found.count < limit && comparison.matches(title) { found.append(number) }
        return found
    }

    /// Returns sights as places, in the order of their numbers in the list.
    private static func places(_ list: [Int64], in db: Database) throws -> [FoundPlace] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns) FROM json_each(?) AS asked
                    CROSS JOIN sight ON sight.number = asked.value ORDER BY asked.key
                    """),
            arguments: [numbers(list)]
        ) { row in
            let sight = try Sight(row)
            return FoundPlace(id: sight.id, kind: SightSubject.kind, name: sight.title, place: sight.place)
        }
    }

    /// Returns numbers as a JSON array, in their order.
    private static func numbers(_ list: [Int64]) -> String { "[\(list.map(String.init).joined(separator: ","))]" }
}
