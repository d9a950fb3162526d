import Geodesy

/// The geofences about a place, found once for many fixes.
struct Surroundings: Sendable {
    /// How many times the index has been searched.
    private(set) var searches = 0
    /// Where they were searched for; nil where what was found has not been kept.
    private var middle: UnitVector?
    /// All are known whose borders are nearer to the middle than this, in metres.
    private var radius = 0.0
    private var numbers: ContiguousArray<Int32> = []
    /// How far beyond what is asked for a search reaches, in metres.
    private var surplus = 500.0

    /// The most that are kept, 2 kB a device; among more, each fix searches.
    private static let most = 512
    /// So few do not cost more than a search: the next one may reach farther.
    private static let few = 16
    private static let mostSurplus = 8000.0
    /// A share of the reach: less would search more often than it makes what is found fewer.
    private static let leastSurplus = 0.25
    /// More than all rounding, in metres.
    private static let tolerance = 0.01

    /// Calls `body` with the geofences whose borders are nearer than `reach` metres, and with others.
    ///
    /// - Returns: within how many metres all have been among them.
    mutating func look(
        from here: UnitVector, reach: Double, in index: GeofenceIndex, _ body: (Int32) -> Void
    ) -> Double {
        if let middle {
            let gone = Sphere.mostDistance(squaredChord: middle.squaredChord(to: here)).meters
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
            if found <= Self.most { numbers.append(number) }
            body(number)
        }
        middle = found <= Self.most ? here : nil
        let known = radius
        if found < Self.few {
            surplus = min(surplus * 2, Self.mostSurplus)
        } else if found > 4 * Self.few {
            surplus /= 2
        }
        return known
    }

    /// Searches at the next look.
    mutating func forget() { middle = nil }
}
