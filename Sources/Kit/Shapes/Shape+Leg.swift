public import Geodesy

extension Shape {
    /// Where a leg meets a shape.
    public struct Meeting: Hashable, Sendable {
        /// The point of the leg.
        public let point: UnitVector
        /// The part of the leg before the point, from 0 to 1.
        public let fraction: Double
        /// The distance from the point to a circle's centre, a corridor's line or a polygon, in metres.
        public let distance: Distance
    }

    /// Returns where the great-circle leg between two places comes closest to the middle of the shape, or `nil` if it does
    /// not meet the shape.
    ///
    /// The middle of a circle is its centre, and that of a corridor its line. Among equally close points, and in polygons,
    /// where the distance is 0 all along, it is the first. A leg that begins in a polygon meets it at its start.
    ///
    /// - Parameters:
    ///   - start: the start of the leg, and as a vector.
    ///   - end: the end of the leg, less than a quarter of the circumference away, and as a vector.
    /// - Complexity: O(log *n* + *k*) for *k* arcs within reach of the leg.
    public func meeting(
        from start: Coordinate, _ startVector: UnitVector, to end: Coordinate, _ endVector: UnitVector
    ) -> Meeting? {
        switch kind {
        case .circle: return closest(on: Leg(startVector, endVector), to: center)
        case .corridor: return corridorMeeting(Leg(startVector, endVector))
        case .polygon:
            if contains(start, at: startVector) { return Meeting(point: startVector, fraction: 0, distance: .zero) }
            if let first = firstCrossing(Leg(startVector, endVector)) { return first }
            guard contains(end, at: endVector) else { return nil }
            return Meeting(point: endVector, fraction: 1, distance: .zero)
        }
    }

    /// Returns where the leg between two places meets the shape; see
    /// ``meeting(from:_:to:_:)``.
    public func meeting(from start: Coordinate, to end: Coordinate) -> Meeting? {
        meeting(from: start, UnitVector(start), to: end, UnitVector(end))
    }

    /// Returns the same for a leg whose ends are both outside of the shape.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* arcs within reach of the leg. It does not ask where the ends are.
    public func passage(from start: UnitVector, to end: UnitVector) -> Meeting? {
        let leg = Leg(start, end)
        return switch kind {
        case .circle: closest(on: leg, to: center)
        case .corridor: corridorMeeting(leg)
        case .polygon: firstCrossing(leg)
        }
    }

    private func closest(on leg: Leg, to point: UnitVector) -> Meeting? {
        let nearest = leg.closest(to: point)
        guard nearest.squaredChord <= squaredRadius else { return nil }
        return Meeting(
            point: nearest.point, fraction: nearest.fraction,
            distance: Sphere.distance(squaredChord: nearest.squaredChord))
    }

    private func corridorMeeting(_ leg: Leg) -> Meeting? {
        var best: (point: UnitVector, fraction: Double, squaredChord: Double)?
        func consider(_ candidate: (point: UnitVector, fraction: Double, squaredChord: Double)) {
            guard candidate.squaredChord <= squaredRadius else { return }
            if let best, (best.squaredChord, best.fraction) <= (candidate.squaredChord, candidate.fraction) { return }
            best = candidate
        }
        tree.forEach(meeting: leg.box.expanded(by: squaredRadius.squareRoot())) { index in
            let arc = tree[index]
            if let crossing = leg.crossing(arc) {
                consider((crossing.point, crossing.fraction, 0))
            } else {
                consider((leg.start, 0, Arc.squaredChord(arc.a, arc.b, to: leg.start)))
                consider((leg.end, 1, Arc.squaredChord(arc.a, arc.b, to: leg.end)))
                consider(leg.closest(to: arc.a))
                consider(leg.closest(to: arc.b))
            }
        }
        return best.map {
            Meeting(point: $0.point, fraction: $0.fraction, distance: Sphere.distance(squaredChord: $0.squaredChord))
        }
    }

    private func firstCrossing(_ leg: Leg) -> Meeting? {
        var first: (point: UnitVector, fraction: Double)?
        tree.forEach(meeting: leg.box) { index in
            guard let crossing = leg.crossing(tree[index]), crossing.fraction < first?.fraction ?? 2 else {
                return
            }
            first = crossing
        }
        return first.map { Meeting(point: $0.point, fraction: $0.fraction, distance: .zero) }
    }
}

/// The great-circle arc between two fixes.
private struct Leg {
    let start: UnitVector
    let end: UnitVector
    private let arc: GreatCircleArc?

    init(_ start: UnitVector, _ end: UnitVector) {
        self.start = start
        self.end = end
        arc = GreatCircleArc(from: start, to: end)
    }

    var box: Box { Arc(a: start, b: end).box }

    /// Returns the point of the leg that is closest to a place.
    func closest(to place: UnitVector) -> (point: UnitVector, fraction: Double, squaredChord: Double) {
        if let foot = arc?.closestInteriorPoint(to: place) {
            return (foot.point, foot.fraction, foot.point.squaredChord(to: place))
        }
        let (first, last) = (start.squaredChord(to: place), end.squaredChord(to: place))
        return first <= last ? (start, 0, first) : (end, 1, last)
    }

    /// Returns where the leg crosses or touches an arc, which must be on the same half of the sphere.
    ///
    /// The sides are volumes of differences, so that short legs and arcs lose no digits.
    func crossing(_ arc: Arc) -> (point: UnitVector, fraction: Double)? {
        let (a, b) = (Self.side(start, end, arc.a), Self.side(start, end, arc.b))
        let (s, e) = (Self.side(arc.a, arc.b, start), Self.side(arc.a, arc.b, end))
        guard a * b <= 0, s * e <= 0 else { return nil }
        guard s != 0 || e != 0 else { return overlap(arc) }
        let (before, after) = (abs(s), abs(e))
        let point = UnitVector(
            towardsX: start.x * after + end.x * before, y: start.y * after + end.y * before,
            z: start.z * after + end.z * before, scale: before + after)
        let whole = start.distance(to: end).meters
        guard let point, whole > 0 else { return (start, 0) }
        return (point, min(1, start.distance(to: point).meters / whole))
    }

    /// Returns the first common point of a leg and an arc on one great circle.
    private func overlap(_ arc: Arc) -> (point: UnitVector, fraction: Double)? {
        let tiny = 1e-24
        if Arc.squaredChord(arc.a, arc.b, to: start) <= tiny { return (start, 0) }
        let candidates = [arc.a, arc.b].map { closest(to: $0) }.filter { $0.squaredChord <= tiny }
        return candidates.min { $0.fraction < $1.fraction }.map { ($0.point, $0.fraction) }
    }

    /// Six times the signed volume of the tetrahedron of two points, another, and the centre.
    private static func side(_ a: UnitVector, _ b: UnitVector, _ p: UnitVector) -> Double {
        let (ex, ey, ez) = (b.x - a.x, b.y - a.y, b.z - a.z)
        let (wx, wy, wz) = (p.x - a.x, p.y - a.y, p.z - a.z)
        return wx * (a.y * ez - a.z * ey) + wy * (a.z * ex - a.x * ez) + wz * (a.x * ey - a.y * ex)
    }
}

extension UnitVector {
    /// Creates the point in the direction of a vector whose length is about `scale`.
    fileprivate init?(towardsX x: Double, y: Double, z: Double, scale: Double) {
        self.init(towardsX: x / scale, y: y / scale, z: z / scale)
    }
}
