import Foundation
import Geodesy
import Places
import Shapes
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
    ]

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
