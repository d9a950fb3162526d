import Geodesy
import Shapes

/// Looks at geofences of other shapes than circles only where the answer depends on the shape.
///
/// Most are passed over by their *cap*, a circle that holds the shape: a device outside of it is at least as far from the
/// shape as from the cap, and a course that misses the cap misses the shape.
extension ApproachEngine {
    /// What a look at a shape has shown.
    struct OutlineLook {
        /// At most the distance to the boundary, in metres.
        var gap: Double
        /// How the device stands to the shape; `nil` if the shape cannot be reported now.
        var standing: Shape.Standing?
    }

    /// How far beyond the reach a shape is looked at, in metres.
    ///
    /// It bounds the calm that a look at a shape gives, and keeps a look from afar at a large shape cheap.
    private static let outlook = 1000.0

    /// Looks at a shape that the device is not inside.
    ///
    /// - Parameters:
    ///   - now: the course from the fix.
    ///   - last: the course from the fix before.
    ///   - reach: how far the lookahead reaches, in metres.
    /// - Complexity: O(1) if the cap decides, otherwise as ``Shape/standing(_:at:within:)``.
    mutating func look(
        at number: Int32, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, _ step: MovingFix,
        now: GreatCircleCourse, last: GreatCircleCourse, reach: Double
    ) -> OutlineLook {
        if let gap = Self.gap(toCapOf: fence, from: now.start),
            gap > reach || Self.misses(now, fence) || Self.misses(last, fence)
        {
            return OutlineLook(gap: gap)
        }
        // Nothing is left to report, and while an approach lasts, there is no calm.
        if approaches.contains(where: { $0.number == number && $0.tier == Self.lastTier }) {
            return OutlineLook(gap: 0)
        }
        guard let outline = index.outline(number) else { return OutlineLook(gap: .infinity) }
        looks += 1
        let standing = outline.shape.standing(
            step.place, at: step.here, within: .meters(reach * Self.calmGain + Self.outlook))
        return OutlineLook(gap: standing.gap, standing: standing)
    }

    private static let lastTier = 2

    /// Returns a lower bound, greater than 0, of the distance to the cap of a shape in metres; `nil` in the cap or too
    /// close to it.
    private static func gap(toCapOf fence: GeofenceIndex.Fence, from here: UnitVector) -> Double? {
        let gap =
            Sphere.minimumDistance(squaredChord: fence.center.squaredChord(to: here))
            - Sphere.maximumDistance(squaredChord: fence.squaredRadius)
        return gap > .zero ? gap.meters : nil
    }

    /// Whether a course surely misses the cap of a shape, and starts outside of it.
    private static func misses(_ course: GreatCircleCourse, _ fence: GeofenceIndex.Fence) -> Bool {
        // The test of the course is for circles smaller than half the sphere.
        fence.squaredRadius < 2 && fence.center.squaredChord(to: course.start) > fence.squaredRadius
            && !course.meets(fence.center, squaredRadius: fence.squaredRadius)
    }

    /// Whether a place is farther than a limit in metres from the boundary of a shape.
    static func isBeyond(
        _ limit: Double, of number: Int32, _ fence: GeofenceIndex.Fence, _ here: UnitVector, in index: GeofenceIndex
    ) -> Bool {
        if let gap = gap(toCapOf: fence, from: here), gap > limit { return true }
        guard let outline = index.outline(number) else { return true }
        return outline.shape.standing(Coordinate(here), at: here, within: .meters(limit + 1)).gap > limit
    }
}
