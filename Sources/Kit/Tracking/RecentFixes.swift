import Positioning

/// The last fixes of a device, in bounded memory.
///
/// When they exceed the limit, every other one is dropped. Each remaining fix knows how many were dropped before it.
struct RecentFixes: Sendable {
    private(set) var fixes: [Fix]
    /// The number of fixes dropped before each; empty if none was.
    private var skipped: [Int] = []

    /// The greatest number of fixes kept, three minutes at nearly 3 Hz.
    ///
    /// It is even, so that thinning one more than that keeps the last fix.
    private static let maximumCount = 512

    init(_ fixes: [Fix] = []) { self.fixes = fixes }

    /// The number of dropped fixes.
    var dropped: Int { skipped.reduce(0, +) }

    mutating func append(_ fix: Fix) {
        fixes.append(fix)
        if !skipped.isEmpty { skipped.append(0) }
        if fixes.count > Self.maximumCount { thin() }
    }

    mutating func removeAll() {
        fixes.removeAll(keepingCapacity: true)
        skipped.removeAll(keepingCapacity: true)
    }

    /// Removes the first `count` fixes.
    ///
    /// - Returns: these fixes, and the number of fixes dropped before each of them and before the one that is now the
    ///   first.
    mutating func drainFirst(_ count: Int) -> (fixes: [Fix], dropped: Int) {
        defer {
            fixes.removeFirst(count)
            skipped.removeFirst(min(count, skipped.count))
            if !skipped.isEmpty { skipped[0] = 0 }
        }
        return (Array(fixes[..<count]), skipped.prefix(count + 1).reduce(0, +))
    }

    /// Drops every other fix except the first and the last.
    ///
    /// A gap before a dropped fix moves to the next one.
    private mutating func thin() {
        if skipped.isEmpty { skipped = Array(repeating: 0, count: fixes.count) }
        for index in stride(from: 2, to: fixes.count, by: 2) {
            var fix = fixes[index]
            fix.beginsSegment = fix.beginsSegment || fixes[index - 1].beginsSegment
            fixes[index / 2] = fix
            skipped[index / 2] = skipped[index - 1] + 1 + skipped[index]
        }
        let kept = (fixes.count + 1) / 2
        fixes.removeLast(fixes.count - kept)
        skipped.removeLast(skipped.count - kept)
    }
}

extension RecentFixes: Codable {
    private enum CodingKeys: CodingKey {
        /// The fixes in the current format.
        case series
        /// The fixes in the format of earlier versions, one by one.
        case fixes
        case skipped
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        fixes =
            try values.decodeIfPresent(FixSeries.self, forKey: .series)?.fixes
            ?? values.decode([Fix].self, forKey: .fixes)
        skipped = try values.decodeIfPresent([Int].self, forKey: .skipped) ?? []
        guard fixes.count <= Self.maximumCount, skipped.isEmpty || skipped.count == fixes.count,
            skipped.allSatisfy(SavedCount.bounds.contains)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .skipped, in: values, debugDescription: "impossible numbers of fixes or skipped fixes")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(FixSeries(fixes), forKey: .series)
        if !skipped.isEmpty { try values.encode(skipped, forKey: .skipped) }
    }
}
