import Glibc

/// The WGS 84 ellipsoid, on which the lengths of tracks are measured.
public enum Ellipsoid {
    /// The semi-major axis a in metres (NIMA TR8350.2).
    public static let semiMajorAxis = 6_378_137.0
    /// The flattening f (NIMA TR8350.2).
    public static let flattening = 1 / 298.257223563

    /// Returns the length of the geodesic between two places.
    ///
    /// This is Lambert's formula for long lines: the great circle between reduced latitudes, with a first-order
    /// correction for the flattening. The relative error is below 0.002 % up to 15,000 km and below 0.05 % within 50 km
    /// of the antipode. Places within a twentieth of a degree of each other, and not beyond 80 degrees of latitude,
    /// count as lying on a plane, which is as accurate.
    ///
    /// - Complexity: O(1).
    /// - SeeAlso: W. D. Lambert, *The distance between two widely separated points on the surface of the earth*,
    ///   Journal of the Washington Academy of Sciences 32 (5), 1942.
    public static func distance(from start: Coordinate, to end: Coordinate) -> Distance {
        NearPlaces(start, end).map(distance) ?? greatCircleDistance(from: start, to: end)
    }

    /// Returns the distance on the plane defined by the radii of curvature at the mean latitude.
    ///
    /// For a twentieth of a degree, the relative error is at most 1/300,000.
    private static func distance(_ near: NearPlaces) -> Distance {
        let (sine, cosine) = (sin(near.latitude), cos(near.latitude))
        let squaredEccentricity = flattening * (2 - flattening)
        let bend = 1 - squaredEccentricity * sine * sine
        let primeVertical = semiMajorAxis / bend.squareRoot()
        let north = primeVertical * (1 - squaredEccentricity) / bend * near.latitudeDifference
        let east = primeVertical * cosine * near.longitudeDifference
        return Distance(meters: (north * north + east * east).squareRoot())
    }

    /// Returns the length of the geodesic between two places by Lambert's formula, however near they are.
    ///
    /// It is as accurate as ``distance(from:to:)``, but slower: it takes seven trigonometric functions.
    public static func greatCircleDistance(from start: Coordinate, to end: Coordinate) -> Distance {
        let squash = 1 - flattening
        let startLatitude = atan(squash * tan(start.latitude * .pi / 180))
        let endLatitude = atan(squash * tan(end.latitude * .pi / 180))
        // The integer units are subtracted first, so that near places lose no digits.
        let latitudeSine = sin((endLatitude - startLatitude) / 2)
        let turn = Double(Int64(end.longitudeE7) - Int64(start.longitudeE7)) / Coordinate.unitsPerDegree
        let longitudeSine = sin(turn * .pi / 360)
        let haversine =
            latitudeSine * latitudeSine
            + cos(startLatitude) * cos(endLatitude) * longitudeSine * longitudeSine
        guard haversine > 0 else { return .zero }
        let clamped = min(1, haversine)
        let angle = 2 * asin(clamped.squareRoot())
        let meanSine = sin((startLatitude + endLatitude) / 2)
        let meanCosine = cos((startLatitude + endLatitude) / 2)
        let differenceCosine = cos((endLatitude - startLatitude) / 2)
        let sineOfAngle = sin(angle)
        var correction = 0.0
        if clamped < 1 {
            let across = meanSine * differenceCosine
            correction += (angle - sineOfAngle) * across * across / (1 - clamped)
        }
        let along = meanCosine * latitudeSine
        correction += (angle + sineOfAngle) * along * along / clamped
        return Distance(meters: semiMajorAxis * (angle - flattening / 2 * correction))
    }
}
