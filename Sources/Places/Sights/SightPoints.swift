import GRDB
import Geodesy
import Service
import Store
import Synchronization

/// Where all sights are, in memory: SQLite takes longer to step through 100,000 rows than a map may wait.
///
/// It costs 16 bytes a sight, and is read anew after a change of what is watched, by the number of that change in the
/// store.
final class SightPoints: Sendable {
    private let known = Mutex<(revision: Int64, points: Points)?>(nil)

    /// None read yet.
    init() {}

    /// The places as a transaction sees them.
    func points(in db: Database) throws -> Points {
        let revision = try GeofenceRevision.last(in: db)
        if let known = known.withLock({ $0 }), known.revision == revision { return known.points }
        let points = try Points(in: db)
        known.withLock { $0 = (revision, points) }
        return points
    }

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
                latitudes.append(Int32(clamping: rows.integer(0) ?? 0))
                longitudes.append(Int32(clamping: rows.integer(1) ?? 0))
                numbers.append(rows.integer(2) ?? 0)
            }
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
