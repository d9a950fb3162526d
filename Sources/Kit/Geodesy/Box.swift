/// A box with sides along the axes of the geocentric frame, in units of the earth's radius.
///
/// The bounds have single precision and are rounded outward, so the box is never smaller than its content. A search by
/// boxes may find too much, but never too little.
public struct Box: Hashable, Sendable {
    /// The low corner.
    ///
    /// Its fourth lane is unused and equal in all boxes.
    public var low: SIMD4<Float>
    /// The high corner.
    ///
    /// Its fourth lane is unused and equal in all boxes.
    public var high: SIMD4<Float>

    /// The greatest error of the given places in double precision, in radii: 6 µm.
    ///
    /// This is far above the sum of all rounding errors and far below a metre.
    private static let rounding = 1e-12

    /// Creates a box between two corners, rounded outward.
    public init(minX: Double, minY: Double, minZ: Double, maxX: Double, maxY: Double, maxZ: Double) {
        low = SIMD4(Self.down(minX), Self.down(minY), Self.down(minZ), 0)
        high = SIMD4(Self.up(maxX), Self.up(maxY), Self.up(maxZ), 0)
    }

    /// Creates the box of one point.
    public init(_ point: UnitVector) {
        self.init(
            minX: point.x, minY: point.y, minZ: point.z, maxX: point.x, maxY: point.y, maxZ: point.z)
    }

    /// Creates a box between two corners, without rounding.
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

    /// Returns the smallest box that contains both.
    @inlinable
    public func union(_ other: Box) -> Box {
        Box(
            low: low.replacing(with: other.low, where: other.low .< low),
            high: high.replacing(with: other.high, where: other.high .> high))
    }

    /// Returns the box grown on all sides by a length in radii, rounded outward.
    public func expanded(by margin: Double) -> Box {
        Box(
            minX: Double(low.x) - margin, minY: Double(low.y) - margin, minZ: Double(low.z) - margin,
            maxX: Double(high.x) + margin, maxY: Double(high.y) + margin, maxZ: Double(high.z) + margin)
    }
}
