import Synchronization
import Time

/// The people who look at the page of a plan now.
///
/// It is kept in memory alone: nobody can ask who looked when, and a restart forgets it. A page says again and again that
/// it is looked at; whoever has not been heard of for ``span`` is gone.
final class PlanLookers: Sendable {
    /// How long a look counts, in milliseconds.
    static let span: Int64 = 40_000
    /// The most people who are kept of one plan.
    static let maximumPerPlan = 50
    /// The most plans that are kept.
    static let maximumPlans = 1000

    /// When each person last looked, by plan and person.
    private let looks = Mutex<[Int64: [Int64: Timestamp]]>([:])

    /// Notes that a person looks at a plan, or no longer does.
    ///
    /// - Returns: The other people who look at it, sorted.
    /// - Complexity: O(*n*) for *n* people who look at the plan, and for all plans if there are ``maximumPlans``.
    func look(_ person: Int64, at plan: Int64, now: Timestamp, isLeaving: Bool = false) -> [Int64] {
        looks.withLock { looks in
            if looks.count >= Self.maximumPlans, looks[plan] == nil {
                looks = looks.mapValues { Self.current($0, at: now) }.filter { !$0.value.isEmpty }
            }
            var people = Self.current(looks[plan] ?? [:], at: now)
            people[person] = nil
            let others = people.keys.sorted()
            let hasRoom = looks[plan] != nil || looks.count < Self.maximumPlans
            if !isLeaving, hasRoom, people.count < Self.maximumPerPlan { people[person] = now }
            looks[plan] = people.isEmpty ? nil : people
            return others
        }
    }

    /// Returns the looks that still count; those after `now` are from before the clock was set back.
    private static func current(_ people: [Int64: Timestamp], at now: Timestamp) -> [Int64: Timestamp] {
        people.filter { $0.value <= now && now.milliseconds - $0.value.milliseconds < span }
    }
}
