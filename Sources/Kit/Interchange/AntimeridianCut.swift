internal import Geodesy
internal import Positioning
import Time

/// A vertex of a line: a fix, or a point at which the line is cut.
struct Vertex: Hashable {
    var latitudeE7: Int32
    var longitudeE7: Int32
    var altitude: Distance?
    var time: Timestamp?

    init(_ fix: Fix) {
        latitudeE7 = fix.coordinate.latitudeE7
        longitudeE7 = fix.coordinate.longitudeE7
        altitude = fix.altitude
        time = fix.time
    }
}

/// Cuts lines where they cross the antimeridian, as GeoJSON requires (RFC 7946, section 3.1.9).
///
/// The line between two fixes takes the shorter way in longitude. A way of exactly half a turn does not cross. Where a
/// line crosses, one part ends at 180° and the next begins at -180°, or the other way round. The latitude, altitude and
/// time of the cut are interpolated linearly in degrees. A fix on the antimeridian itself gets the sign of the line
/// that it lies on, so that no line has a jump or only one vertex.
enum AntimeridianCut {
    private static let edge: Int32 = 1_800_000_000

    /// Returns the lines of two or more fixes; each line has at least two vertices.
    static func lines(of fixes: [Fix]) -> [[Vertex]] {
        var lines: [[Vertex]] = []
        var line: [Vertex] = []
        var isWest =
            fixes.first { abs($0.coordinate.longitudeE7) != edge }.map { $0.coordinate.longitudeE7 < 0 } ?? false
        for fix in fixes {
            var vertex = Vertex(fix)
            if abs(vertex.longitudeE7) == edge { vertex.longitudeE7 = isWest ? -edge : edge }
            if let previous = line.last, crosses(previous, vertex) {
                var cut = crossing(from: previous, to: vertex)
                if previous.longitudeE7 != cut.longitudeE7 { line.append(cut) }
                lines.append(line)
                cut.longitudeE7.negate()
                line = [cut]
            }
            line.append(vertex)
            isWest = vertex.longitudeE7 < 0
        }
        lines.append(line)
        return lines
    }

    private static func crosses(_ a: Vertex, _ b: Vertex) -> Bool {
        abs(Int64(a.longitudeE7) - Int64(b.longitudeE7)) > Int64(edge)
    }

    /// Returns the point at which a segment crosses the antimeridian, on the side from which it comes.
    private static func crossing(from start: Vertex, to end: Vertex) -> Vertex {
        let before = Double(edge - abs(start.longitudeE7))
        let after = Double(edge - abs(end.longitudeE7))
        // At least one of the two is above 0: two places on the antimeridian have the same sign, and do not cross.
        let fraction = before / (before + after)
        func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * fraction }
        var cut = start
        cut.longitudeE7 = start.longitudeE7 < 0 ? -edge : edge
        cut.latitudeE7 = Int32(between(Double(start.latitudeE7), Double(end.latitudeE7)).rounded())
        cut.altitude = start.altitude.flatMap { low in
            end.altitude.map { .meters(between(low.meters, $0.meters)) }
        }
        cut.time = start.time.flatMap { first in
            end.time.map {
                first.advanced(byMilliseconds: Int64(($0.seconds(since: first) * 1000 * fraction).rounded()))
            }
        }
        return cut
    }
}
