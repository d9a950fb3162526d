import Geodesy
import Shapes
import Time

/// Looks ahead of one device and reports the geofences that it will enter if it keeps its course.
///
/// A geofence is ahead if the straight line along the course meets its shape within the ``Lookahead``, both from this
/// fix and from the one before. Without the second condition, every turn would sweep the course over everything around.
/// The engine reports each tier once per approach. An approach ends when the device enters the geofence, or when the
/// distance to the boundary exceeds 1.25 times both the reach of the lookahead and the distance at the first report.
///
/// Most fixes cost one comparison, because no boundary is within reach on any course. Most others cost a look at the
/// geofences that the last search found. These short cuts do not change the results, so they are not saved.
struct ApproachEngine: Sendable {
    /// A fix as the engine sees it.
    struct MovingFix {
        var time: Timestamp
        var place: Coordinate
        var here: UnitVector
        var speed: Speed?
        var track: Angle?
        /// Whether the path from the previous fix is unknown.
        var isApart = false
    }

    /// A geofence whose approach has been reported.
    struct Approach {
        var number: Int32
        var tier: Int
        /// The distance to its boundary when it was first reported, in metres.
        var gap: Double
    }

    /// The place and course of a device at one fix.
    struct Heading: Codable, Hashable {
        var place: Coordinate
        var course: Angle
    }

    // The fields that the fast path reads come first.

    /// The area in which no boundary is within reach, if the reach is at most ``calmReach``.
    private var calm = Vicinity.nowhere
    private var calmReach = 0.0
    var seenRevision: Int64 = -1
    var approaches: [Approach] = []
    /// The last course, and where the device was.
    var heading: Heading?
    /// The start of the current leg.
    ///
    /// The leg's end gives the course of a device that does not report one.
    var base: (time: Timestamp, place: Coordinate)?

    private var nearbyGeofences = NearbyGeofences()
    /// The number of exact looks at shapes other than circles, by which tests know how the cost grows.
    var looks = 0
    /// The name of the device.
    private let device: String

    /// Creates the engine of a device about which nothing is known.
    init(device: String = "") { self.device = device }

    /// The number of times the index has been searched.
    var searches: Int { nearbyGeofences.searches }

    /// The factor by which a boundary must be farther away for its approach to end.
    private static let hysteresis = 1.25
    /// The factor by which the lookahead may grow with the device's speed before a calm ends.
    static let calmGain = 1.25
    /// A bound that exceeds all rounding errors, in metres.
    private static let tolerance = 0.01

    /// Processes the next fix, and calls `emit` with each geofence to report as approached, in no particular order.
    ///
    /// - Parameter isInside: returns whether the device is inside the geofence with a number. If this changes for any
    ///   geofence, call ``reconsider()`` first.
    /// - Complexity: O(1) if nothing is within reach, otherwise that of a search in the index.
    mutating func advance(
        _ step: MovingFix, in index: GeofenceIndex, lookahead: Lookahead, isInside: (Int32) -> Bool,
        emit: (Event.GeofenceSighting, Event.Approach) -> Void
    ) {
        if index.revision != seenRevision { follow(index) }
        if !approaches.isEmpty { approaches.removeAll { isInside($0.number) } }
        guard let (course, speed) = motion(step) else { return }
        let before = heading
        heading = Heading(place: step.place, course: course)
        let reach = lookahead.far.reach(at: speed).meters
        guard let before, !approaches.isEmpty || reach > calmReach || !calm.holds(step.place) else { return }
        conclude(from: step.here, reach: reach, in: index)

        let here = step.here
        let now = GreatCircleCourse(from: here, towards: course)
        let last = GreatCircleCourse(from: UnitVector(before.place), towards: before.course)
        var least = Double.infinity
        var nearbyGeofences = NearbyGeofences()
        swap(&nearbyGeofences, &self.nearbyGeofences)
        defer { swap(&nearbyGeofences, &self.nearbyGeofences) }
        let known = nearbyGeofences.look(from: here, reach: reach * Self.calmGain, in: index) { number in
            let fence = index.fences[Int(number)]
            guard fence.isCircle else {
                guard !isInside(number) else { return }
                let seen = look(at: number, fence, in: index, step, now: now, last: last, reach: reach)
                least = min(least, seen.gap)
                guard let standing = seen.standing, let outline = index.outline(number), standing.gap <= reach,
                    index.watch(fence).map({ $0.state(at: step.time, of: device) == .watched }) ?? true,
                    last.meets(outline.shape, within: reach + now.start.distance(to: last.start).meters),
                    let way = now.distance(to: outline.shape, within: reach),
                    let tier = lookahead.tier(at: way, speed: speed, isNew: isNew(number)),
                    note(number, tier: tier, gap: standing.gap)
                else { return }
                let bearing = here.bearing(to: outline.shape.nearestPoint(to: here))
                emit(
                    Event.GeofenceSighting(geofence: index.geofence(number), edge: .meters(-standing.gap)),
                    Event.Approach(
                        tier: tier, eta: way.meters / speed.metersPerSecond, bearing: bearing,
                        side: Event.Side(of: bearing, seenOn: course)))
                return
            }
            let squared = fence.center.squaredChord(to: here)
            let gap = Sphere.minimumDistance(squaredChord: squared).meters - fence.radius.meters
            guard gap < least || gap <= reach, !isInside(number) else { return }
            least = min(least, gap)
            guard gap <= reach, index.watch(fence).map({ $0.state(at: step.time, of: device) == .watched }) ?? true,
                now.meets(fence.center, squaredRadius: fence.squaredRadius),
                last.meets(fence.center, squaredRadius: fence.squaredRadius),
                let way = now.distance(
                    toCircleAround: fence.center, radius: fence.radius, squaredRadius: fence.squaredRadius),
                let tier = lookahead.tier(at: way, speed: speed, isNew: isNew(number)),
                note(number, tier: tier, gap: gap)
            else { return }
            let bearing = here.bearing(to: fence.center)
            emit(
                Event.GeofenceSighting(
                    geofence: index.geofence(number), distance: Sphere.distance(squaredChord: squared)),
                Event.Approach(
                    tier: tier, eta: way.meters / speed.metersPerSecond, bearing: bearing,
                    side: Event.Side(of: bearing, seenOn: course)))
        }
        calmReach = reach * Self.calmGain
        calm = Vicinity(of: step.place, radius: .meters(min(least, known) - calmReach - Self.tolerance))
    }

    /// Forgets the course, because the device is standing still whatever its fixes report.
    mutating func rest() { (heading, base) = (nil, nil) }

    /// Examines all geofences again at the next fix, because the device has entered or left one, or the settings
    /// changed.
    mutating func reconsider() { calm = .nowhere }

    /// Adopts the changes of the index: approaches to moved or removed geofences end.
    private mutating func follow(_ index: GeofenceIndex) {
        approaches.removeAll {
            let fence = index.fences[Int($0.number)]
            return fence.isRemoved || fence.revision > seenRevision
        }
        seenRevision = index.revision
        nearbyGeofences.forget()
        reconsider()
    }

    /// Ends the approaches to geofences that the device has left behind.
    private mutating func conclude(from here: UnitVector, reach: Double, in index: GeofenceIndex) {
        approaches.removeAll {
            let fence = index.fences[Int($0.number)]
            if !fence.isCircle {
                return Self.isBeyond(Self.hysteresis * max(reach, $0.gap), of: $0.number, fence, here, in: index)
            }
            let gap = fence.center.distance(to: here).meters - fence.radius.meters
            return gap > Self.hysteresis * max(reach, $0.gap)
        }
    }

    /// Whether no approach to a geofence has been reported yet.
    private func isNew(_ number: Int32) -> Bool { !approaches.contains { $0.number == number } }

    /// Returns whether a tier of an approach is still to be reported, and records it as reported.
    private mutating func note(_ number: Int32, tier: Int, gap: Double) -> Bool {
        guard let index = approaches.firstIndex(where: { $0.number == number }) else {
            approaches.append(Approach(number: number, tier: tier, gap: gap))
            return true
        }
        guard approaches[index].tier < tier else { return false }
        approaches[index].tier = tier
        return true
    }
}
