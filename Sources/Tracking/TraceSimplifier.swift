public import Geodesy
import Glibc
public import Positioning

/// Leaves out points of a trace that a map does not show: each lies within a tolerance of the way drawn without it.
///
/// This is sleeve fitting (Zhao and Saalfeld, *Linear-time sleeve-fitting polyline simplification algorithms*,
/// AutoCarto 13, 1997) on the sphere, point by point in constant memory, with ends that are proven to bound segments
/// and not only lines. From the last point kept, the anchor, each further point admits the bearings that pass it within
/// the cone's share of the tolerance. As long as a point lies on a bearing that all before it admit, and no nearer than
/// the farthest of them, but for the slack, it may end the segment; the first that may not begins the next segment
/// from the point before it.
///
/// Proof of the bound, for a point *p* between the anchor *a* and the end *e*:
/// - Within the tolerance of *a* it is near enough to the segment's begin.
/// - Else the great circle from *a* through *e* passes it within *c*, the cone's share, as sin *c* = sin *d* sin *h* for
///   its distance *d* and the half width *h* < 90° of the bearings it admits. Its foot lies ahead of *a* and no farther
///   than *d*. Where the foot is on the segment, that is all.
/// - Else the foot lies beyond *e* by at most the slack *s*, and *p* from *e* by at most √(*c*² + *s*²), the tolerance:
///   on the sphere the hypotenuse is shorter than on a plane.
///
/// The first and the last point are kept, and both sides of each gap. Time and height have no say.
public struct TraceSimplifier: Sendable {
    /// How far a point that is left out may lie from the great circle between the points kept around it.
    public let tolerance: Distance

    private struct Place {
        var fix: Fix
        var here: UnitVector
    }

    private var anchor: Place?
    /// The point before the next one, where it is not the anchor.
    private var last: Place?
    /// The first bearing that a point has asked for, and what all of them admit, in radians from there.
    private var cone: (middle: Double, low: Double, high: Double)?
    /// How far from the anchor the farthest point is of those that ask for a bearing, in radians.
    private var farthest = 0.0

    /// The part of the tolerance that a point may lie nearer than those before it, as after a little step back.
    ///
    /// The cone has what is left of it.
    private static let slackShare = 0.4
    private static let coneShare = (1 - slackShare * slackShare).squareRoot()
    /// A quarter of the circumference, within which the proof holds; far beyond any leg.
    private static let longest = Double.pi / 2

    /// A simplifier before the first point; a tolerance of 0 keeps all.
    public init(tolerance: Distance) { self.tolerance = tolerance }

    /// Takes the next point of a trace, and adds to `kept` those of which it is certain now that they are kept.
    ///
    /// A point with `beginsSegment` has a gap before it.
    ///
    /// - Complexity: O(1).
    public mutating func take(_ fix: Fix, into kept: inout [Fix]) {
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
            // From an anchor that asks for nothing yet, every point may end the segment.
            _ = extend(to: next)
        }
        last = next
    }

    /// Ends the trace: its last point is kept.
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

    /// Whether the segment may end at a point; if so, further ends must respect it.
    private mutating func extend(to next: Place) -> Bool {
        guard let anchor else { return false }
        let radius = Sphere.radius.meters
        let distance = anchor.here.distance(to: next.here).meters / radius
        let tolerance = tolerance.meters / radius
        guard distance >= farthest - Self.slackShare * tolerance else { return false }
        guard distance < Self.longest else {
            // It is a segment of its own.
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
