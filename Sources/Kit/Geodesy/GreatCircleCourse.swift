import Glibc

/// The great circle that a device follows if it keeps its present course.
public struct GreatCircleCourse: Sendable {
    /// The start of the course.
    public let start: UnitVector
    private let ahead: UnitVector
    private let right: UnitVector

    /// Creates the course from a point in a direction.
    ///
    /// At a pole, the direction is measured as by ``UnitVector/bearing(to:)``.
    public init(from start: UnitVector, towards course: Angle) {
        let horizontal = (start.x * start.x + start.y * start.y).squareRoot()
        let (cosine, sine) = horizontal > 0 ? (start.x / horizontal, start.y / horizontal) : (1, 0)
        let (east, north) = (sin(course.degrees * .pi / 180), cos(course.degrees * .pi / 180))
        // East is (-sine, cosine, 0), and north is (-z cosine, -z sine, horizontal).
        ahead = UnitVector(
            x: -sine * east - start.z * cosine * north, y: cosine * east - start.z * sine * north,
            z: horizontal * north)
        right = UnitVector(
            x: ahead.y * start.z - ahead.z * start.y, y: ahead.z * start.x - ahead.x * start.z,
            z: ahead.x * start.y - ahead.y * start.x)
        self.start = start
    }

    /// Returns the point of the course at a distance from its start.
    public func point(at distance: Distance) -> UnitVector {
        let angle = distance.meters / Sphere.radius.meters
        let (along, out) = (cos(angle), sin(angle))
        return UnitVector(
            x: start.x * along + ahead.x * out, y: start.y * along + ahead.y * out, z: start.z * along + ahead.z * out)
    }

    /// Whether the course meets a circle whose centre lies ahead, within half the circumference.
    ///
    /// This takes three products and no trigonometry. It returns `false` for circles with a radius of at least a
    /// quarter of the circumference.
    ///
    /// - Parameter squaredRadius: the squared chord of the radius; see ``Sphere``.
    public func meets(_ center: UnitVector, squaredRadius: Double) -> Bool {
        let aside = center.dot(right)
        // sin² r = 4 sin² (r / 2) (1 - sin² (r / 2))
        return squaredRadius < 2 && center.dot(ahead) > 0 && aside * aside <= squaredRadius * (1 - squaredRadius / 4)
    }

    /// Returns the distance along the course to a circle, or `nil` if the course starts inside it or does not meet it.
    ///
    /// In the right triangle of the centre, its foot on the course, and the point where the course meets the circle,
    /// cos *r* = cos *x* cos *h*. Half angles preserve the precision for circles that are small compared with the
    /// earth.
    public func distance(toCircleAround center: UnitVector, radius: Distance, squaredRadius: Double) -> Distance? {
        guard meets(center, squaredRadius: squaredRadius), center.squaredChord(to: start) > squaredRadius else {
            return nil
        }
        let aside = asin(min(1, abs(center.dot(right))))
        let angle = radius.meters / Sphere.radius.meters
        let half = sin((angle + aside) / 2) * sin(max(0, angle - aside) / 2) / cos(aside)
        let foot = atan2(center.dot(ahead), center.dot(start))
        return Distance(meters: max(0, foot - 2 * asin(half.squareRoot())) * Sphere.radius.meters)
    }
}
