import GRDB

/// How a vote ended.
struct VoteResult: Hashable, Sendable {
    /// How many chose each option, by number from 1.
    var counts: [Int]

    /// How many ballots were counted.
    var total: Int { counts.reduce(0, +) }

    /// The numbers of the options that most have chosen: several where they are equal, none where nobody has voted.
    var winners: [Int] {
        guard let most = counts.max(), most > 0 else { return [] }
        return counts.indices.filter { counts[$0] == most }.map { $0 + 1 }
    }

    /// What share of the ballots counted an option has, in percent; 0 where there are none.
    func percentage(of option: Int) -> Double {
        guard total > 0, counts.indices.contains(option - 1) else { return 0 }
        return 100 * Double(counts[option - 1]) / Double(total)
    }

    /// The result of a vote; nil while it is open.
    static func of(_ vote: Vote, in db: Database) throws -> VoteResult? {
        guard vote.ended != nil else { return nil }
        return VoteResult(
            counts: try Int.fetchAll(
                db.cachedStatement(sql: "SELECT coalesce(count, 0) FROM vote_option WHERE vote = ? ORDER BY place"),
                arguments: [vote.number]))
    }
}
