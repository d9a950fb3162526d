import Glibc

/// The shorter great-circle arc between two points: the way assumed between two fixes.
public struct GreatCircleArc: Sendable {
    /// Where the arc begins.
    public let start: UnitVector
    /// Where it ends.
    public let end: UnitVector
    private let normal: UnitVector

    /// The arc between two points, or nil where there is no single one: equal or antipodal points.
    public init?(from start: UnitVector, to end: UnitVector) {
        let x = start.y * end.z - start.z * end.y
        let y = start.z * end.x - start.x * end.z
        let z = start.x * end.y - start.y * end.x
        guard let normal = UnitVector(towardsX: x, y: y, z: z) else { return nil }
        self.start = start
        self.end = end
        self.normal = normal
    }

    /// The point strictly between the ends that is closest to a place, and how far along it lies; nil where an end
    /// is the closest point.
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

    /// Whether the shorter way from one point to another turns positively about an axis.
    private static func turns(from a: UnitVector, to b: UnitVector, about axis: UnitVector) -> Bool {
        let x = a.y * b.z - a.z * b.y
        let y = a.z * b.x - a.x * b.z
        let z = a.x * b.y - a.y * b.x
        return x * axis.x + y * axis.y + z * axis.z > 0
    }
}
