/// Computes the transfers that bring all balances to zero.
///
/// For up to ``maximumExactSize`` people with a balance, the number of transfers is minimal. For more people, it is at most
/// one less than the number of people. Once one of the transfers is made, the others stay the same. There is one
/// exception: when the transfer leaves ``maximumExactSize`` people with a balance for the first time, the new list may be
/// shorter.
///
/// The people with a balance can be partitioned into groups whose balances add up to zero. A group of *k* people needs
/// *k* − 1 transfers, so a partition into the most groups needs the fewest transfers. Among all minimal lists, the
/// algorithm chooses the one with the largest transfer. Of equal transfers it takes the one whose payer comes first,
/// then the one whose receiver comes first. It continues in the same way with the next largest transfer. Without one of
/// its transfers, the chosen list is the first in this order for the remaining balances, because a better list for them
/// would have made the whole list better.
///
/// The largest transfer settles the balance of at least one of its two people. Otherwise both would exchange money with
/// others, and a part of that could go through this transfer instead and make it larger. The search therefore considers
/// only pairs of people who are in one group.
enum Settlement {
    /// The largest number of people for which the number of transfers is minimal.
    ///
    /// Each further person doubles the time.
    static let maximumExactSize = 12

    /// Returns the transfers, largest first.
    ///
    /// - Parameter balances: what the others owe each member, negative if the member owes them, in the order of the
    ///   members. The balances must add up to zero; otherwise the transfers settle as much as possible.
    /// - Complexity: O(*n* 2*ⁿ*) for up to ``maximumExactSize`` people, O(*n*²) for more.
    static func transfers(for balances: [(member: Int64, minor: Int64)]) -> [Transfer] {
        var open = balances.filter { $0.minor != 0 }
        var transfers: [Transfer] = []
        let isExact = open.count <= maximumExactSize
        while open.count > 1 {
            let found = isExact ? largest(in: open, within: Groups(open.map(\.minor)).together) : largest(in: open)
            guard let best = found else { break }
            transfers.append(Transfer(from: open[best.from].member, to: open[best.to].member, minor: best.minor))
            open[best.from].minor += best.minor
            open[best.to].minor -= best.minor
            open.removeAll { $0.minor == 0 }
        }
        return transfers
    }

    private typealias Found = (from: Int, to: Int, minor: Int64)

    /// Returns the largest transfer between two people; of equal ones the first.
    ///
    /// It is between the largest debt and the largest credit, or between the first two who could make it.
    private static func largest(in open: [(member: Int64, minor: Int64)]) -> Found? {
        let debt = open.map { $0.minor < 0 ? $0.minor.magnitude : 0 }
        let credit = open.map { $0.minor > 0 ? $0.minor.magnitude : 0 }
        let most = min(debt.max() ?? 0, credit.max() ?? 0)
        guard most > 0, let from = debt.firstIndex(where: { $0 >= most }),
            let to = credit.firstIndex(where: { $0 >= most })
        else { return nil }
        return (from, to, Int64(clamping: most))
    }

    /// Returns the largest transfer between two people who share a group, or whose balances cancel each other.
    private static func largest(in open: [(member: Int64, minor: Int64)], within together: [Int]) -> Found? {
        var best: Found?
        for from in open.indices where open[from].minor < 0 {
            for to in open.indices where open[to].minor > 0 {
                let minor = Int64(clamping: min(open[from].minor.magnitude, open[to].minor.magnitude))
                guard minor > best?.minor ?? 0 else { continue }
                let cancels = open[from].minor.magnitude == open[to].minor.magnitude
                guard cancels || together[from] & 1 << to != 0 else { continue }
                best = (from, to, minor)
            }
        }
        return best
    }

    /// The partitions of people into the most groups whose balances add up to zero; all sets are bit masks.
    struct Groups {
        /// The largest possible number of groups.
        let count: Int
        /// For each person, the set of people who share a group with them in at least one of these partitions.
        let together: [Int]

        /// - Parameter balances: the balances of at most ``Settlement/maximumExactSize`` people, which add up to zero.
        init(_ balances: [Int64]) {
            let all = (1 << balances.count) - 1
            var sums = [Int128](repeating: 0, count: all + 1)
            /// For each set, the most complete groups that its people can form when they are added one after another.
            ///
            /// The last group may be incomplete and does not count.
            var most = [Int](repeating: 0, count: all + 1)
            for set in stride(from: 1, through: all, by: 1) {
                let (others, lowest) = (set & (set - 1), set.trailingZeroBitCount)
                sums[set] = sums[others] + Int128(balances[lowest])
                var best = 0
                var rest = set
                while rest != 0 {
                    best = max(best, most[set & ~(1 << rest.trailingZeroBitCount)])
                    rest &= rest - 1
                }
                most[set] = best + (sums[set] == 0 ? 1 : 0)
            }
            var together = [Int](repeating: 0, count: balances.count)
            for set in stride(from: 1, through: all, by: 1) where sums[set] == 0 && most[all & ~set] + 1 == most[all] {
                for person in balances.indices where set & 1 << person != 0 { together[person] |= set }
            }
            count = most[all]
            self.together = together
        }
    }
}
