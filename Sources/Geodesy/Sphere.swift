import Glibc

/// The mean sphere of the earth, on which "within so many metres" is decided.
///
/// "Nearer than r" is a comparison of squared chords: the straight line through the sphere grows with the
/// great-circle distance, so no trigonometry is needed for it.
public enum Sphere {
    /// The mean radius (2a + b) / 3 of WGS 84; a great-circle distance on it differs from the geodesic by at most
    /// 0.6 %.
    public static let radius = Distance(meters: 6_371_008.8)

    /// The greatest distance there is: half the circumference.
    public static let greatestDistance = Distance(meters: radius.meters * .pi)

    /// The square of the chord of a great-circle distance; beyond half the circumference it is that of the
    /// antipode, 4.
    public static func squaredChord(distance: Distance) -> Double {
        guard distance.meters > 0 else { return 0 }
        guard distance < greatestDistance else { return 4 }
        let half = sin(distance.meters / (2 * radius.meters))
        return 4 * half * half
    }

    /// The great-circle distance of a squared chord.
    public static func distance(squaredChord: Double) -> Distance {
        let half = min(1, max(0, squaredChord).squareRoot() / 2)
        return Distance(meters: 2 * radius.meters * asin(half))
    }

    /// The great-circle distance between two places.
    ///
    /// Places within a twentieth of a degree of each other, and not beyond 80 degrees of latitude, are taken to lie on
    /// a plane: right to a 500,000th. Constant time.
    public static func distance(from start: Coordinate, to end: Coordinate) -> Distance {
        guard let near = NearPlaces(start, end) else {
            return UnitVector(start).distance(to: UnitVector(end))
        }
        let east = cos(near.latitude) * near.longitudeDifference
        return Distance(
            meters: radius.meters
                * (near.latitudeDifference * near.latitudeDifference + east * east).squareRoot())
    }

    /// No more than the distance of a squared chord, and less by at most a 24th of its part of the squared radius:
    /// the chord, which needs no trigonometry.
    @inlinable
    public static func leastDistance(squaredChord: Double) -> Distance {
        Distance(meters: squaredChord.squareRoot() * radius.meters * (1 - rounding))
    }

    /// No less than the distance of a squared chord *c*², and more by less than a hundredth of *c*³ where *c* ≤ 1, in
    /// radii, without trigonometry.
    ///
    /// There 2 asin(*c* / 2) = *c* + *c*³ / 24 + 3 *c*⁵ / 640 + … ≤ *c* + *c*³ / 20, with equality at none but 0 as the
    /// tail grows with *c* and the bound holds at 1. Beyond, an arc is at most π / 2 times its chord.
    @inlinable
    public static func mostDistance(squaredChord: Double) -> Distance {
        let bend = squaredChord <= 1 ? squaredChord / 20 : .pi / 2 - 1
        return Distance(meters: squaredChord.squareRoot() * radius.meters * (1 + rounding + bend))
    }

    /// Far above all rounding of these functions, relative.
    @usableFromInline static let rounding = 1e-12
}
