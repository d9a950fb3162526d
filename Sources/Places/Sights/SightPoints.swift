import GRDB
import Geodesy
import Service
import Store
import Synchronization

/// Where all sights are, in memory: SQLite takes longer to step through 100,000 rows than a map may wait.
///
/// It costs 16 bytes a sight. After a change of what is watched, which the store numbers, the sights that have changed since
/// are read; all are read again where some were removed, or many have changed.
final class SightPoints: Sendable {
    private let known = Mutex<(revision: Int64, points: Points)?>(nil)

    /// None read yet.
    init() {}

    /// The places as a transaction sees them.
    func points(in db: Database) throws -> Points {
        let revision = try GeofenceRevision.last(in: db)
        let before = known.withLock { $0 }
        if let before, before.revision == revision { return before.points }
        var points: Points?
        // A transaction that began earlier than the last one that asked sees an older state.
        if let before, before.revision < revision { points = try before.points.changed(since: before.revision, in: db) }
        let read = try points ?? Points(in: db)
        known.withLock { $0 = (revision, read) }
        return read
    }

    /// By which the sights that have changed are found.
    static let migration = StoreMigration(
        at: 44, name: "companion.sights.5", sql: "CREATE INDEX sight_by_revision ON sight (revision)")

    /// The places at one moment, from the south to the north.
    struct Points: Sendable {
        private var latitudes: ContiguousArray<Int32> = []
        private var longitudes: ContiguousArray<Int32> = []
        private var numbers: ContiguousArray<Int64> = []

        /// Reads them by the index of places alone.
        fileprivate init(in db: Database) throws {
            let rows = try DirectStatement(
                "SELECT lat_e7, lon_e7, number FROM sight ORDER BY lat_e7, lon_e7, number", in: db)
            while try rows.step() {
                append(Self.place(rows.row))
            }
        }

        private init() {}

        /// The places after the changes that came after one; nil where reading all is as good, or the only way: sights
        /// were removed, of which no row tells, or many have changed.
        /// - Complexity: O(*n* + *k* log *k*) for *k* changed ones of *n* in all.
        fileprivate func changed(since revision: Int64, in db: Database) throws -> Points? {
            var changed: [Place] = []
            let rows = try DirectStatement("SELECT lat_e7, lon_e7, number FROM sight WHERE revision > ?", in: db)
            try rows.bind(revision, at: 1)
            while try rows.step() {
                changed.append(Self.place(rows.row))
                guard changed.count <= Self.mostChanged else { return nil }
            }
            changed.sort { $0 < $1 }
            let moved = Set(changed.map(\.number))
            var points = Points()
            points.reserve(numbers.count + changed.count)
            var next = changed.makeIterator()
            var new = next.next()
            for index in numbers.indices where !moved.contains(numbers[index]) {
                let place = (latitudes[index], longitudes[index], numbers[index])
                while let earlier = new, earlier < place {
                    points.append(earlier)
                    new = next.next()
                }
                points.append(place)
            }
            while let last = new {
                points.append(last)
                new = next.next()
            }
            // What stands here holds every sight there is, so that the same count means the same sights.
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM sight")
            return count == points.numbers.count ? points : nil
        }

        /// Many more are an import, after which all are read.
        private static let mostChanged = 10_000

        private mutating func reserve(_ count: Int) {
            latitudes.reserveCapacity(count)
            longitudes.reserveCapacity(count)
            numbers.reserveCapacity(count)
        }

        private typealias Place = (latitude: Int32, longitude: Int32, number: Int64)

        /// Columns that are never NULL, of which the schema bounds the first two.
        private static func place(_ row: CurrentRow) -> Place {
            (Int32(clamping: row.integer(0)), Int32(clamping: row.integer(1)), row.integer(2))
        }

        private mutating func append(_ place: Place) {
            latitudes.append(place.latitude)
            longitudes.append(place.longitude)
            numbers.append(place.number)
        }

        /// What a window shows, each sight of it once.
        ///
        /// All sights are shown by themselves where they are at most `limit`; else those that are alone in a cell of a
        /// ``MapGrid`` of as many cells.
        /// - Complexity: O(log *n* + *k*) for *k* sights between the window's latitudes, of *n* in all.
        func content(of window: MapWindow, atMost limit: Int) -> Content {
            let grid = MapGrid(window, atMost: limit)
            var clusters = [SightCluster?](repeating: nil, count: grid.count)
            var singles: [Int64] = []
            var count = 0
            var index = firstIndex(from: window.southE7)
            while index < latitudes.count, latitudes[index] <= window.northE7 {
                defer { index += 1 }
                let latitude = latitudes[index]
                guard let longitude = window.longitude(of: longitudes[index], at: latitude) else { continue }
                count += 1
                if count <= limit { singles.append(numbers[index]) }
                let cell = grid.cell(latitudeE7: latitude, longitudeE7: longitude)
                if clusters[cell]?.add(latitude, longitude) == nil {
                    clusters[cell] = SightCluster(latitude, longitude, number: numbers[index])
                }
            }
            guard count > limit else { return Content(count: count, singles: singles.sorted(), clusters: []) }
            let found = clusters.compactMap(\.self)
            return Content(
                count: count, singles: found.filter { $0.count == 1 }.map(\.first).sorted(),
                clusters: found.filter { $0.count > 1 })
        }

        /// The first place that lies as far north as a latitude.
        private func firstIndex(from latitude: Int32) -> Int {
            var (low, high) = (0, latitudes.count)
            while low < high {
                let middle = (low + high) / 2
                if latitudes[middle] < latitude { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// What a window shows.
    struct Content: Hashable, Sendable {
        /// How many sights there are in it.
        var count: Int
        /// The numbers of those that are shown by themselves.
        var singles: [Int64]
        /// Where several are shown as one, from the south-west.
        var clusters: [SightCluster]
    }
}

/// Several sights of a map that are drawn as one.
struct SightCluster: Hashable, Sendable {
    private(set) var count = 1
    /// The number of one of them.
    let first: Int64
    private(set) var southE7: Int32
    private(set) var northE7: Int32
    private(set) var westE7: Int32
    private(set) var eastE7: Int32
    private var latitudes: Int64
    private var longitudes: Int64

    init(_ latitudeE7: Int32, _ longitudeE7: Int32, number: Int64) {
        first = number
        (southE7, northE7, westE7, eastE7) = (latitudeE7, latitudeE7, longitudeE7, longitudeE7)
        (latitudes, longitudes) = (Int64(latitudeE7), Int64(longitudeE7))
    }

    /// Takes in another one.
    mutating func add(_ latitudeE7: Int32, _ longitudeE7: Int32) {
        count += 1
        (southE7, northE7) = (min(southE7, latitudeE7), max(northE7, latitudeE7))
        (westE7, eastE7) = (min(westE7, longitudeE7), max(eastE7, longitudeE7))
        latitudes += Int64(latitudeE7)
        longitudes += Int64(longitudeE7)
    }

    /// The mean of their places, in degrees.
    var center: (latitude: Double, longitude: Double) {
        (Self.degrees(Double(latitudes) / Double(count)), Self.degrees(Double(longitudes) / Double(count)))
    }

    /// What holds them all: west, south, east, north in degrees.
    var edges: [Double] { [westE7, southE7, eastE7, northE7].map { Self.degrees(Double($0)) } }

    private static func degrees(_ e7: Double) -> Double { e7 / Coordinate.unitsPerDegree }
}
