package import GRDB
package import Geodesy
import Service
import Store

/// A place of the gazetteer.
package struct GazetteerPlace: Hashable, Sendable {
    /// What OpenStreetMap knows of a place besides its name.
    struct MapFacts: Hashable {
        var kind: MapNameRow.Kind
        /// OpenStreetMap's word for it, such as `restaurant`.
        var word: String
    }

    /// The rank by population.
    ///
    /// 1 is the largest place. The numbers of OpenStreetMap's places begin after ``firstOfMaps``.
    let number: Int64
    /// The id in GeoNames; for a place of OpenStreetMap, its number.
    package let id: Int64
    /// The local name.
    package let name: String
    package let place: Coordinate
    package let population: Int64
    /// The two letters of the country in ISO 3166.
    package let country: String?
    /// The name of the time zone in the tz database.
    package let zone: String?

    /// What OpenStreetMap knows of it; `nil` if it is from GeoNames.
    let facts: MapFacts?

    /// The number from which those of places of OpenStreetMap begin, so that all have one order.
    static let firstOfMaps: Int64 = 1 << 40

    static let columns = "number, id, name, lat_e7, lon_e7, population, country, zone"
    static let mapColumns = "number, kind, word, name, lat_e7, lon_e7, population"

    init?(_ row: NamedRow) {
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else { return nil }
        number = row["number"]
        id = row["id"]
        name = row["name"]
        self.place = place
        population = row["population"]
        country = row["country"]
        zone = row["zone"]
        facts = nil
    }

    /// Creates a place of OpenStreetMap.
    init?(ofMap row: NamedRow) {
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]),
            let kind = MapNameRow.Kind(rawValue: row["kind"])
        else { return nil }
        id = row["number"]
        number = Self.firstOfMaps &+ id
        name = row["name"]
        self.place = place
        population = row["population"]
        (country, zone) = (nil, nil)
        facts = MapFacts(kind: kind, word: row["word"])
    }

    /// The place as a search result.
    var found: FoundPlace {
        guard let facts else {
            return FoundPlace(
                id: String(id), kind: "place", name: name, place: place, country: country, population: population,
                zone: zone)
        }
        return FoundPlace(
            id: "osm-\(id)", kind: facts.kind == .settlement ? "place" : facts.kind.rawValue, name: name, place: place,
            population: population > 0 ? population : nil, word: facts.word)
    }

    /// Whether nothing has been imported: no places of GeoNames, and no names of a map.
    static func isEmpty(in db: Database) throws -> Bool {
        guard try count(in: db) == 0 else { return false }
        return try Bool.fetchOne(db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM map_name)")) ?? true
    }

    /// Returns the number of places in the gazetteer, which is 0 if nothing has been imported.
    package static func count(in db: Database) throws -> Int {
        try StoredRow.first(db, sql: "SELECT places FROM gazetteer") { $0[0] } ?? 0
    }
}
