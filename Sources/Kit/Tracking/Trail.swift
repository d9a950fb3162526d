import Geodesy
import Positioning
import Time

/// Where an anchored device was seen during the last quarter of an hour, at most once in ten seconds.
///
/// A device that leaves slowly shows it only over minutes. Its places near the mean count, too, which a rest forgets.
struct Trail: Sendable {
    private(set) var fixes: [Fix] = []

    /// The least number of seconds between two places.
    private static let step = 10.0
    private static let maximumCount = 90

    /// Adds the next fix.
    ///
    /// The path to a fix that begins a segment is unknown, so the trail begins anew there.
    mutating func append(_ fix: Fix) {
        guard let time = fix.time else { return }
        if fix.beginsSegment { fixes.removeAll(keepingCapacity: true) }
        if let last = fixes.last?.time, time.seconds(since: last) < Self.step { return }
        fixes.append(Fix(time: time, coordinate: fix.coordinate))
        if fixes.count > Self.maximumCount { fixes = Array(fixes.suffix(Self.maximumCount)) }
    }

    /// Returns the places up to a fix.
    ///
    /// - Complexity: O(*n*) for *n* places.
    func path(to latest: Fix, at here: UnitVector) -> [TimedPlace] {
        var path = fixes.compactMap { fix in
            fix.time.map { TimedPlace(time: $0, here: UnitVector(fix.coordinate)) }
        }
        if let time = latest.time, path.last?.time != time { path.append(TimedPlace(time: time, here: here)) }
        return path
    }
}

/// Where a device was seen, and when.
struct TimedPlace: Sendable {
    var time: Timestamp
    var here: UnitVector
}

extension [TimedPlace] {
    /// Returns the places averaged over spans of at most that many seconds, counted back from the last place.
    ///
    /// The noise of single fixes hides a slow path; most of it is gone from their averages. Each has the time of the
    /// last place in its span.
    ///
    /// - Complexity: O(*n*) for *n* places.
    func averaged(over seconds: Double) -> [TimedPlace] {
        var averages: [TimedPlace] = []
        var (x, y, z) = (0.0, 0.0, 0.0)
        var end: Timestamp?
        func close() {
            guard let end, let mean = UnitVector(towardsX: x, y: y, z: z) else { return }
            averages.append(TimedPlace(time: end, here: mean))
        }
        for place in reversed() {
            if end.map({ $0.seconds(since: place.time) > seconds }) ?? true {
                close()
                (x, y, z, end) = (0, 0, 0, place.time)
            }
            (x, y, z) = (x + place.here.x, y + place.here.y, z + place.here.z)
        }
        close()
        return averages.reversed()
    }
}

extension Trail: Codable {
    init(from decoder: any Decoder) throws {
        fixes = try FixSeries(from: decoder).fixes
        guard fixes.count <= Self.maximumCount else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "an impossible number of places"))
        }
    }

    func encode(to encoder: any Encoder) throws { try FixSeries(fixes).encode(to: encoder) }
}
