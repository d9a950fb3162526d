import Geodesy
import Positioning
import Sights
import SpatialIndex
import TextCoding

/// Benchmarks of the R-tree with a thousand to a million sights: building, queries and removals.
enum IndexBenchmarks {
    static let all = [
        (Workload.File.fewestSights, 1000), (.fewSights, 10_000), (.manySights, 100_000), (.maximumSights, 1_000_000),
    ].flatMap { file, count in
        [
            benchmark("build", of: file, count, with: .fixes) { try build($0) },
            benchmark("within", of: file, count, with: .fixes) { try within($0) },
            benchmark("knn", of: file, count, with: .queries) { try nearest($0) },
            benchmark("remove", of: file, count, with: .fixes) { try remove($0) },
        ]
    }

    /// An operation on the sights of a file.
    private struct Task {
        var name: String
        var work: Workload
        /// The sights as they were read; they stay in memory, so that no index reuses theirs.
        var sights: [Sight]
        var circles: [IndexedSights.Circle]

        func figures(_ way: IndexedSights.Way, count: Int, took: Elapsed) -> Figures {
            Figures(peer: "waymark-\(way.rawValue)", workload: name, count: count, took: took)
        }
    }

    private static func benchmark(
        _ operation: String, of file: Workload.File, _ count: Int, with other: Workload.File,
        _ run: @escaping @Sendable (Task) throws -> Void
    ) -> Benchmark {
        let name = "index-\(operation)-\(count)"
        return Benchmark(name: name, files: [file, other]) { work in
            let sights = try work.sights(file)
            let circles = sights.map {
                IndexedSights.Circle(sight: $0.number, center: $0.place, radius: $0.radius)
            }
            try run(Task(name: name, work: work, sights: sights, circles: circles))
        }
    }

    private static func build(_ task: Task) throws {
        let places = try task.work.fixes(10_000).map(\.fix.coordinate)
        // The first index is kept, so that the second does not reuse its memory.
        var kept: [IndexedSights] = []
        defer { withExtendedLifetime((kept, task)) {} }
        for way in IndexedSights.Way.allCases {
            let before = ProcessFigures.kilobytes("VmRSS") ?? 0
            let watch = Stopwatch()
            let index = IndexedSights(task.circles, built: way)
            let took = watch.elapsed
            let held = (ProcessFigures.kilobytes("VmRSS") ?? 0) - before
            kept.append(index)
            var figures = task.figures(way, count: task.circles.count, took: took)
            figures.checksum = index.hits(of: places)
            figures.print { $0.member("index_kb", held) }
        }
    }

    private static func within(_ task: Task) throws {
        let places = try task.work.fixes(100_000).map(\.fix.coordinate)
        for way in IndexedSights.Way.allCases {
            let index = IndexedSights(task.circles, built: way)
            let watch = Stopwatch()
            let sum = index.hits(of: places)
            var figures = task.figures(way, count: places.count, took: watch.elapsed)
            figures.checksum = sum
            figures.print()
        }
    }

    private static func nearest(_ task: Task) throws {
        let queries = try task.work.queries()
        for way in IndexedSights.Way.allCases {
            let index = IndexedSights(task.circles, built: way)
            let watch = Stopwatch()
            let sum = index.neighbors(of: queries, limit: 10)
            var figures = task.figures(way, count: queries.count, took: watch.elapsed)
            figures.checksum = sum
            figures.print()
        }
    }

    private static func remove(_ task: Task) throws {
        let places = try task.work.fixes(10_000).map(\.fix.coordinate)
        for way in IndexedSights.Way.allCases {
            var index = IndexedSights(task.circles, built: way)
            let watch = Stopwatch()
            let removed = index.removeEverySecond()
            var figures = task.figures(way, count: removed, took: watch.elapsed)
            figures.checksum = index.hits(of: places)
            figures.print()
        }
    }
}

/// Sights as `GeofenceIndex` stores them: their caps in a tree, and their exact shapes beside it.
struct IndexedSights {
    /// The way in which the tree is built.
    enum Way: String, CaseIterable {
        /// All at once.
        case bulk
        /// One by one.
        case insert
    }

    struct Circle {
        var sight: UInt64
        var center: Coordinate
        var radius: Distance
    }

    private struct Shape {
        var center: UnitVector
        var squaredRadius: Double

        init(_ circle: Circle) {
            center = UnitVector(circle.center)
            squaredRadius = Sphere.squaredChord(distance: circle.radius)
        }

        func element(_ number: Int) -> RTree.Element {
            RTree.Element(center: center, squaredRadius: squaredRadius, number: Int32(number))
        }
    }

    private let circles: [Circle]
    private let shapes: [Shape]
    private var tree: RTree

    init(_ circles: [Circle], built way: Way) {
        self.circles = circles
        let shapes = circles.map { Shape($0) }
        self.shapes = shapes
        switch way {
        case .bulk: tree = RTree(count: shapes.count) { shapes[$0].element($0) }
        case .insert:
            tree = RTree()
            for (number, shape) in shapes.enumerated() { tree.insert(shape.element(number)) }
        }
    }

    /// Returns the checksum of all sights that contain each of the places.
    func hits(of places: [Coordinate]) -> UInt64 {
        var sum: UInt64 = 0
        for (number, place) in places.enumerated() {
            let here = UnitVector(place)
            tree.forEach(intersecting: Box(here)) { child in
                let shape = shapes[Int(child)]
                guard shape.center.squaredChord(to: here) <= shape.squaredRadius else { return }
                sum &+= ResultChecksum.hit(fix: number, sight: circles[Int(child)].sight)
            }
        }
        return sum
    }

    /// Returns the checksum of the sights nearest to each of the places.
    func neighbors(of places: [Coordinate], limit: Int) -> UInt64 {
        var sum: UInt64 = 0
        for (query, place) in places.enumerated() {
            let here = UnitVector(place)
            let nearest = tree.nearest(to: here, limit: limit) { shapes[Int($0)].center.squaredChord(to: here) }
            for (rank, neighbor) in nearest.enumerated() {
                sum &+= ResultChecksum.neighbor(query: query, rank: rank, sight: circles[Int(neighbor.number)].sight)
            }
        }
        return sum
    }

    /// Removes the first sight, the third, and so on.
    ///
    /// - Returns: The number of sights removed.
    mutating func removeEverySecond() -> Int {
        var removed = 0
        for number in stride(from: 0, to: shapes.count, by: 2) where tree.remove(shapes[number].element(number)) {
            removed += 1
        }
        return removed
    }
}
