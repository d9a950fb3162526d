import Glibc

/// The mean sphere of the earth, on which all "within a distance" decisions are made.
///
/// "Nearer than r" is a comparison of squared chords. The chord, the straight line through the sphere, grows with the
/// great-circle distance, so the comparison needs no trigonometry.
public enum Sphere {
    /// The mean radius (2a + b) / 3 of WGS 84.
    ///
    /// A great-circle distance on this sphere differs from the geodesic by at most 0.6 %.
    public static let radius = Distance(meters: 6_371_008.8)

    /// The greatest distance on the sphere, half the circumference.
    public static let greatestDistance = Distance(meters: radius.meters * .pi)

    /// Returns the squared chord of a great-circle distance.
    ///
    /// From half the circumference on, it is that of the antipode, 4.
    public static func squaredChord(distance: Distance) -> Double {
        guard distance.meters > 0 else { return 0 }
        guard distance < greatestDistance else { return 4 }
        let half = sin(distance.meters / (2 * radius.meters))
        return 4 * half * half
    }

    /// Returns the great-circle distance of a squared chord.
    public static func distance(squaredChord: Double) -> Distance {
        let half = min(1, max(0, squaredChord).squareRoot() / 2)
        return Distance(meters: 2 * radius.meters * asin(half))
    }

    /// Returns the great-circle distance between two places.
    ///
    /// Places within a twentieth of a degree of each other, and not beyond 80 degrees of latitude, count as lying on a
    /// plane, with a relative error of at most 1/500,000.
    ///
    /// - Complexity: O(1).
    public static func distance(from start: Coordinate, to end: Coordinate) -> Distance {
        guard let near = NearPlaces(start, end) else {
            return UnitVector(start).distance(to: UnitVector(end))
        }
        let east = cos(near.latitude) * near.longitudeDifference
        return Distance(
            meters: radius.meters
                * (near.latitudeDifference * near.latitudeDifference + east * east).squareRoot())
    }

    /// Returns a lower bound of the distance of a squared chord: the chord, without trigonometry.
    ///
    /// Its relative error is at most a 24th of the squared distance in radii.
    @inlinable
    public static func minimumDistance(squaredChord: Double) -> Distance {
        Distance(meters: squaredChord.squareRoot() * radius.meters * (1 - rounding))
    }

    /// Returns an upper bound of the distance of a squared chord *c*², without trigonometry.
    ///
    /// For *c* ≤ 1 the error is less than a hundredth of *c*³, in radii. In this range 2 asin(*c* / 2) =
    /// *c* + *c*³ / 24 + 3 *c*⁵ / 640 + … ≤ *c* + *c*³ / 20, with equality only at 0, because the tail grows with *c*
    /// and the bound holds at 1. Beyond, an arc is at most π / 2 times its chord.
    @inlinable
    public static func maximumDistance(squaredChord: Double) -> Distance {
        let bend = squaredChord <= 1 ? squaredChord / 20 : .pi / 2 - 1
        return Distance(meters: squaredChord.squareRoot() * radius.meters * (1 + rounding + bend))
    }

    /// A relative error far above all rounding errors of these functions.
    @usableFromInline static let rounding = 1e-12
}
