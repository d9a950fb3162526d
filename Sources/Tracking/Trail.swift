import Positioning

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
