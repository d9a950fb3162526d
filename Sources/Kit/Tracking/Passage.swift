import Geodesy
import Positioning

/// The path of a device that may be passing through, up to its next stop.
struct Passage {
    /// The rest at the end of the path.
    private(set) var rest: Rest
    /// The fixes of the path before the rest.
    private(set) var passed: [Fix] = []
    /// The number of further fixes that were dropped from the path.
    private(set) var dropped = 0
    /// Whether the rest has lasted long enough to be a stop.
    private(set) var isStop = false
    /// All fixes of the path and the rest.
    let read: ArraySlice<Fix>
    /// The fixes after the stop.
    let unread: ArraySlice<Fix>

    /// Applies the rules to some fixes.
    ///
    /// Returns `nil` if there are none.
    ///
    /// - Complexity: O(*n*) for *n* fixes. There are at most as many as a rest keeps, see ``RecentFixes``. Beyond that
    ///   number every other fix was dropped, and the rules apply to the remaining ones.
    init?(_ fixes: [Fix], policy: TrackingPolicy) {
        guard let first = fixes.first else { return nil }
        var (passage, count) = (Self(first), 1)
        for fix in fixes.dropFirst() where !passage.isStop {
            passage.add(fix, policy)
            count += 1
        }
        (rest, passed, dropped, isStop) = (passage.rest, passage.passed, passage.dropped, passage.isStop)
        (read, unread) = (fixes[..<count], fixes[count...])
    }

    private init(_ first: Fix) { (rest, read, unread) = (Rest(first), [], []) }

    private mutating func add(_ fix: Fix, _ policy: TrackingPolicy) {
        let here = UnitVector(fix.coordinate)
        switch rest.add(fix, at: here, accuracy: policy.accuracy(of: fix), radius: policy.stopRadius) {
        case .unsure, .isElsewhere: return
        case .stays: break
        case .stood:
            pass(rest.settle())
            rest.stay(fix, at: here, distance: 0)
        case .leaves:
            pass((way: rest.recent, dropped: rest.dropped))
            let outside = rest.outside
            guard let next = outside.first else { return }
            rest = Rest(next)
            for fix in outside.dropFirst() { rest.stay(fix, at: UnitVector(fix.coordinate), distance: 0) }
        }
        guard let time = fix.time, rest.hasLasted(policy.stopAfter, at: time) else { return }
        pass(rest.trim())
        isStop = rest.hasLasted(policy.stopAfter, at: time)
    }

    private mutating func pass(_ gone: (way: [Fix], dropped: Int)) {
        passed += gone.way
        dropped += gone.dropped
    }
}
