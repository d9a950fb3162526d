import Geodesy
import Positioning

/// What lies ahead of one device: tells that it will enter a geofence if it keeps its course.
///
/// A geofence is ahead where the straight way meets its circle within the ``Lookahead``, from this fix and from the one
/// before: else each turn would sweep its course over all that is around. Each tier is told once an approach. An
/// approach is over once the geofence is entered, or its border is a quarter farther than the device looks ahead, and
/// than it was when it was told.
///
/// Most fixes end with a comparison, as nothing is within reach whatever the course; most others with a glance at the
/// geofences that were found last. What is spared changes nothing, and so is not saved.
struct ApproachEngine: Sendable {
    /// A fix as the engine sees it.
    struct MovingFix {
        var time: Timestamp
        var place: Coordinate
        var here: UnitVector
        var speed: Speed?
        var track: Angle?
        /// Whether the way from the step before is not known.
        var isApart = false
    }

    /// A geofence whose approach has been told.
    struct Approach {
        var number: Int32
        var tier: Int
        /// How far its border was when it was told first, in metres.
        var gap: Double
    }

    /// Where and in which direction a device went.
    struct Heading: Codable, Hashable {
        var place: Coordinate
        var course: Angle
    }

    // What the first look needs comes first.

    /// While the device is there and looks no farther than ``calmReach``, no border is within reach.
    private var calm = Vicinity.nowhere
    private var calmReach = 0.0
    var seenRevision: Int64 = -1
    var approaches: [Approach] = []
    /// The last course, and where it was.
    var heading: Heading?
    /// Where the leg begins whose end tells the next course of a device that does not say it.
    var base: (time: Timestamp, place: Coordinate)?

    private var surroundings = Surroundings()
    /// Whose fixes these are.
    private let device: String

    /// The engine of a device of which nothing is known.
    init(device: String = "") { self.device = device }

    /// How many times the index has been searched.
    var searches: Int { surroundings.searches }

    /// How much farther a border must be for the approach to be over.
    private static let hysteresis = 1.25
    /// How much faster a device may get until a calm is over.
    private static let calmGain = 1.25
    /// More than all rounding, in metres.
    private static let tolerance = 0.01

    /// Looks at the next fix, and calls `tell` with what is approached, in no particular order.
    ///
    /// - Parameter isInside: whether the device is inside the geofence of a number; where that changes for any,
    ///   ``reconsider()`` must be called before.
    /// - Complexity: O(1) where nothing is within reach, else that of a search in the index.
    mutating func advance(
        _ step: MovingFix, in index: GeofenceIndex, lookahead: Lookahead, isInside: (Int32) -> Bool,
        tell: (Event.GeofenceSighting, Event.Approach) -> Void
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
        var surroundings = Surroundings()
        swap(&surroundings, &self.surroundings)
        defer { swap(&surroundings, &self.surroundings) }
        let known = surroundings.look(from: here, reach: reach * Self.calmGain, in: index) { number in
            let shape = index.shapes[Int(number)]
            let squared = shape.center.squaredChord(to: here)
            let gap = Sphere.leastDistance(squaredChord: squared).meters - shape.radius.meters
            guard gap < least || gap <= reach, !isInside(number) else { return }
            least = min(least, gap)
            guard gap <= reach, index.watch(shape).map({ $0.state(at: step.time, of: device) == .watched }) ?? true,
                now.meets(shape.center, squaredRadius: shape.squaredRadius),
                last.meets(shape.center, squaredRadius: shape.squaredRadius),
                let way = now.distance(
                    toCircleAround: shape.center, radius: shape.radius, squaredRadius: shape.squaredRadius),
                let tier = lookahead.tier(at: way, speed: speed, isNew: isNew(number)),
                note(number, tier: tier, gap: gap)
            else { return }
            let bearing = here.bearing(to: shape.center)
            tell(
                Event.GeofenceSighting(
                    geofence: index.geofence(number), distance: Sphere.distance(squaredChord: squared)),
                Event.Approach(
                    tier: tier, eta: way.meters / speed.metersPerSecond, bearing: bearing,
                    side: Event.Side(of: bearing, seenOn: course)))
        }
        calmReach = reach * Self.calmGain
        calm = Vicinity(of: step.place, radius: .meters(min(least, known) - calmReach - Self.tolerance))
    }

    /// The device stands, whatever its fixes say.
    mutating func rest() { (heading, base) = (nil, nil) }

    /// Looks at all again at the next fix: the device has entered or left something, or the settings are others.
    mutating func reconsider() { calm = .nowhere }

    /// Geofences that have been moved or removed are not approached any more.
    private mutating func follow(_ index: GeofenceIndex) {
        approaches.removeAll {
            let shape = index.shapes[Int($0.number)]
            return shape.isRemoved || shape.revision > seenRevision
        }
        seenRevision = index.revision
        surroundings.forget()
        reconsider()
    }

    /// Ends the approaches of what has been left behind.
    private mutating func conclude(from here: UnitVector, reach: Double, in index: GeofenceIndex) {
        approaches.removeAll {
            let shape = index.shapes[Int($0.number)]
            let gap = shape.center.distance(to: here).meters - shape.radius.meters
            return gap > Self.hysteresis * max(reach, $0.gap)
        }
    }

    /// Whether nothing has been told of the approach to a geofence.
    private func isNew(_ number: Int32) -> Bool { !approaches.contains { $0.number == number } }

    /// Whether a tier of an approach is still to be told, which it is from now on.
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
