/// The transfers by which all balances become zero.
///
/// Among up to ``mostExactly`` people with a balance they are as few as there can be; among more, one less than there are
/// people at most. In both cases the other transfers stay as they are once one of them is made, except where that leaves
/// ``mostExactly`` people for the first time: then there may be fewer.
///
/// People with a balance fall into groups whose balances add up to zero, and a group of *k* needs *k* − 1 transfers; so the
/// fewest transfers come from the most groups. Of all such lists the one is taken that has the largest transfer, of equal
/// ones that from and to whoever comes first, and so on for the next largest. Without one of its transfers that list is
/// the first in this order for the balances that are left, since any better one would have made the whole better.
///
/// The largest transfer of all pays one of its two people's balance off: otherwise both had others to pay or be paid by,
/// and a part of those could go through it instead. So a pair is looked for whose two people are in one group.
enum Settlement {
    /// Among so many people the transfers are the fewest; for each more it would take twice the time.
    static let mostExactly = 12

    /// The transfers, the largest first.
    ///
    /// - Parameter balances: what each is owed, or owes where it is below zero, in the order of the members; they add up to
    ///   zero. The transfers settle as much as they do where they do not.
    /// - Complexity: O(*n* 2*ⁿ*) for up to ``mostExactly`` people, O(*n*²) for *n* more.
    static func transfers(for balances: [(member: Int64, minor: Int64)]) -> [Transfer] {
        var open = balances.filter { $0.minor != 0 }
        var transfers: [Transfer] = []
        let isExact = open.count <= mostExactly
        while open.count > 1 {
            let together = isExact ? Groups(open.map(\.minor)).together : nil
            var best: (from: Int, to: Int, minor: Int64)?
            for from in open.indices where open[from].minor < 0 {
                for to in open.indices where open[to].minor > 0 {
                    let minor = Int64(clamping: min(open[from].minor.magnitude, open[to].minor.magnitude))
                    guard minor > best?.minor ?? 0 else { continue }
                    let cancels = open[from].minor.magnitude == open[to].minor.magnitude
                    if let together, !cancels, together[from] & 1 << to == 0 { continue }
                    best = (from, to, minor)
                }
            }
            guard let best else { break }
            transfers.append(Transfer(from: open[best.from].member, to: open[best.to].member, minor: best.minor))
            open[best.from].minor += best.minor
            open[best.to].minor -= best.minor
            open.removeAll { $0.minor == 0 }
        }
        return transfers
    }

    /// The ways to part people into as many groups as there can be whose balances add up to zero; all sets are bit masks.
    struct Groups {
        /// How many groups there are at most.
        let count: Int
        /// For each person those who are in one group with them in some such way.
        let together: [Int]

        /// - Parameter balances: of at most ``Settlement/mostExactly`` people, which add up to zero.
        init(_ balances: [Int64]) {
            let all = (1 << balances.count) - 1
            var sums = [Int128](repeating: 0, count: all + 1)
            /// How many groups the people of a set can form when taken one after another, the last of which may be open.
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
