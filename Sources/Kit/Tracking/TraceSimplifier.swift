public import Geodesy
import Glibc
public import Positioning

/// Drops the points of a trace that a map does not need.
///
/// Each dropped point lies within a tolerance of the line drawn without it.
///
/// This is sleeve fitting (Zhao and Saalfeld, *Linear-time sleeve-fitting polyline simplification algorithms*,
/// AutoCarto 13, 1997), adapted to the sphere. It works point by point in constant memory, and its bound holds for
/// segments, not only for lines. The last kept point is the anchor. Each further point admits the bearings from the
/// anchor that pass it within the cone's share of the tolerance. A point may end the segment if all points before it
/// admit its bearing, and if it is no nearer than the farthest of them, less a slack. The first point that may not end
/// the segment starts the next one from the point before it.
///
/// Proof of the bound, for a point *p* between the anchor *a* and the end *e*:
/// - If *p* is within the tolerance of *a*, it is near enough to the start of the segment.
/// - Otherwise the great circle from *a* through *e* passes *p* within *c*, the cone's share, as
///   sin *c* = sin *d* sin *h* for the distance *d* of *p* and the half width *h* < 90° of the bearings it admits. Its
///   foot lies ahead of *a* and no farther than *d*. If the foot is on the segment, this proves the bound.
/// - If the foot lies beyond *e*, it does so by at most the slack *s*, and *p* is at most √(*c*² + *s*²), the
///   tolerance, from *e*: on the sphere the hypotenuse is shorter than on a plane.
///
/// The first and the last point are kept, and both sides of each gap. Time and height are ignored.
public struct TraceSimplifier: Sendable {
    /// The greatest distance of a dropped point from the great circle between the points kept around it.
    public let tolerance: Distance

    private struct Place {
        var fix: Fix
        var here: UnitVector
    }

    private var anchor: Place?
    /// The point before the next one, if it is not the anchor.
    private var last: Place?
    /// The bearing of the first point that narrows the cone, and the turns from it that all points admit, in radians.
    private var cone: (middle: Double, low: Double, high: Double)?
    /// The distance from the anchor of the farthest point that narrows the cone, in radians.
    private var farthest = 0.0

    /// The share of the tolerance by which a point may be nearer than those before it, as after a small step back.
    ///
    /// The cone gets the rest of the tolerance.
    private static let slackShare = 0.4
    private static let coneShare = (1 - slackShare * slackShare).squareRoot()
    /// A quarter of the circumference, within which the proof holds.
    ///
    /// It is far longer than any leg.
    private static let longest = Double.pi / 2

    /// Creates a simplifier.
    ///
    /// A tolerance of 0 keeps all points.
    public init(tolerance: Distance) { self.tolerance = tolerance }

    /// Processes the next point of a trace, and appends to `kept` the points that are now certain to be kept.
    ///
    /// A point with `beginsSegment` has a gap before it.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ fix: Fix, into kept: inout [Fix]) {
        guard tolerance > .zero else { return kept.append(fix) }
        let next = Place(fix: fix, here: UnitVector(fix.coordinate))
        guard anchor != nil, !fix.beginsSegment else {
            finish(into: &kept)
            kept.append(fix)
            return begin(at: next)
        }
        if !extend(to: next), let last {
            kept.append(last.fix)
            begin(at: last)
            // The new anchor's cone is still open, so every point may end the segment.
            _ = extend(to: next)
        }
        last = next
    }

    /// Ends the trace, and appends its last point to `kept`.
    public mutating func finish(into kept: inout [Fix]) {
        if let last { kept.append(last.fix) }
        anchor = nil
        last = nil
    }

    private mutating func begin(at place: Place) {
        anchor = place
        last = nil
        cone = nil
        farthest = 0
    }

    /// Returns whether the segment may end at a point.
    ///
    /// If so, the point narrows the cone for later ends.
    private mutating func extend(to next: Place) -> Bool {
        guard let anchor else { return false }
        let radius = Sphere.radius.meters
        let distance = anchor.here.distance(to: next.here).meters / radius
        let tolerance = tolerance.meters / radius
        guard distance >= farthest - Self.slackShare * tolerance else { return false }
        guard distance < Self.longest else {
            // The point makes a segment of its own.
            farthest = .infinity
            return last == nil
        }
        if cone == nil, distance <= tolerance { return true }
        let bearing = anchor.here.bearing(to: next.here).degrees * .pi / 180
        var cone = self.cone ?? (bearing, -.infinity, .infinity)
        let turn = remainder(bearing - cone.middle, 2 * .pi)
        guard turn >= cone.low, turn <= cone.high else { return false }
        guard distance > tolerance else { return true }
        let half = asin(min(1, sin(Self.coneShare * tolerance) / sin(distance)))
        cone.low = max(cone.low, turn - half)
        cone.high = min(cone.high, turn + half)
        self.cone = cone
        farthest = max(farthest, distance)
        return true
    }
}
