package import GRDB
package import Geodesy
import Service

/// A place of the gazetteer.
package struct GazetteerPlace: Hashable, Sendable {
    /// The rank by population; 1 is the largest place.
    let number: Int64
    /// The id in GeoNames.
    package let id: Int64
    /// The name in GeoNames.
    package let name: String
    package let place: Coordinate
    package let population: Int64
    /// The two letters of the country in ISO 3166.
    package let country: String?
    /// The name of the time zone in the tz database.
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

    /// The place as a search result.
    var found: FoundPlace {
        FoundPlace(
            id: String(id), kind: "place", name: name, place: place, country: country, population: population,
            zone: zone)
    }

    /// Returns the number of places in the gazetteer, which is 0 if nothing has been imported.
    package static func count(in db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT places FROM gazetteer")) ?? 0
    }
}
