import Geodesy
import Glibc

/// A polyline on the earth, in which a place is found by its distance along the way.
///
/// Lengths are those of the WGS 84 ellipsoid. Between two points the way is the great circle, evenly divided. Over the
/// few kilometres of a leg, it differs from the geodesic by less than the width of a kerb.
struct Path {
    /// The points of the way, ends included.
    let points: [UnitVector]
    /// The length of the way before each point, in metres.
    let offsets: [Double]

    /// Creates the way through places, of which there must be at least one.
    init(_ places: [Coordinate]) {
        precondition(!places.isEmpty, "a path needs at least one place")
        points = places.map { UnitVector($0) }
        var offsets = [0.0]
        for (start, end) in zip(places, places.dropFirst()) {
            offsets.append(offsets[offsets.count - 1] + Ellipsoid.greatCircleDistance(from: start, to: end).meters)
        }
        self.offsets = offsets
    }

    /// The length from end to end, in metres.
    var length: Double { offsets[offsets.count - 1] }

    /// Returns the place `meters` along the way.
    func place(at meters: Double) -> UnitVector {
        let leg = leg(at: meters)
        guard leg + 1 < points.count else { return points[leg] }
        let (start, end) = (points[leg], points[leg + 1])
        let whole = offsets[leg + 1] - offsets[leg]
        let part = whole > 0 ? (meters - offsets[leg]) / whole : 0
        return UnitVector(
            towardsX: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y),
            z: start.z + part * (end.z - start.z)) ?? start
    }

    /// Returns the direction of travel `meters` along the way; north if the way is a single place.
    func course(at meters: Double) -> Angle {
        let leg = leg(at: meters)
        guard points.count > 1 else { return .degrees(0) }
        let start = leg + 1 < points.count ? place(at: meters) : points[leg - 1]
        return start.bearing(to: points[min(leg + 1, points.count - 1)])
    }

    /// Returns the angle by which the way turns at a point, from 0 to 180 degrees; 0 at the ends.
    func turn(at index: Int) -> Double {
        guard index > 0, index + 1 < points.count else { return 0 }
        let before = points[index].bearing(to: points[index - 1]).degrees + 180
        let after = points[index].bearing(to: points[index + 1]).degrees
        let angle = Angle(degrees: after - before).normalized.degrees
        return min(angle, 360 - angle)
    }

    /// Returns the index of the last point that is not beyond `meters` along the way.
    ///
    /// - Complexity: O(log *n*) for *n* points.
    func leg(at meters: Double) -> Int {
        var (low, high) = (0, offsets.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if offsets[middle] <= meters { low = middle } else { high = middle }
        }
        return low
    }
}

extension UnitVector {
    /// Returns the place that many metres east and north of this one.
    func displaced(east: Double, north: Double) -> UnitVector {
        let horizontal = (x * x + y * y).squareRoot()
        let (cosine, sine) = horizontal > 0 ? (x / horizontal, y / horizontal) : (1, 0)
        let (e, n) = (east / Sphere.radius.meters, north / Sphere.radius.meters)
        return UnitVector(
            towardsX: x - e * sine - n * z * cosine, y: y + e * cosine - n * z * sine, z: z + n * horizontal) ?? self
    }

    /// Returns the place `meters` away in a direction, in degrees clockwise from north.
    func displaced(_ meters: Double, towards degrees: Double) -> UnitVector {
        let angle = degrees * .pi / 180
        return displaced(east: meters * sin(angle), north: meters * cos(angle))
    }
}

extension Coordinate {
    /// Creates a place from constants in this generator's source.
    init(_ latitude: Double, _ longitude: Double) {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("\(latitude), \(longitude) is not a place on earth")
        }
        self = place
    }
}
