import Foundation
package import GRDB
package import Geodesy
import Service
import Store

/// Names positions by the gazetteer, such as `near Woerden` or `Utrecht → Amsterdam`, within one read of the store.
///
/// A position gets the name of the town that it is in or nearest to. A town is assumed to be a disc with 4,000 people
/// per square kilometre. A position 3 km from the centre of Amsterdam is therefore in Amsterdam, even if its quarter
/// has a name of its own, while a village 20 km away keeps its own name. Without a gazetteer, or farther than 50 km
/// from any town, a position has no name.
///
/// The towns are those of GeoNames, or those of the maps if GeoNames' tables were not imported.
package struct PlaceNames {
    /// The database from which the names are read.
    package let db: Database
    /// Whether the gazetteer is empty, so that no position has a name.
    package let isEmpty: Bool
    /// The names found so far, by position rounded to about 100 m.
    private var known: [Coordinate: String?] = [:]

    /// The largest distance from a town to a position that is named after it.
    package static let farthest = Distance.kilometers(50)
    /// The largest distance from a town to a position that gets its time zone; the open sea has none.
    package static let farthestZone = Distance.kilometers(500)
    /// The largest radius of a town, which is that of about three million people; larger towns grow in height.
    private static let farthestReach = Distance.kilometers(15)
    /// The radius of the first search, which is enough in most countries.
    private static let first = Distance.kilometers(20)

    /// Creates a reader of names from a database.
    package init(_ db: Database) throws {
        self.db = db
        isEmpty = try GazetteerPlace.count(in: db) == 0 && !Towns.mapsHaveSome(in: db)
    }

    /// Returns the name of the town that a place is in or nearest to, or `nil` if there is none.
    package mutating func name(of place: Coordinate) throws -> String? {
        guard !isEmpty else { return nil }
        let place = Self.rounded(place)
        if let name = known[place] { return name }
        let name = try Self.town(at: place, in: db)?.name
        known[place] = .some(name)
        return name
    }

    /// Returns the name of a stop, such as `near Woerden`.
    package mutating func stop(at place: Coordinate) throws -> String? { try name(of: place).map { "near \($0)" } }

    /// Returns the name of a trip, such as `Utrecht → Amsterdam`, or a single name if it ends where it began.
    ///
    /// - Parameter end: the end of the trip; `nil` if the trip has not ended.
    package mutating func way(from start: Coordinate?, to end: Coordinate?) throws -> String? {
        let names = (try start.flatMap { try name(of: $0) }, try end.flatMap { try name(of: $0) })
        switch names {
        case (let start?, let end?): return start == end ? start : "\(start) → \(end)"
        case (let start?, nil): return "\(start) →"
        case (nil, let end?): return "→ \(end)"
        case (nil, nil): return nil
        }
    }

    private static func rounded(_ place: Coordinate) -> Coordinate {
        Coordinate(
            latitude: (place.latitude * 1000).rounded() / 1000, longitude: (place.longitude * 1000).rounded() / 1000)
            ?? place
    }
}

extension PlaceNames {
    /// Returns the town that a place is in or nearest to, up to ``farthest``, or `nil` if there is none.
    package static func town(at place: Coordinate, in db: Database) throws -> GazetteerPlace? {
        let towns: Towns = try GazetteerPlace.count(in: db) > 0 ? .geoNames : .maps
        for radius in [first, farthest] {
            // The smallest rank that a town beyond the radius can have.
            let bound = radius.meters - farthestReach.meters
            if let town = try best(towns, at: place, within: radius, in: db, { $1.meters - reach(of: $0).meters }),
                radius == farthest || town.rank <= bound
            {
                return town.place
            }
        }
        return nil
    }

    /// Returns the time zone of the nearest town that has one, or `nil` if there is none within ``farthestZone``.
    package static func zone(at place: Coordinate, in db: Database) throws -> String? {
        for radius in [first, .kilometers(100), farthestZone] {
            if let town = try best(.geoNamesWithZone, at: place, within: radius, in: db, { $1.meters }) {
                return town.place.zone
            }
        }
        return nil
    }

    /// The towns to choose from.
    private enum Towns {
        case geoNames, geoNamesWithZone, maps

        var table: String { self == .maps ? "map_name" : "gazetteer_place" }
        /// The table with the index to search.
        var indexed: String { self == .maps ? "map_name INDEXED BY map_town_by_cell" : table }
        var columns: String { self == .maps ? GazetteerPlace.mapColumns : GazetteerPlace.columns }
        var condition: String {
            switch self {
            case .geoNames: "true"
            case .geoNamesWithZone: "zone IS NOT NULL"
            case .maps: "kind = 'settlement' AND word IN ('city', 'town', 'village', 'hamlet')"
            }
        }

        func place(_ row: NamedRow) -> GazetteerPlace? {
            self == .maps ? GazetteerPlace(ofMap: row) : GazetteerPlace(row)
        }

        /// Whether a map has brought the name of any settlement.
        static func mapsHaveSome(in db: Database) throws -> Bool {
            try StoredRow.first(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM map_name INDEXED BY map_town_by_cell WHERE kind = 'settlement')
                    """
            ) { $0[0] } ?? false
        }
    }

    /// Returns the town within a radius that has the smallest rank in metres, the largest one of equal ranks.
    private static func best(
        _ towns: Towns, at place: Coordinate, within radius: Distance, in db: Database,
        _ rank: (_ population: Int64, _ distance: Distance) -> Double
    ) throws -> (place: GazetteerPlace, rank: Double)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT lat_e7, lon_e7, population, number FROM \(towns.indexed)
                WHERE cell BETWEEN ? AND ? AND \(towns.condition)
                """)
        var best: (number: Int64, rank: Double)?
        for cells in Cell.near(place, within: radius) {
            let rows = try StoredRow.fetchCursor(statement, arguments: [cells.lowerBound, cells.upperBound])
            while let row = try rows.next() {
                guard let town = Coordinate(latitudeE7: row[0], longitudeE7: row[1]) else { continue }
                let distance = Sphere.distance(from: place, to: town)
                guard distance <= radius else { continue }
                let (number, rank): (Int64, Double) = (row[3], rank(row[2], distance))
                if let known = best, (known.rank, known.number) <= (rank, number) { continue }
                best = (number, rank)
            }
        }
        guard let best,
            let row = try NamedRow.fetchOne(
                db.cachedStatement(
                    sql: "SELECT \(towns.columns) FROM \(towns.table) WHERE number = ?"),
                arguments: [best.number]),
            let town = towns.place(row)
        else { return nil }
        return (town, best.rank)
    }

    /// Returns the radius of a disc that holds a population.
    private static func reach(of population: Int64) -> Distance {
        min(farthestReach, .meters((Double(population) / 4000 / .pi).squareRoot() * 1000))
    }
}
