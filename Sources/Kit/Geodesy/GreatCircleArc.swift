import Glibc

/// The shorter great-circle arc between two points, which is the assumed path between two fixes.
public struct GreatCircleArc: Sendable {
    /// The start of the arc.
    public let start: UnitVector
    /// The end of the arc.
    public let end: UnitVector
    private let normal: UnitVector

    /// Creates the arc between two points.
    ///
    /// Returns `nil` for equal or antipodal points, which have no unique arc.
    public init?(from start: UnitVector, to end: UnitVector) {
        let x = start.y * end.z - start.z * end.y
        let y = start.z * end.x - start.x * end.z
        let z = start.x * end.y - start.y * end.x
        guard let normal = UnitVector(towardsX: x, y: y, z: z) else { return nil }
        self.start = start
        self.end = end
        self.normal = normal
    }

    /// Returns the point strictly between the ends that is closest to a place, or `nil` if an end is the closest point.
    ///
    /// - Returns: the point, and the part of the arc's length before it, 0 ... 1.
    public func closestInteriorPoint(to place: UnitVector) -> (point: UnitVector, fraction: Double)? {
        let height = place.dot(normal)
        guard
            let foot = UnitVector(
                towardsX: place.x - height * normal.x, y: place.y - height * normal.y,
                z: place.z - height * normal.z)
        else { return nil }
        guard Self.turns(from: start, to: foot, about: normal), Self.turns(from: foot, to: end, about: normal)
        else { return nil }
        let whole = start.distance(to: end).meters
        guard whole > 0 else { return nil }
        return (foot, min(1, start.distance(to: foot).meters / whole))
    }

    /// Whether the shorter path from one point to another turns in the positive direction about an axis.
    private static func turns(from a: UnitVector, to b: UnitVector, about axis: UnitVector) -> Bool {
        let x = a.y * b.z - a.z * b.y
        let y = a.z * b.x - a.x * b.z
        let z = a.x * b.y - a.y * b.x
        return x * axis.x + y * axis.y + z * axis.z > 0
    }
}
