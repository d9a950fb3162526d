import Foundation
import Geodesy
import Shapes
import Sights
import TextCoding
import Tracking

/// Benchmarks of a million fixes of a thousand devices among polygons: beside 100,000 circles, and without them.
///
/// The first is compared with the circles alone, and the second with programs that only know polygons.
enum ShapeBenchmark {
    static let all = [
        FenceBenchmark.engines("fence-shapes-circles-1000000", files: [.manySights, .shapes, .fixes]) { work in
            try index(work.sights(.manySights).map(\.geofence), in: work)
        },
        FenceBenchmark.engines("fence-shapes-1000000", files: [.shapes, .fixes]) { try index([], in: $0) },
        Benchmark(name: "fence-shapes-ratio", files: [.manySights, .shapes, .fixes], run: byTurns),
    ]

    private static let rounds = 9

    /// Shows the fixes to circles alone and to circles and polygons by turns, and prints what the polygons cost.
    ///
    /// In two processes the same work differs by up to a half, by where their memory lies. In one process both have the
    /// same conditions.
    private static func byTurns(_ work: Workload) throws {
        let sights = try work.sights(.manySights).map(\.geofence)
        let circles = GeofenceIndex(sights.map { ($0, 1) })
        let both = try index(sights, in: work)
        let steps = try FenceBenchmark.steps(of: .fixes, in: work)
        var costs: [Double] = []
        var last = FenceBenchmark.Outcome()
        for _ in 0..<rounds {
            let alone = FenceBenchmark.run(steps, in: circles)
            last = FenceBenchmark.run(steps, in: both)
            costs.append((last.took.processorSeconds ?? 0) / (alone.took.processorSeconds ?? 1))
        }
        costs.sort()
        Figures(workload: "fence-shapes-ratio", count: steps.count, took: last.took, checksum: last.checksum).print {
            $0.member("ratio", costs[rounds / 2], decimals: 2)
            $0.member("least_ratio", costs[0], decimals: 2)
            $0.member("greatest_ratio", costs[rounds - 1], decimals: 2)
        }
    }

    private static func index(_ circles: [Geofence], in work: Workload) throws -> GeofenceIndex {
        GeofenceIndex((circles + (try polygons(in: work))).map { ($0, 1) })
    }

    private static func polygons(in work: Workload) throws -> [Geofence] {
        let text = try String(contentsOfFile: work.path(.shapes), encoding: .utf8)
        return try text.split(separator: "\n").dropFirst().map { line in
            let parts = line.split(separator: ",", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw Workload.Damage(description: "\(work.path(.shapes)): \(line.prefix(40)) is no id and WKT")
            }
            let shape = try Shape.read(try WKT.geometry(from: parts[1])).shape
            return Geofence(identity: .init(kind: .sight, id: parts[0]), title: parts[0], shape: shape)
        }
    }
}
