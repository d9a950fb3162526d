import Positioning
import Time

extension TripKind {
    /// Creates the kind for which the points of a trip tell the longest time; `nil` if none tells one.
    ///
    /// The way to a point counts as travelled as the point says, except over a gap. Of equal times the kind that is named
    /// first counts.
    init?(ofMost points: [Fix]) {
        var seconds: [TripKind: Double] = [:]
        for (index, point) in points.enumerated() {
            guard let kind = point.kind else { continue }
            var time = 0.0
            if index > 0, !point.beginsSegment, let before = points[index - 1].time {
                time = point.time?.seconds(since: before) ?? 0
            }
            seconds[kind, default: 0] += time
        }
        var longest: (kind: TripKind, seconds: Double)?
        for kind in Self.allCases {
            guard let time = seconds[kind], longest.map({ time > $0.seconds }) ?? true else { continue }
            longest = (kind, time)
        }
        guard let longest else { return nil }
        self = longest.kind
    }
}
