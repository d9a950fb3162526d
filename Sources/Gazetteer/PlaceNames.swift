import Foundation
package import GRDB
package import Geodesy
import Service

/// What places are called, by the gazetteer: `near Woerden`, `Utrecht → Amsterdam`; within one read of the store.
///
/// A place has the name of the town that it is in or nearest to, and a town is as large as its people need: 4,000 of them
/// to the square kilometre. So what is 3 km from the middle of Amsterdam is Amsterdam, whatever quarter has a name of its
/// own, and a village 20 km away is itself. Without a gazetteer, and beyond 50 km of any town, nothing has a name.
package struct PlaceNames {
    /// The store that they are read from.
    package let db: Database
    /// Whether there is no gazetteer, so that nothing has a name.
    package let isEmpty: Bool
    /// Names that were looked up already, by place to about 100 m.
    private var known: [Coordinate: String?] = [:]

    /// Beyond this nothing is near.
    package static let farthest = Distance.kilometers(50)
    /// The nearest town tells the time zone up to here: seas have none.
    package static let farthestZone = Distance.kilometers(500)
    /// No town reaches farther: that of three million people, beyond which they grow upwards.
    private static let farthestReach = Distance.kilometers(15)
    /// So far around it is looked first, which in most countries is enough.
    private static let first = Distance.kilometers(20)

    /// Names from a store.
    package init(_ db: Database) throws {
        self.db = db
        isEmpty = try GazetteerPlace.count(in: db) == 0
    }

    /// The name of the town that a place is in or nearest to; nil where nobody knows.
    package mutating func name(of place: Coordinate) throws -> String? {
        guard !isEmpty else { return nil }
        let place = Self.rounded(place)
        if let name = known[place] { return name }
        let name = try Self.town(at: place, in: db)?.name
        known[place] = .some(name)
        return name
    }

    /// What a stop is called: `near Woerden`.
    package mutating func stop(at place: Coordinate) throws -> String? { try name(of: place).map { "near \($0)" } }

    /// What a way is called: `Utrecht → Amsterdam`, or the one name where it ends where it began.
    ///
    /// - Parameter end: nil while it goes on.
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
    /// The town that a place is in or nearest to, up to ``farthest``; nil where there is none.
    package static func town(at place: Coordinate, in db: Database) throws -> GazetteerPlace? {
        for radius in [first, farthest] {
            // Towns beyond the radius are at best so near.
            let bound = radius.meters - farthestReach.meters
            if let town = try best(at: place, within: radius, in: db, { $1.meters - reach(of: $0).meters }),
                radius == farthest || town.rank <= bound
            {
                return town.place
            }
        }
        return nil
    }

    /// The time zone of the nearest town that has one; nil beyond ``farthestZone`` of any.
    package static func zone(at place: Coordinate, in db: Database) throws -> String? {
        for radius in [first, .kilometers(100), farthestZone] {
            if let town = try best(at: place, within: radius, in: db, having: "zone IS NOT NULL", { $1.meters }) {
                return town.place.zone
            }
        }
        return nil
    }

    /// The place within a radius whose rank in metres is the least, of equal ones the largest place.
    private static func best(
        at place: Coordinate, within radius: Distance, in db: Database, having condition: String = "true",
        _ rank: (_ population: Int64, _ distance: Distance) -> Double
    ) throws -> (place: GazetteerPlace, rank: Double)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT lat_e7, lon_e7, population, number FROM gazetteer_place
                WHERE cell BETWEEN ? AND ? AND \(condition)
                """)
        var best: (number: Int64, rank: Double)?
        for cells in Cell.near(place, within: radius) {
            let rows = try Row.fetchCursor(statement, arguments: [cells.lowerBound, cells.upperBound])
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
                    sql: "SELECT \(GazetteerPlace.columns) FROM gazetteer_place WHERE number = ?"),
                arguments: [best.number]),
            let town = GazetteerPlace(row)
        else { return nil }
        return (town, best.rank)
    }

    /// The radius of a disc on which so many people live.
    private static func reach(of population: Int64) -> Distance {
        min(farthestReach, .meters((Double(population) / 4000 / .pi).squareRoot() * 1000))
    }
}
