public import Geodesy

extension RTree {
    /// A spherical cap and its number.
    public struct Element: Hashable, Sendable {
        /// The centre, and in the fourth lane the squared chord within which the whole cap lies.
        let cap: SIMD4<Float>
        /// The caller's number.
        ///
        /// No two elements of an index may have both the same number and the same cap.
        public let number: Int32

        /// The greatest distance by which rounding moves a centre: half a unit in the last place of each coordinate.
        static let rounding = 5.2e-8

        /// Creates the cap of all points whose chord to `center` is at most the square root of `squaredRadius`.
        ///
        /// See ``Sphere/squaredChord(distance:)``.
        public init(center: UnitVector, squaredRadius: Double, number: Int32) {
            cap = SIMD4(
                Float(center.x), Float(center.y), Float(center.z), Self.squareRoundedUp(squaredRadius))
            self.number = number
        }

        init(cap: SIMD4<Float>, number: Int32) {
            self.cap = cap
            self.number = number
        }

        /// Returns the squared radius around a rounded centre that includes the given one around the exact centre.
        @inline(__always)
        static func squareRoundedUp(_ square: Double) -> Float {
            let length = square.squareRoot() + rounding
            return Float(length * length).nextUp
        }

        /// The bounding boxes of the cap and of its centre.
        ///
        /// Along an axis, a cap of angular radius ρ whose centre is at the angle θ to the axis reaches from cos(θ + ρ)
        /// to cos(θ − ρ), or to ±1 if the axis pierces the cap. With the chord r = 2 sin(ρ/2), both are within
        /// sin θ r + |cos θ| r²/2 of cos θ. For the first this follows from the addition theorem and sin ρ ≤ r. For the
        /// second it follows from r ≥ sin θ, because the axis is within reach.
        var bounds: Bounds {
            let (middle, square) = (SIMD4(cap.x, cap.y, cap.z, 0), cap.w)
            // The centre's coordinates err by 3e-8, and their squares and the difference by 6e-8 more each.
            let across = (1.0000002 - middle * middle).squareRoot()
            let length = middle.replacing(with: -middle, where: middle .< .zero)
            var reach = (across * square.squareRoot() + length * (square / 2)) * 1.000001 + 1e-7
            reach.w = 0
            return Bounds(caps: Box(low: middle - reach, high: middle + reach), middles: Box(low: middle, high: middle))
        }
    }
}
