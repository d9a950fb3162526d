package import GRDB
package import Geodesy
import Service

/// A place of the gazetteer.
package struct GazetteerPlace: Hashable, Sendable {
    /// Its number by size: 1 is the largest.
    let number: Int64
    /// GeoNames' own number.
    package let id: Int64
    /// What it is called there.
    package let name: String
    package let place: Coordinate
    package let population: Int64
    /// The country by its two letters of ISO 3166.
    package let country: String?
    /// The time zone by its name in the tz database.
    package let zone: String?

    static let columns = "number, id, name, lat_e7, lon_e7, population, country, zone"

    init?(_ row: NamedRow) {
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else { return nil }
        number = row["number"]
        id = row["id"]
        name = row["name"]
        self.place = place
        population = row["population"]
        country = row["country"]
        zone = row["zone"]
    }

    /// The place as it is found.
    var found: FoundPlace {
        FoundPlace(
            id: String(id), kind: "place", name: name, place: place, country: country, population: population,
            zone: zone)
    }

    /// How many places the gazetteer has: 0 where nothing was imported.
    package static func count(in db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT places FROM gazetteer")) ?? 0
    }
}
