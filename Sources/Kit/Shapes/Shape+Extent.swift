public import Geodesy
import Glibc

/// The bounding box of a shape in degrees.
public struct ShapeExtent: Hashable, Sendable {
    /// The least latitude.
    public let south: Double
    /// The western longitude, within ±180.
    ///
    /// West is greater than east for a box over the antimeridian. A box all the way round has -180 and 180.
    public let west: Double
    /// The greatest latitude.
    public let north: Double
    /// The eastern longitude, within ±180.
    public let east: Double

    /// Creates a box from its sides.
    public init(south: Double, west: Double, north: Double, east: Double) {
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }
}

extension Shape {
    /// The bounding box of the whole shape, its inside included, on the unit sphere, rounded outward.
    ///
    /// - Complexity: O(log *n*) for outlines.
    public var box: Box {
        switch kind {
        case .circle:
            return Box(center).expanded(by: squaredRadius.squareRoot())
        case .corridor:
            // No place of the corridor is farther from its line than the chord of the radius.
            let line = tree.bounds ?? Box(center)
            return line.expanded(by: squaredRadius.squareRoot())
        case .polygon:
            // The inside may reach beyond the box of its boundary only where an axis of the frame pierces it.
            var box = tree.bounds ?? Box(center)
            for axis in Self.axes where contains(Coordinate(axis), at: axis) { box = box.union(Box(axis)) }
            return box
        }
    }

    private static let axes = [(90.0, 0.0), (-90, 0), (0, 0), (0, 180), (0, 90), (0, -90)].map { latitude, longitude in
        UnitVector(Coordinate(latitude: latitude, longitude: longitude) ?? .origin)
    }

    /// A cap that holds the whole shape, as an index of caps takes it.
    ///
    /// - Returns: the centre, and the squared chord of the radius; see ``Geodesy/Sphere``.
    /// - Complexity: O(*n*).
    public var cap: (center: UnitVector, squaredRadius: Double) {
        guard kind != .circle else { return (center, squaredRadius) }
        var (farthest, longest) = (0.0, 0.0)
        tree.forEach { arc in
            farthest = max(farthest, center.squaredChord(to: arc.a), center.squaredChord(to: arc.b))
            longest = max(longest, arc.a.squaredChord(to: arc.b))
        }
        // The chord of an arc is no farther than its ends, and the arc is above it by an eighth of its square, in radii,
        // and a little more. The edge may be beside the arc.
        let reach =
            farthest.squareRoot() + longest / 7.9 + squaredRadius.squareRoot()
            + 2 * Arc.tolerance / Sphere.radius.meters
        // A cap smaller than half the sphere is convex, and holds the inside of a boundary or all of the outside.
        let opposite = UnitVector(towardsX: -center.x, y: -center.y, z: -center.z) ?? center
        let isTurned = kind == .polygon && contains(Coordinate(opposite), at: opposite)
        return (center, reach * reach < 1.9 && !isTurned ? reach * reach : 4)
    }

    /// The bounding box in degrees.
    ///
    /// - Complexity: O(*n*).
    public var extent: ShapeExtent {
        let (south, north) = latitudes
        guard let span = longitudes, south > -90, north < 90 || kind == .polygon else {
            return ShapeExtent(south: max(-90, south), west: -180, north: min(90, north), east: 180)
        }
        func turned(_ degrees: Double) -> Double {
            degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
        }
        return ShapeExtent(south: south, west: turned(span.west), north: north, east: turned(span.east))
    }

    private var angle: Double { radius.meters / Sphere.radius.meters * 180 / .pi }

    private var latitudes: (south: Double, north: Double) {
        var (low, high) = (Int32.max, Int32.min)
        for place in parts.joined().joined() {
            low = min(low, place.latitudeE7)
            high = max(high, place.latitudeE7)
        }
        return (Double(low) / Coordinate.unitsPerDegree - angle, Double(high) / Coordinate.unitsPerDegree + angle)
    }

    /// The western and eastern longitude, unrolled; `nil` if they span the whole turn.
    private var longitudes: (west: Double, east: Double)? {
        var spans: [(west: Double, east: Double)] = []
        for list in parts.joined() {
            guard let first = list.first else { continue }
            var (x, west, east) = (Int64(first.longitudeE7), Int64(first.longitudeE7), Int64(first.longitudeE7))
            var widest = cosineMargin(first)
            for place in list.dropFirst() {
                let way = MapPoint.turned(Int64(place.longitudeE7) - MapPoint.turned(x))
                x += way
                (west, east) = (min(west, x), max(east, x))
                widest = max(widest, cosineMargin(place))
            }
            let (w, e) = (
                Double(west) / Coordinate.unitsPerDegree - widest, Double(east) / Coordinate.unitsPerDegree + widest
            )
            guard e - w < 360 else { return nil }
            spans.append((w, e))
        }
        // The widest gap between the spans is outside of the box.
        let sorted = spans.map { span in
            let shift = 360 * ((span.west + 180) / 360).rounded(.down)
            return (west: span.west - shift, east: span.east - shift)
        }.sorted { $0.west < $1.west }
        guard let first = sorted.first else { return nil }
        var (reach, best, gap) = (first.east, first.west, 0.0)
        for span in sorted.dropFirst() {
            if span.west - reach > gap { (gap, best) = (span.west - reach, span.west) }
            reach = max(reach, span.east)
        }
        let overTurn = first.west + 360 - reach
        if overTurn >= gap { return overTurn > 0 ? (first.west, reach) : nil }
        let before = sorted.filter { $0.west < best }.map(\.east).max() ?? reach
        return (best, before + 360)
    }

    /// How far the radius reaches east and west of a position, in degrees.
    private func cosineMargin(_ place: Coordinate) -> Double {
        guard radius > .zero else { return 0 }
        let latitude = abs(place.latitude)
        guard latitude + angle < 90 else { return 360 }
        return asin(min(1, sin(angle * .pi / 180) / cos(latitude * .pi / 180))) * 180 / .pi
    }
}
