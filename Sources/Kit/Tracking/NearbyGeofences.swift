import Geodesy

/// The geofences around a place, searched once for many fixes.
struct NearbyGeofences: Sendable {
    /// The number of times the index has been searched.
    private(set) var searches = 0
    /// The centre of the last search; `nil` if its result has not been kept.
    private var middle: UnitVector?
    /// The distance from the centre, in metres, within which all boundaries are known.
    private var radius = 0.0
    private var numbers: ContiguousArray<Int32> = []
    /// The distance, in metres, by which a search goes beyond the requested reach.
    private var surplus = 500.0

    /// The greatest number of geofences kept, 2 kB for each device.
    ///
    /// If there are more, each fix searches the index.
    private static let maximumCount = 512
    /// The number of geofences below which the next search may go farther.
    ///
    /// Checking so few costs no more than a search.
    private static let few = 16
    private static let maximumSurplus = 8000.0
    /// The least surplus, as a share of the reach.
    ///
    /// With less, the cost of more frequent searches exceeds the gain of fewer geofences.
    private static let leastSurplus = 0.25
    /// A bound that exceeds all rounding errors, in metres.
    private static let tolerance = 0.01

    /// Calls `body` with all geofences whose boundaries are nearer than `reach` metres, and with others.
    ///
    /// - Returns: the distance, in metres, within which all geofences were among them.
    mutating func look(
        from here: UnitVector, reach: Double, in index: GeofenceIndex, _ body: (Int32) -> Void
    ) -> Double {
        if let middle {
            let gone = Sphere.maximumDistance(squaredChord: middle.squaredChord(to: here)).meters
            if gone + reach <= radius {
                for number in numbers { body(number) }
                return radius - gone
            }
        }
        return search(from: here, reach: reach, in: index, body)
    }

    private mutating func search(
        from here: UnitVector, reach: Double, in index: GeofenceIndex, _ body: (Int32) -> Void
    ) -> Double {
        searches += 1
        surplus = max(surplus, reach * Self.leastSurplus)
        radius = reach + surplus
        numbers.removeAll(keepingCapacity: true)
        var found = 0
        index.forEachCandidate(in: Box(here).expanded(by: (radius + Self.tolerance) / Sphere.radius.meters)) { number in
            found += 1
            if found <= Self.maximumCount { numbers.append(number) }
            body(number)
        }
        middle = found <= Self.maximumCount ? here : nil
        let known = radius
        if found < Self.few {
            surplus = min(surplus * 2, Self.maximumSurplus)
        } else if found > 4 * Self.few {
            surplus /= 2
        }
        return known
    }

    /// Discards the result of the last search, so that the next look searches again.
    mutating func forget() { middle = nil }
}
