public import Geodesy

extension RTree {
    /// A cap and the number it stands for.
    public struct Element: Hashable, Sendable {
        /// The middle, and in the fourth lane the square of the chord within which everything of the cap lies.
        let cap: SIMD4<Float>
        /// What the caller knows it by; no two elements of an index may share it together with their cap.
        public let number: Int32

        /// How far a middle moves at most when its three coordinates are rounded: half a unit in the last place each.
        static let rounding = 5.2e-8

        /// Everything whose straight line to `center` is not longer than the root of `squaredRadius`.
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

        /// The square of the straight line to a rounded middle, where that to the middle itself is given.
        @inline(__always)
        static func squareRoundedUp(_ square: Double) -> Float {
            let length = square.squareRoot() + rounding
            return Float(length * length).nextUp
        }

        /// Boxes of the cap and of its middle.
        ///
        /// Along an axis, a cap of angular radius ρ whose middle m stands at angle θ to it reaches from cos(θ + ρ) to
        /// cos(θ − ρ), or to ±1 where the axis pierces it. With the chord r = 2 sin(ρ/2) both are within
        /// sin θ r + |cos θ| r²/2 of cos θ: for the first that is the addition theorem and sin ρ ≤ r, for the second
        /// r ≥ sin θ, because then the axis is within reach.
        var bounds: Bounds {
            let (middle, square) = (SIMD4(cap.x, cap.y, cap.z, 0), cap.w)
            // The middle's coordinates err by 3e-8, their squares and the difference by 6e-8 more each.
            let across = (1.0000002 - middle * middle).squareRoot()
            let length = middle.replacing(with: -middle, where: middle .< .zero)
            var reach = (across * square.squareRoot() + length * (square / 2)) * 1.000001 + 1e-7
            reach.w = 0
            return Bounds(caps: Box(low: middle - reach, high: middle + reach), middles: Box(low: middle, high: middle))
        }
    }
}
