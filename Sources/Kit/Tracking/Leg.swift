import Positioning
import Time

/// Whether the path from one fix to the next is known, and if not, why.
enum Leg {
    /// The path is known.
    case seen
    /// The fix begins a recording, or a segment of one.
    case apart
    /// The receiver was silent for so long that the straight line cannot be taken for the path.
    case silence

    /// Classifies the path to a fix at a time, from the fix before it at `before`, which is `nil` if there is none.
    init(to fix: Fix, at time: Timestamp, after before: Timestamp?) {
        if fix.beginsSegment {
            self = .apart
        } else if let before {
            self = time.seconds(since: before) > TrackingPolicy.longestLegTime ? .silence : .seen
        } else {
            self = .apart
        }
    }
}
