import GRDB

/// The result of a vote.
struct VoteResult: Hashable, Sendable {
    /// The number of ballots for each option, in the order of the options.
    var counts: [Int]

    /// The number of counted ballots.
    var total: Int { counts.reduce(0, +) }

    /// The numbers of the options with the most ballots: several in a tie, none if nobody voted.
    var winners: [Int] {
        guard let most = counts.max(), most > 0 else { return [] }
        return counts.indices.filter { counts[$0] == most }.map { $0 + 1 }
    }

    /// Returns an option's share of the counted ballots in percent; 0 if there are none.
    func percentage(of option: Int) -> Double {
        guard total > 0, counts.indices.contains(option - 1) else { return 0 }
        return 100 * Double(counts[option - 1]) / Double(total)
    }

    /// Returns the result of a vote; `nil` while it is open.
    static func of(_ vote: Vote, in db: Database) throws -> VoteResult? {
        guard vote.ended != nil else { return nil }
        return VoteResult(
            counts: try Int.fetchAll(
                db.cachedStatement(sql: "SELECT coalesce(count, 0) FROM vote_option WHERE vote = ? ORDER BY place"),
                arguments: [vote.number]))
    }
}
