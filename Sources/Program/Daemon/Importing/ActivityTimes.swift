import Histories
import Positioning
import Time

/// How somebody travelled in the times that histories tell.
struct ActivityTimes {
    /// The most activities: a dozen a day over a long life.
    ///
    /// Further ones are not used.
    static let maximumCount = 1_000_000

    private var activities: [HistoryActivity] = []
    private var isSorted = true
    /// The number of activities that began before the last time that was asked for.
    private var begun = 0

    /// Adds an activity.
    mutating func add(_ activity: HistoryActivity) {
        guard activities.count < Self.maximumCount else { return }
        activities.append(activity)
        isSorted = false
    }

    /// Adds other activities.
    mutating func add(_ other: ActivityTimes) { for activity in other.activities { add(activity) } }

    /// Sets how the device travelled at a fix, unless the fix tells it.
    ///
    /// At the end of one activity and the beginning of another, it is that which ends.
    ///
    /// - Complexity: amortised O(1) if the fixes come in order of time.
    mutating func complete(_ fix: inout Fix) {
        guard !activities.isEmpty, fix.kind == nil, let time = fix.time else { return }
        if !isSorted {
            activities.sort { $0.start < $1.start }
            isSorted = true
            begun = 0
        }
        if begun > 0, activities[begun - 1].start >= time { begun = 0 }
        while begun < activities.count, activities[begun].start < time { begun += 1 }
        if begun > 0, activities[begun - 1].end >= time {
            fix.kind = activities[begun - 1].kind
        } else if begun < activities.count, activities[begun].start == time {
            fix.kind = activities[begun].kind
        }
    }
}
