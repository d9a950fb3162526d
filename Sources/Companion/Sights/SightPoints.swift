import GRDB
import Geodesy
import Service
import Store
import Synchronization

/// The positions of all sights, cached in memory.
///
/// SQLite takes longer to step through 100,000 rows than a map may wait. The cache costs 16 bytes per sight. After a
/// change of geofences, which raises the store's revision, it reads the sights that have changed since. It reads all
/// sights again if some were removed or many have changed.
final class SightPoints: Sendable {
    private let known = Mutex<(revision: Int64, points: Points)?>(nil)

    /// Creates an empty cache, which is filled on first use.
    init() {}

    /// Returns the positions as the transaction of `db` sees them.
    func points(in db: Database) throws -> Points {
        let revision = try GeofenceRevision.last(in: db)
        let before = known.withLock { $0 }
        if let before, before.revision == revision { return before.points }
        var points: Points?
        // A transaction that began before the one that filled the cache sees an older state.
        if let before, before.revision < revision { points = try before.points.changed(since: before.revision, in: db) }
        let read = try points ?? Points(in: db)
        known.withLock { $0 = (revision, read) }
        return read
    }

    /// The migration that creates the index by which changed sights are found.
    static let migration = StoreMigration(
        at: 44, name: "companion.sights.5", sql: "CREATE INDEX sight_by_revision ON sight (revision)")

    /// The positions at one moment, sorted from south to north.
    struct Points: Sendable {
        private var latitudes: ContiguousArray<Int32> = []
        private var longitudes: ContiguousArray<Int32> = []
        private var numbers: ContiguousArray<Int64> = []

        /// Reads the positions from their index alone, without the table.
        fileprivate init(in db: Database) throws {
            let rows = try DirectStatement(
                "SELECT lat_e7, lon_e7, number FROM sight ORDER BY lat_e7, lon_e7, number", isList: true, in: db)
            while try rows.step() {
                append(Self.place(rows.row))
            }
        }

        private init() {}

        /// Returns the positions after all changes since a revision; `nil` if the caller must read all positions again.
        ///
        /// That is so if sights were removed, which leaves no row to find, or if more than `maximumChanged` have changed.
        ///
        /// - Complexity: O(*n* + *k* log *k*) for *k* changed sights of *n* in all.
        fileprivate func changed(since revision: Int64, in db: Database) throws -> Points? {
            var changed: [Place] = []
            let rows = try DirectStatement(
                "SELECT lat_e7, lon_e7, number FROM sight WHERE revision > ?", isList: true, in: db)
            try rows.bind(revision, at: 1)
            while try rows.step() {
                changed.append(Self.place(rows.row))
                guard changed.count <= Self.maximumChanged else { return nil }
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
            // The merged list holds every sight that exists, so an equal count proves that none was removed.
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM sight")
            return count == points.numbers.count ? points : nil
        }

        /// The largest number of changed sights that are merged.
        ///
        /// More come from an import, and reading all is as good then.
        private static let maximumChanged = 10_000

        private mutating func reserve(_ count: Int) {
            latitudes.reserveCapacity(count)
            longitudes.reserveCapacity(count)
            numbers.reserveCapacity(count)
        }

        private typealias Place = (latitude: Int32, longitude: Int32, number: Int64)

        /// Returns the position in a row.
        ///
        /// No column is ever NULL, and the schema bounds the first two; damage is reported.
        private static func place(_ row: CurrentRow) -> Place {
            (row.integer32(0) ?? 0, row.integer32(1) ?? 0, row.integer(2) ?? 0)
        }

        private mutating func append(_ place: Place) {
            latitudes.append(place.latitude)
            longitudes.append(place.longitude)
            numbers.append(place.number)
        }

        /// Returns what a map shows of a window.
        ///
        /// Each sight is counted once.
        ///
        /// If there are at most `limit` sights, each is shown by itself. Otherwise, the sights are grouped by the cells
        /// of a ``MapGrid`` of at most `limit` cells, and only a sight that is alone in its cell is shown by itself.
        ///
        /// - Parameter hidden: The numbers of sights that are left out.
        /// - Complexity: O(log *n* + *k*) for *k* sights between the window's latitudes, of *n* in all.
        func content(of window: MapWindow, atMost limit: Int, without hidden: Set<Int64> = []) -> Content {
            let grid = MapGrid(window, atMost: limit)
            var clusters = [SightCluster?](repeating: nil, count: grid.count)
            var singles: [Int64] = []
            var count = 0
            var index = firstIndex(from: window.southE7)
            while index < latitudes.count, latitudes[index] <= window.northE7 {
                defer { index += 1 }
                let latitude = latitudes[index]
                guard let longitude = window.longitude(of: longitudes[index], at: latitude),
                    hidden.isEmpty || !hidden.contains(numbers[index])
                else { continue }
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

        /// Returns the index of the first position at or north of a latitude.
        private func firstIndex(from latitude: Int32) -> Int {
            var (low, high) = (0, latitudes.count)
            while low < high {
                let middle = (low + high) / 2
                if latitudes[middle] < latitude { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// What a map shows of a window.
    struct Content: Hashable, Sendable {
        /// The number of sights in the window.
        var count: Int
        /// The numbers of the sights that are shown by themselves, in ascending order.
        var singles: [Int64]
        /// The groups of two or more sights, by rows of cells from the south, each from the west.
        var clusters: [SightCluster]
    }
}

/// A group of sights that a map draws as one.
struct SightCluster: Hashable, Sendable {
    private(set) var count = 1
    /// The number of the first sight that was added to the group.
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

    /// Adds the position of another sight.
    mutating func add(_ latitudeE7: Int32, _ longitudeE7: Int32) {
        count += 1
        (southE7, northE7) = (min(southE7, latitudeE7), max(northE7, latitudeE7))
        (westE7, eastE7) = (min(westE7, longitudeE7), max(eastE7, longitudeE7))
        latitudes += Int64(latitudeE7)
        longitudes += Int64(longitudeE7)
    }

    /// The mean position of the sights, in degrees.
    var center: (latitude: Double, longitude: Double) {
        (Self.degrees(Double(latitudes) / Double(count)), Self.degrees(Double(longitudes) / Double(count)))
    }

    /// The bounding box of the sights: west, south, east, north in degrees.
    var edges: [Double] { [westE7, southE7, eastE7, northE7].map { Self.degrees(Double($0)) } }

    private static func degrees(_ e7: Double) -> Double { e7 / Coordinate.unitsPerDegree }
}
