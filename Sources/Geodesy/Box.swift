/// A box with sides along the axes of the geocentric frame, in units of the earth's radius.
///
/// Bounds are single precision, rounded outward: the box is never smaller than what it was made for, so a search by
/// boxes finds too much, never too little.
public struct Box: Hashable, Sendable {
    /// The low corner; its fourth lane is unused and equal in all boxes.
    public var low: SIMD4<Float>
    /// The high corner; its fourth lane is unused and equal in all boxes.
    public var high: SIMD4<Float>

    /// How far double precision may err in the places that are boxed, in radii: 6 µm, far above the sum of all
    /// rounding and far below a metre.
    private static let rounding = 1e-12

    /// A box between two corners, rounded outward.
    public init(minX: Double, minY: Double, minZ: Double, maxX: Double, maxY: Double, maxZ: Double) {
        low = SIMD4(Self.down(minX), Self.down(minY), Self.down(minZ), 0)
        high = SIMD4(Self.up(maxX), Self.up(maxY), Self.up(maxZ), 0)
    }

    /// The box of one point.
    public init(_ point: UnitVector) {
        self.init(
            minX: point.x, minY: point.y, minZ: point.z, maxX: point.x, maxY: point.y, maxZ: point.z)
    }

    /// A box between two corners that are taken as they are.
    public init(low: SIMD4<Float>, high: SIMD4<Float>) {
        self.low = low
        self.high = high
    }

    private static func down(_ value: Double) -> Float {
        let lower = value - rounding
        let single = Float(lower)
        return Double(single) > lower ? single.nextDown : single
    }

    private static func up(_ value: Double) -> Float {
        let upper = value + rounding
        let single = Float(upper)
        return Double(single) < upper ? single.nextUp : single
    }

    /// The smallest box that holds both.
    @inlinable
    public func union(_ other: Box) -> Box {
        Box(
            low: low.replacing(with: other.low, where: other.low .< low),
            high: high.replacing(with: other.high, where: other.high .> high))
    }

    /// The box grown on all sides by a length in radii, rounded outward.
    public func expanded(by margin: Double) -> Box {
        Box(
            minX: Double(low.x) - margin, minY: Double(low.y) - margin, minZ: Double(low.z) - margin,
            maxX: Double(high.x) + margin, maxY: Double(high.y) + margin, maxZ: Double(high.z) + margin)
    }
}
