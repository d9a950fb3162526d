#if Fleet
import FleetStore
import Time

/// What a fleet's log and trips have, beside what they should have.
struct FleetCount: Equatable {
    private(set) var events = 0
    private(set) var lostEvents = 0
    private(set) var doubledEvents = 0
    private(set) var points = 0
    private(set) var lostPoints = 0
    private(set) var doubledPoints = 0
    /// The devices whose events have another order.
    private(set) var disordered = 0

    /// Whether every fix has its effect once.
    var isExact: Bool {
        lostEvents == 0 && doubledEvents == 0 && lostPoints == 0 && doubledPoints == 0 && disordered == 0
    }

    /// Creates a count of nothing.
    init() {}

    /// Adds a device's events, in the order of the log.
    mutating func add(events found: [String], expected: [String]) {
        events += found.count
        let (lost, doubled) = Self.difference(expected, found)
        lostEvents += lost
        doubledEvents += doubled
        if lost == 0, doubled == 0, found != expected { disordered += 1 }
    }

    /// Adds the points of a trip.
    mutating func add(points found: [Timestamp], expected: [Timestamp]) {
        points += found.count
        let (lost, doubled) = Self.difference(expected, found)
        lostPoints += lost
        doubledPoints += doubled
    }

    /// How many elements of the first list the second has too few times, and too many times.
    private static func difference<Element: Hashable>(
        _ expected: [Element], _ found: [Element]
    ) -> (lost: Int, doubled: Int) {
        var counts: [Element: Int] = [:]
        for one in expected { counts[one, default: 0] += 1 }
        for one in found { counts[one, default: 0] -= 1 }
        return counts.values.reduce(into: (0, 0)) { sum, count in
            sum.0 += max(0, count)
            sum.1 += max(0, -count)
        }
    }
}
#endif
