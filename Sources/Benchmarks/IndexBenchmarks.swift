import Companion
import Geodesy
import Positioning
import SpatialIndex
import TextCoding

/// The R-tree of 100,000 sights: built, asked, and taken apart.
enum IndexBenchmarks {
    static let all = [
        benchmark("build", needs: [.fixes]) { try build($0) },
        benchmark("within", needs: [.fixes]) { try within($0) },
        benchmark("knn", needs: [.queries]) { try nearest($0) },
        benchmark("remove", needs: [.fixes]) { try remove($0) },
    ]

    private static func benchmark(
        _ operation: String, needs files: [Workload.File], _ run: @escaping @Sendable (Workload) throws -> Void
    ) -> Benchmark {
        Benchmark(name: "index-\(operation)-100000", files: [.manySights] + files, run: run)
    }

    private static func figures(_ way: IndexedSights.Way, _ operation: String, _ count: Int, _ took: Elapsed) -> Figures
    {
        Figures(peer: "waymark-\(way.rawValue)", workload: "index-\(operation)-100000", count: count, took: took)
    }

    private static func build(_ work: Workload) throws {
        let sights = try work.sights(.manySights)
        let places = try work.fixes(10_000).map(\.fix.coordinate)
        // The first is kept, so that the memory of the second is not what the first has freed.
        var kept: [IndexedSights] = []
        defer { withExtendedLifetime(kept) {} }
        for way in IndexedSights.Way.allCases {
            let before = ProcessMemory.kilobytes("VmRSS") ?? 0
            let watch = Stopwatch()
            let index = IndexedSights(sights, built: way)
            let took = watch.elapsed
            let held = (ProcessMemory.kilobytes("VmRSS") ?? 0) - before
            kept.append(index)
            var figures = figures(way, "build", sights.count, took)
            figures.checksum = index.hits(of: places)
            figures.print { $0.member("index_kb", held) }
        }
    }

    private static func within(_ work: Workload) throws {
        let sights = try work.sights(.manySights)
        let places = try work.fixes(100_000).map(\.fix.coordinate)
        for way in IndexedSights.Way.allCases {
            let index = IndexedSights(sights, built: way)
            let watch = Stopwatch()
            let sum = index.hits(of: places)
            var figures = figures(way, "within", places.count, watch.elapsed)
            figures.checksum = sum
            figures.print()
        }
    }

    private static func nearest(_ work: Workload) throws {
        let sights = try work.sights(.manySights)
        let queries = try work.queries()
        for way in IndexedSights.Way.allCases {
            let index = IndexedSights(sights, built: way)
            let watch = Stopwatch()
            let sum = index.neighbors(of: queries, limit: 10)
            var figures = figures(way, "knn", queries.count, watch.elapsed)
            figures.checksum = sum
            figures.print()
        }
    }

    private static func remove(_ work: Workload) throws {
        let sights = try work.sights(.manySights)
        let places = try work.fixes(10_000).map(\.fix.coordinate)
        for way in IndexedSights.Way.allCases {
            var index = IndexedSights(sights, built: way)
            let watch = Stopwatch()
            let removed = index.removeEverySecond()
            var figures = figures(way, "remove", removed, watch.elapsed)
            figures.checksum = index.hits(of: places)
            figures.print()
        }
    }
}

/// Sights as `GeofenceIndex` keeps them: their boxes in a tree, and their circles beside it.
struct IndexedSights {
    /// How the tree is built.
    enum Way: String, CaseIterable {
        /// At once.
        case bulk
        /// One by one.
        case insert
    }

    private struct Circle {
        var sight: UInt64
        var center: UnitVector
        var squaredRadius: Double
        var element: RTree.Element
    }

    private let circles: [Circle]
    private var tree: RTree

    init(_ sights: [Sight], built way: Way) {
        circles = sights.enumerated().map { number, sight in
            let center = UnitVector(sight.place)
            return Circle(
                sight: sight.number, center: center, squaredRadius: Sphere.squaredChord(distance: sight.radius),
                element: RTree.Element(
                    box: SphericalCap(center: center, radius: sight.radius).box, number: Int32(number)))
        }
        switch way {
        case .bulk: tree = RTree(circles.map(\.element))
        case .insert:
            tree = RTree()
            for circle in circles { tree.insert(circle.element) }
        }
    }

    /// The sum of all sights that contain each of the places.
    func hits(of places: [Coordinate]) -> UInt64 {
        var sum: UInt64 = 0
        for (number, place) in places.enumerated() {
            let here = UnitVector(place)
            tree.forEach(intersecting: Box(here)) { child in
                let circle = circles[Int(child)]
                guard circle.center.squaredChord(to: here) <= circle.squaredRadius else { return }
                sum &+= Checksum.hit(fix: number, sight: circle.sight)
            }
        }
        return sum
    }

    /// The sum of the sights nearest to each of the places.
    func neighbors(of places: [Coordinate], limit: Int) -> UInt64 {
        var sum: UInt64 = 0
        for (query, place) in places.enumerated() {
            let here = UnitVector(place)
            let nearest = tree.nearest(to: here, limit: limit) { circles[Int($0)].center.squaredChord(to: here) }
            for (rank, neighbor) in nearest.enumerated() {
                sum &+= Checksum.neighbor(query: query, rank: rank, sight: circles[Int(neighbor.number)].sight)
            }
        }
        return sum
    }

    /// Removes the first, the third and so on.
    ///
    /// - Returns: how many.
    mutating func removeEverySecond() -> Int {
        var removed = 0
        for number in stride(from: 0, to: circles.count, by: 2) where tree.remove(circles[number].element) {
            removed += 1
        }
        return removed
    }
}
