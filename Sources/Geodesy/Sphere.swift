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
}
