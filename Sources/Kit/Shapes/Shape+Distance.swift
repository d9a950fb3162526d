public import Geodesy

extension Shape {
    /// How a place lies to a shape.
    public struct Standing: Hashable, Sendable {
        /// Whether the place is in the shape or on its boundary.
        public let isInside: Bool
        /// The distance to the nearest edge, in metres: from inside at least how far the boundary is, from outside exactly
        /// how far the shape is.
        public let gap: Double

        /// How far inside the boundary the place is, in metres; negative outside.
        ///
        /// It changes by at most the way gone, but for ``Shape/edgeTolerance``. So nothing can change for a device that
        /// goes less than its magnitude, or, with an exit margin, less than the sum of both.
        public var edge: Double { isInside ? gap : -gap }
        /// The distance to the shape, in metres; 0 inside.
        public var distance: Distance { isInside ? .zero : .meters(gap) }
    }

    /// Whether a place is in the shape or on its boundary.
    ///
    /// For polygons the answer is exact, for the place and the positions in units of 1e-7 degrees.
    ///
    /// - Parameter here: the place as a vector.
    /// - Complexity: O(log *n*) for outlines of *n* edges. Nothing is allocated.
    public func contains(_ place: Coordinate, at here: UnitVector) -> Bool {
        switch kind {
        case .circle: return center.squaredChord(to: here) <= squaredRadius
        case .corridor: return tree.nearest(to: here, within: squaredRadius.nextUp).arc >= 0
        case .polygon: return windingNumber(of: place).map { $0 > 0 } ?? true
        }
    }

    /// Returns how many polygons hold a place, or `nil` if it is on an edge.
    func windingNumber(of place: Coordinate) -> Int? {
        if abs(place.latitudeE7) == MapPoint.pole {
            return (place.latitudeE7 > 0 ? holdsNorthPole : holdsSouthPole) ? 1 : 0
        }
        return winding.winding(of: MapPoint(place))
    }

    /// Whether a place is in the shape or on its boundary.
    public func contains(_ place: Coordinate) -> Bool { contains(place, at: UnitVector(place)) }

    /// Returns whether a place is inside, and how far from the boundary.
    ///
    /// Inside a corridor with bends, or several polygons that overlap, the boundary may be farther away than
    /// ``Standing/gap``.
    ///
    /// - Parameter here: the place as a vector.
    /// - Complexity: as ``contains(_:at:)``.
    public func standing(_ place: Coordinate, at here: UnitVector) -> Standing {
        let squared = kind == .circle ? center.squaredChord(to: here) : tree.nearest(to: here).squaredChord
        return standing(place, at: here, squaredChord: squared)
    }

    /// Returns whether a place is inside, and how far from the boundary, if that is at most `reach`.
    ///
    /// Beyond, the gap is only known to be at least `reach`. Deep inside a large outline, where many edges are about
    /// equally near, this is much cheaper than the exact gap.
    ///
    /// - Parameter here: the place as a vector.
    /// - Complexity: as ``contains(_:at:)``.
    public func standing(_ place: Coordinate, at here: UnitVector, within reach: Distance) -> Standing {
        guard kind != .circle else { return standing(place, at: here) }
        // The chord of a distance is shorter than the distance.
        let chord = (reach + radius).meters / Sphere.radius.meters
        let nearest = tree.nearest(to: here, within: min(Self.beyondAll, chord * chord))
        guard nearest.arc < 0 else { return standing(place, at: here, squaredChord: nearest.squaredChord) }
        return Standing(isInside: kind == .polygon && contains(place, at: here), gap: reach.meters)
    }

    /// More than any squared chord.
    private static let beyondAll = 4.1

    /// Returns how a place stands whose squared chord to the centre, the lines or the boundary is known.
    func standing(_ place: Coordinate, at here: UnitVector, squaredChord: Double) -> Standing {
        let distance = Sphere.distance(squaredChord: squaredChord).meters
        switch kind {
        case .circle, .corridor:
            return Standing(isInside: squaredChord <= squaredRadius, gap: abs(distance - radius.meters))
        case .polygon: return Standing(isInside: contains(place, at: here), gap: distance)
        }
    }

    /// Returns whether a place is inside, and how far from the boundary.
    public func standing(_ place: Coordinate) -> Standing { standing(place, at: UnitVector(place)) }

    /// Returns the distance from a place to the shape; 0 inside.
    public func distance(from place: Coordinate) -> Distance { standing(place).distance }

    /// Returns the point of the boundary of polygons, of the lines of a corridor, or of a circle's centre that is nearest
    /// to a place.
    public func nearestPoint(to here: UnitVector) -> UnitVector {
        guard kind != .circle else { return center }
        let nearest = tree.nearest(to: here).arc
        guard nearest >= 0 else { return center }
        let arc = tree[nearest]
        if let foot = GreatCircleArc(from: arc.a, to: arc.b)?.closestInteriorPoint(to: here) { return foot.point }
        return arc.a.squaredChord(to: here) <= arc.b.squaredChord(to: here) ? arc.a : arc.b
    }

    /// Calls `body` with the ends of every arc of the boundary or lines within a distance of a point, and of some beyond.
    ///
    /// The arcs are great circles, at most a degree long. A circle has none.
    ///
    /// - Complexity: O(log *n* + *k*) for outlines and *k* arcs. Nothing is allocated.
    public func forEachArc(
        within distance: Distance, of here: UnitVector, _ body: (_ start: UnitVector, _ end: UnitVector) -> Void
    ) {
        let box = Box(here).expanded(by: distance.meters / Sphere.radius.meters)
        tree.forEach(meeting: box) { body(tree[$0].a, tree[$0].b) }
    }

    /// The number of arcs; 0 for a circle.
    public var arcCount: Int { tree.count }
}
