import GRDB
import Geodesy
import RPC
import Service
import Store

/// Finds places whose name begins with a text: those of GeoNames, and those of OpenStreetMap that came with maps.
///
/// A town comes first if the text is its whole name. Places near the centre follow, nearest first, whatever their
/// kind. All others come last: those of GeoNames, largest first, and then those of OpenStreetMap.
struct GazetteerSearch {
    /// The folded search text.
    private let prefix: [UInt8]
    private let center: Coordinate?

    /// The distance within which a place is near the centre.
    ///
    /// It is about a day's walk, so that a nearby village comes before a distant city of the same name.
    static let nearby = Distance.kilometers(50)
    /// The most index entries for which matches are read from the index and sorted by size.
    ///
    /// If a prefix has more entries, the search scans the places from the largest on. Such a prefix matches so often
    /// that the scan soon fills a page.
    private static let maximumSorted = 4000
    /// The distances within which names of OpenStreetMap are searched one after the other, until a page is full: in a
    /// city, there are hundreds of thousands within the largest.
    private static let radii: [Distance] = [.kilometers(2), .kilometers(10), nearby]
    /// The least population of a town far from the centre that comes first if the text is its whole name, and the least
    /// if it is another spelling, such as the three letters of its airport.
    private static let (namedTown, otherwiseNamedTown): (Int64, Int64) = (5_000, 100_000)
    /// The most places, largest first, among which that town is looked for.
    private static let maximumNamesakes = 200
    /// The distance within which a settlement of OpenStreetMap is the place of GeoNames that has its name.
    private static let sameTown = Distance.kilometers(5)

    /// The tables in which names are found.
    private enum Shelf: CaseIterable {
        case geoNames, maps

        /// The table of the places.
        var places: String { self == .geoNames ? "gazetteer_place" : "map_name" }
        /// The index of their names.
        var keys: String { self == .geoNames ? "gazetteer_key" : "map_name_key" }
        var columns: String { self == .geoNames ? GazetteerPlace.columns : GazetteerPlace.mapColumns }
        /// What is added to a number of the table, so that all places have one order.
        var offset: Int64 { self == .geoNames ? 0 : GazetteerPlace.firstOfMaps }

        func place(_ row: NamedRow) -> GazetteerPlace? {
            self == .geoNames ? GazetteerPlace(row) : GazetteerPlace(ofMap: row)
        }
    }

    /// - Parameter center: the place to which nearness refers; `nil` if there is none.
    init(_ text: String, near center: Coordinate?) {
        var folding = NameFolding()
        prefix = folding.folded(text)
        self.center = center
    }

    /// The position at which a page ends.
    struct Key: CursorKey, Hashable {
        /// The distance of the last match in metres; `nil` if that match is not near the centre.
        var distance: Int64?
        /// The number of the last match.
        var number: Int64
        /// How many places that are in no table have come so far.
        var others: Int

        init(distance: Int64? = nil, number: Int64, others: Int = 0) {
            (self.distance, self.number, self.others) = (distance, number, others)
        }

        var values: [JSONValue] { [.integer(distance ?? -1), .integer(number), .integer(Int64(clamping: others))] }

        init?(_ values: [JSONValue]) {
            guard values.count == 3, let distance = Int64(json: values[0]), let number = Int64(json: values[1]),
                let others = Int(json: values[2]), others >= 0
            else { return nil }
            self.init(distance: distance < 0 ? nil : distance, number: number, others: others)
        }
    }

    /// The position before all matches but the town of that name.
    var start: Key { center == nil ? Key(number: 0) : Key(distance: 0, number: -1) }

    /// A found place with its position in the results.
    struct Match {
        var place: GazetteerPlace
        var distance: Distance?
        var key: Key
        /// Whether it is the town of that name, before which nothing comes.
        var isTown = false
    }

    /// Returns the matches after a key, in order, at most `limit`.
    func matches(after key: Key?, limit: Int, in db: Database) throws -> [Match] {
        guard !prefix.isEmpty else { return [] }
        var matches: [Match] = []
        let town = try town(in: db)
        if key == nil, let town {
            let distance = center.map { Sphere.distance(from: $0, to: town.place) }
            matches.append(Match(place: town, distance: distance, key: start, isTown: true))
        }
        if center != nil, key == nil || key?.distance != nil {
            // One more, because the town may be among them.
            let near =
                try near(.geoNames, within: Self.nearby, in: db) + nearOnMaps(after: key, limit: limit + 1, in: db)
            matches += near.filter { $0.place.number != town?.number && isAfter($0.key, key) }
                .sorted { Self.isAfter($1.key, $0.key) }.prefix(limit - matches.count)
        }
        let last = key?.distance == nil ? key?.number ?? 0 : 0
        for shelf in Shelf.allCases where shelf == .maps || last < GazetteerPlace.firstOfMaps {
            var last = max(last, shelf.offset)
            while matches.count < limit {
                let page = try largest(shelf, after: last - shelf.offset, limit: limit - matches.count, in: db)
                guard let end = page.last else { break }
                last = end.number
                for place in page where place.number != town?.number {
                    let distance = center.map { Sphere.distance(from: $0, to: place.place) }
                    if let distance, distance <= Self.nearby { continue }
                    guard try !isDouble(place, in: db) else { continue }
                    matches.append(Match(place: place, distance: distance, key: Key(number: place.number)))
                }
            }
        }
        return matches
    }

    private func isAfter(_ one: Key, _ other: Key?) -> Bool { other.map { Self.isAfter(one, $0) } ?? true }

    private static func isAfter(_ one: Key, _ other: Key) -> Bool {
        (one.distance ?? .max, one.number) > (other.distance ?? .max, other.number)
    }

    /// Returns the town that has the text as its whole name: the nearest one near the centre, or else the largest one.
    ///
    /// Without it, the streets nearby that are named after a town would hide it.
    private func town(in db: Database) throws -> GazetteerPlace? {
        var folding = NameFolding()
        for shelf in Shelf.allCases {
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(shelf.columns) FROM (
                        SELECT place FROM \(shelf.keys) WHERE key = ? ORDER BY place LIMIT ?
                    ) AS found CROSS JOIN \(shelf.places) ON number = found.place
                    WHERE instr(spellings || char(10), ?) > 0 ORDER BY number
                    """)
            let towns = try NamedRow.list(
                statement, arguments: [NameKey.key(prefix), Self.maximumNamesakes, spelling + "\n"], shelf.place
            ).compactMap(\.self).filter { $0.facts.map { $0.kind == .settlement } ?? true }
            guard let center else {
                if let town = towns.first { return town }
                continue
            }
            let near = towns.map { ($0, Sphere.distance(from: center, to: $0.place)) }
                .filter { $0.1 <= Self.nearby }.min { $0.1 < $1.1 }
            if let near { return near.0 }
            let far = towns.first { town in
                town.population >= Self.otherwiseNamedTown
                    || town.population >= Self.namedTown && folding.folded(town.name) == prefix
            }
            if let far { return far }
        }
        return nil
    }

    /// Whether a settlement of OpenStreetMap is also in GeoNames' tables, which know more of it.
    private func isDouble(_ place: GazetteerPlace, in db: Database) throws -> Bool {
        guard place.facts?.kind == .settlement else { return false }
        let statement = try db.cachedStatement(
            sql: "SELECT lat_e7, lon_e7 FROM gazetteer_place WHERE cell BETWEEN ? AND ? AND name = ?")
        for cells in Cell.near(place.place, within: Self.sameTown) {
            let rows = try StoredRow.fetchCursor(
                statement, arguments: [cells.lowerBound, cells.upperBound, place.name])
            while let row = try rows.next() {
                guard let town = Coordinate(latitudeE7: row[0], longitudeE7: row[1]) else { continue }
                if Sphere.distance(from: place.place, to: town) <= Self.sameTown { return true }
            }
        }
        return false
    }

    /// Returns the matches near the centre on maps, all of those up to the last that a page needs.
    private func nearOnMaps(after key: Key?, limit: Int, in db: Database) throws -> [Match] {
        let range = NameKey.range(prefix)
        if try isRare(range, .maps, in: db) { return try nearByName(range, in: db) }
        var matches: [Match] = []
        for radius in Self.radii {
            matches = try near(.maps, within: radius, in: db)
            guard matches.count(where: { isAfter($0.key, key) }) < limit else { break }
        }
        return matches
    }

    /// Returns all matches of a shelf near the centre.
    private func near(_ shelf: Shelf, within radius: Distance, in db: Database) throws -> [Match] {
        guard let center else { return [] }
        var matches: [Match] = []
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(shelf.columns) FROM \(shelf.places)
                WHERE cell BETWEEN ? AND ? AND instr(spellings, ?) > 0
                """)
        for cells in Cell.near(center, within: radius) {
            let places = try NamedRow.list(
                statement, arguments: [cells.lowerBound, cells.upperBound, spelling], shelf.place)
            for case let place? in places {
                guard let match = try matching(place, within: radius, in: db) else { continue }
                matches.append(match)
            }
        }
        return matches
    }

    /// Returns all matches near the centre on maps, of a text with which few names begin.
    private func nearByName(_ range: ClosedRange<Int64>, in db: Database) throws -> [Match] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(GazetteerPlace.mapColumns) FROM (
                    SELECT DISTINCT place FROM map_name_key WHERE key BETWEEN ? AND ?
                ) AS found CROSS JOIN map_name ON number = found.place WHERE instr(spellings, ?) > 0
                """)
        let places = try NamedRow.list(
            statement, arguments: [range.lowerBound, range.upperBound, spelling], Shelf.maps.place)
        var matches: [Match] = []
        for case let place? in places {
            guard let match = try matching(place, within: Self.nearby, in: db) else { continue }
            matches.append(match)
        }
        return matches
    }

    /// Returns a place as a match; `nil` if it is farther from the centre than a radius, or a double.
    private func matching(_ place: GazetteerPlace, within radius: Distance, in db: Database) throws -> Match? {
        guard let distance = center.map({ Sphere.distance(from: $0, to: place.place) }), distance <= radius,
            try !isDouble(place, in: db)
        else { return nil }
        let meters = Int64(exactly: distance.meters.rounded()) ?? 0
        return Match(place: place, distance: distance, key: Key(distance: meters, number: place.number))
    }

    /// The text that the spellings of a matching row contain: the prefix after the line feed before each spelling.
    private var spelling: String { "\n" + String(decoding: prefix, as: UTF8.self) }

    /// Returns the next matches of a shelf by size, largest first.
    private func largest(_ shelf: Shelf, after number: Int64, limit: Int, in db: Database) throws -> [GazetteerPlace] {
        let range = NameKey.range(prefix)
        let sql: String
        if prefix.count >= NameKey.length {
            // The entries of a single key are already sorted by size.
            sql = """
                SELECT \(shelf.columns) FROM \(shelf.keys) CROSS JOIN \(shelf.places) ON number = \(shelf.keys).place
                WHERE key = :least AND \(shelf.keys).place > :number AND instr(spellings, :spelling) > 0
                ORDER BY \(shelf.keys).place LIMIT :limit
                """
        } else if try isRare(range, shelf, in: db) {
            sql = """
                SELECT \(shelf.columns) FROM (
                    SELECT DISTINCT place FROM \(shelf.keys) WHERE key BETWEEN :least AND :greatest AND place > :number
                    ORDER BY place LIMIT :limit
                ) AS found CROSS JOIN \(shelf.places) ON number = found.place ORDER BY number
                """
        } else {
            sql = """
                SELECT \(shelf.columns) FROM \(shelf.places)
                WHERE number > :number AND instr(spellings, :spelling) > 0 ORDER BY number LIMIT :limit
                """
        }
        let statement = try db.cachedStatement(sql: sql)
        let all: [String: (any DatabaseValueConvertible)?] = [
            "least": range.lowerBound, "greatest": range.upperBound, "number": number, "spelling": spelling,
            "limit": limit,
        ]
        let arguments = all.filter { sql.contains(":\($0.key)") }
        return try NamedRow.list(statement, arguments: StatementArguments(arguments), shelf.place).compactMap(\.self)
    }

    private func isRare(_ range: ClosedRange<Int64>, _ shelf: Shelf, in db: Database) throws -> Bool {
        let count = try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*) FROM (SELECT 1 FROM \(shelf.keys) WHERE key BETWEEN ? AND ? LIMIT ?)
                    """), arguments: [range.lowerBound, range.upperBound, Self.maximumSorted + 1])
        return count ?? 0 <= Self.maximumSorted
    }
}
