import Geodesy

/// Adds places that are in no table of the gazetteer: sights, and locations of plans.
extension GazetteerSearch {
    /// The most places that are in no table.
    static let maximumOthers = 50

    /// Sorts places that are in no table as they are found: nearest first, or by name without a centre.
    func sorted<Row>(_ others: [Row], by place: (Row) -> (distance: Distance?, name: String, id: String)) -> [Row] {
        others.map { (place($0), $0) }.sorted { one, other in
            (one.0.distance?.meters ?? 0, one.0.name, one.0.id)
                < (other.0.distance?.meters ?? 0, other.0.name, other.0.id)
        }.map(\.1)
    }

    /// Adds places that are in no table to the matches of a page.
    ///
    /// Those near the centre are put among the matches by their distance. The others follow the matches near the centre,
    /// before all that are farther away.
    ///
    /// - Parameters:
    ///   - others: All those places, sorted. Those of earlier pages are left out.
    ///   - key: The key after which the page begins.
    ///   - matches: The matches after that key.
    func merging<Row>(
        _ others: [Row], after key: Key?, distance: (Row) -> Distance?, into matches: [Match], _ row: (Match) -> Row
    ) -> [(row: Row, key: Key)] {
        var last = key ?? start
        var rest = others.dropFirst(last.others)
        var merged: [(row: Row, key: Key)] = []
        for match in matches {
            while let other = rest.first, isBefore(distance(other), match) {
                rest = rest.dropFirst()
                last.others += 1
                merged.append((other, last))
            }
            (last.distance, last.number) = (match.key.distance, match.key.number)
            merged.append((row(match), last))
        }
        for other in rest {
            last.others += 1
            merged.append((other, last))
        }
        return merged
    }

    /// Whether a place that is in no table comes before a match.
    private func isBefore(_ distance: Distance?, _ match: Match) -> Bool {
        guard !match.isTown else { return false }
        // All come before the matches that are not near the centre.
        guard match.key.distance != nil, let other = match.distance else { return true }
        return distance.map { $0 <= Self.nearby && $0 <= other } ?? false
    }
}
