import GRDB
import Geodesy
import RPC
import Service

/// Finds places whose name begins with a text.
///
/// Places near the centre come first, nearest first. All others follow, largest first.
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

        init(distance: Int64? = nil, number: Int64) { (self.distance, self.number) = (distance, number) }

        var values: [JSONValue] { [.integer(distance ?? -1), .integer(number)] }

        init?(_ values: [JSONValue]) {
            guard values.count == 2, let distance = Int64(json: values[0]), let number = Int64(json: values[1])
            else { return nil }
            self.init(distance: distance < 0 ? nil : distance, number: number)
        }
    }

    /// A found place with its position in the results.
    struct Match {
        var place: GazetteerPlace
        var distance: Distance?
        var key: Key
    }

    /// Returns the matches after a key, in order, at most `limit`.
    func matches(after key: Key?, limit: Int, in db: Database) throws -> [Match] {
        guard !prefix.isEmpty else { return [] }
        var matches: [Match] = []
        if center != nil, key == nil || key?.distance != nil {
            let rest = try near(in: db).filter { match in key.map { Self.isAfter(match.key, $0) } ?? true }
            matches = Array(rest.prefix(limit))
        }
        var last = key?.distance == nil ? key?.number ?? 0 : 0
        while matches.count < limit {
            let page = try largest(after: last, limit: limit - matches.count, in: db)
            guard let end = page.last else { break }
            last = end.number
            for place in page {
                let distance = center.map { Sphere.distance(from: $0, to: place.place) }
                if let distance, distance <= Self.nearby { continue }
                matches.append(Match(place: place, distance: distance, key: Key(number: place.number)))
            }
        }
        return matches
    }

    private static func isAfter(_ one: Key, _ other: Key) -> Bool {
        (one.distance ?? .max, one.number) > (other.distance ?? .max, other.number)
    }

    /// Returns all matches near the centre, nearest first.
    private func near(in db: Database) throws -> [Match] {
        guard let center else { return [] }
        var matches: [Match] = []
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(GazetteerPlace.columns) FROM gazetteer_place
                WHERE cell BETWEEN ? AND ? AND instr(spellings, ?) > 0
                """)
        for cells in Cell.near(center, within: Self.nearby) {
            let places = try NamedRow.list(
                statement, arguments: [cells.lowerBound, cells.upperBound, spelling], GazetteerPlace.init)
            for case let place? in places {
                let distance = Sphere.distance(from: center, to: place.place)
                guard distance <= Self.nearby else { continue }
                let meters = Int64(exactly: distance.meters.rounded()) ?? 0
                matches.append(
                    Match(place: place, distance: distance, key: Key(distance: meters, number: place.number)))
            }
        }
        return matches.sorted { Self.isAfter($1.key, $0.key) }
    }

    /// The text that the spellings of a matching row contain: the prefix after the line feed before each spelling.
    private var spelling: String { "\n" + String(decoding: prefix, as: UTF8.self) }

    /// Returns the next matches by size, largest first.
    private func largest(after number: Int64, limit: Int, in db: Database) throws -> [GazetteerPlace] {
        let range = NameKey.range(prefix)
        let sql: String
        if prefix.count >= NameKey.length {
            // The entries of a single key are already sorted by size.
            sql = """
                SELECT \(GazetteerPlace.columns) FROM gazetteer_key CROSS JOIN gazetteer_place ON number = gazetteer_key.place
                WHERE key = :least AND gazetteer_key.place > :number AND instr(spellings, :spelling) > 0
                ORDER BY gazetteer_key.place LIMIT :limit
                """
        } else if try isRare(range, in: db) {
            sql = """
                SELECT \(GazetteerPlace.columns) FROM (
                    SELECT DISTINCT place FROM gazetteer_key WHERE key BETWEEN :least AND :greatest AND place > :number
                    ORDER BY place LIMIT :limit
                ) AS found CROSS JOIN gazetteer_place ON number = found.place ORDER BY number
                """
        } else {
            sql = """
                SELECT \(GazetteerPlace.columns) FROM gazetteer_place
                WHERE number > :number AND instr(spellings, :spelling) > 0 ORDER BY number LIMIT :limit
                """
        }
        let statement = try db.cachedStatement(sql: sql)
        let all: [String: (any DatabaseValueConvertible)?] = [
            "least": range.lowerBound, "greatest": range.upperBound, "number": number, "spelling": spelling,
            "limit": limit,
        ]
        let arguments = all.filter { sql.contains(":\($0.key)") }
        return try NamedRow.list(statement, arguments: StatementArguments(arguments), GazetteerPlace.init)
            .compactMap(\.self)
    }

    private func isRare(_ range: ClosedRange<Int64>, in db: Database) throws -> Bool {
        let count = try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*) FROM (SELECT 1 FROM gazetteer_key WHERE key BETWEEN ? AND ? LIMIT ?)
                    """), arguments: [range.lowerBound, range.upperBound, Self.maximumSorted + 1])
        return count ?? 0 <= Self.maximumSorted
    }
}
