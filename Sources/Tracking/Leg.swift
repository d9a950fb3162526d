import Positioning

/// Whether the way from one fix to the next is known, and why not.
enum Leg {
    /// It was seen.
    case seen
    /// A recording, or a segment of one, begins.
    case apart
    /// The device was not heard for so long that the straight line is none it went.
    case silence

    /// The way to a fix from the one before, at a time; nil where there is none.
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
