import Glibc

/// Everything within a great-circle distance of a place.
public struct SphericalCap: Sendable {
    /// The middle.
    public let center: UnitVector
    /// The great-circle radius.
    public let radius: Distance

    /// Everything within `radius` of `center`.
    public init(center: UnitVector, radius: Distance) {
        self.center = center
        self.radius = radius
    }

    /// The smallest box with sides along the axes that holds the cap, rounded outward to single precision.
    ///
    /// Along an axis, a cap of angular radius ρ whose centre stands at angle θ to it reaches from cos(θ + ρ) to
    /// cos(θ − ρ), and to ±1 where the axis itself pierces it.
    public var box: Box {
        let angle = min(.pi, max(0, radius.meters) / Sphere.radius.meters)
        let (sine, cosine) = (sin(angle), cos(angle))
        func reach(_ component: Double) -> (Double, Double) {
            let across = max(0, 1 - component * component).squareRoot()
            let high = component >= cosine ? 1 : component * cosine + across * sine
            let low = -component >= cosine ? -1 : component * cosine - across * sine
            return (low, high)
        }
        let (x, y, z) = (reach(center.x), reach(center.y), reach(center.z))
        return Box(
            minX: x.0, minY: y.0, minZ: z.0, maxX: x.1, maxY: y.1, maxZ: z.1)
    }
}
