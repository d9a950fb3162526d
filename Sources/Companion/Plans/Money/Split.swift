import Money

/// How members share an expense.
enum Split: Hashable, Sendable {
    /// All members owe the same.
    case evenly([Int64])
    /// In proportion to whole parts, such as 2 for a couple and 1 for a single person.
    case parts([Part])
    /// By percentages in ten-thousandths of a per cent, which add up to 100 %.
    case percentages([Part])
    /// By amounts in minor units, which add up to the amount of the expense.
    case exact([Part])

    /// One member's weight in a split.
    struct Part: Hashable, Sendable {
        /// The member's number.
        var member: Int64
        /// The number of parts, of ten-thousandths of a per cent, or of minor units.
        var weight: Int64
    }

    /// 100 % in the unit of ``percentages(_:)``.
    static let wholePercentage: Int64 = 1_000_000
    /// The most parts of one member.
    static let maximumParts: Int64 = 1_000_000

    /// The name of the split in the store and on the wire.
    var name: Name {
        switch self {
        case .evenly: .evenly
        case .parts: .parts
        case .percentages: .percentages
        case .exact: .exact
        }
    }

    /// The names of the ways to split an expense.
    enum Name: String, CaseIterable, Sendable {
        case evenly, parts, percentages, exact
    }

    /// Each member's weight, in the given order; 1 for ``evenly(_:)``.
    var weights: [Part] {
        switch self {
        case .evenly(let members): members.map { Part(member: $0, weight: 1) }
        case .parts(let parts), .percentages(let parts), .exact(let parts): parts
        }
    }

    /// The reasons why a split is invalid.
    enum Flaw: Error, Hashable, Sendable {
        /// No member is named.
        case nobody
        /// One member is named twice.
        case twice(Int64)
        /// A weight is negative or too large, or all weights are zero.
        case weight
        /// The percentages do not add up to 100 %.
        case percentages(sum: Int64)
        /// The amounts do not add up to the amount of the expense.
        case exact(sum: Int64)

        /// Returns the reason as a clause that follows the name of the field.
        func reason(of whole: Amount) -> String {
            switch self {
            case .nobody: "must name at least one person"
            case .twice: "must name each person once"
            case .weight: "must have parts from 0 to \(Split.maximumParts), at least one of them above 0"
            case .percentages(let sum):
                "must add up to 100 %, but add up to \(sum / 10_000).\(String(sum % 10_000 + 10_000).dropFirst()) %"
            case .exact(let sum):
                "must add up to \(whole.text), but add up to \(Amount(minor: sum, whole.currency).text)"
            }
        }
    }

    /// Returns what each member owes of an amount, in the given order; the shares add up to the amount.
    ///
    /// - Parameter turn: the expense's number in its plan, which decides who pays the odd minor units.
    func shares(of amount: Amount, turn: Int64) throws(Flaw) -> [Part] {
        let weights = weights
        guard !weights.isEmpty else { throw .nobody }
        var seen: Set<Int64> = []
        for part in weights {
            guard seen.insert(part.member).inserted else { throw .twice(part.member) }
            guard part.weight >= 0, part.weight <= Amount.greatest else { throw .weight }
        }
        let sum = weights.reduce(Int128(0)) { $0 + Int128($1.weight) }
        let shown = Int64(clamping: sum)
        switch self {
        case .evenly: break
        case .parts:
            guard sum > 0, weights.allSatisfy({ $0.weight <= Self.maximumParts }) else { throw .weight }
        case .percentages: guard sum == Int128(Self.wholePercentage) else { throw .percentages(sum: shown) }
        case .exact:
            guard sum == Int128(amount.minor) else { throw .exact(sum: shown) }
            return weights
        }
        let shares = Apportionment.divide(amount.minor, by: weights.map(\.weight), turn: turn)
        return zip(weights, shares).map { Part(member: $0.member, weight: $1) }
    }
}

/// Divides an integer in proportion to weights, without a remainder, by the largest remainder method.
///
/// - SeeAlso: M. L. Balinski and H. P. Young, *Fair Representation*, 1982, where it is called Hamilton's method.
enum Apportionment {
    /// Returns integers in proportion to the weights, which add up to the amount; all are 0 if all weights are 0.
    ///
    /// Each integer is its exact share rounded down, or one more. The shares with the largest fractions get one more.
    /// Of equal fractions, those that come first get it, counted from index `turn` and wrapping around at the end.
    ///
    /// - Parameters:
    ///   - amount: the number to divide, 0 or more.
    ///   - weights: the weights, each from 0 to ``Amount/greatest``. A weight of 0 gets nothing.
    ///   - turn: the index from which ties are counted, modulo the number of weights.
    static func divide(_ amount: Int64, by weights: [Int64], turn: Int64) -> [Int64] {
        let whole = weights.reduce(Int128(0)) { $0 + Int128($1) }
        guard whole > 0, amount >= 0 else { return weights.map { _ in 0 } }
        let parts = weights.map { (Int128(amount) * Int128($0)).quotientAndRemainder(dividingBy: whole) }
        // Each quotient is at most the amount, so clamping changes nothing.
        var shares = parts.map { Int64(clamping: $0.quotient) }
        let left = Int128(amount) - parts.reduce(0) { $0 + $1.quotient }
        let first = Int(clamping: turn.magnitude.quotientAndRemainder(dividingBy: UInt64(weights.count)).remainder)
        let inTurn = Array(weights.indices.dropFirst(first)) + Array(weights.indices.prefix(first))
        // Sorting is stable: equal fractions keep their order.
        let order = inTurn.filter { parts[$0].remainder > 0 }.sorted { parts[$0].remainder > parts[$1].remainder }
        // Each remainder is below `whole`, and together they are `left` times `whole`. So either more than `left` of
        // them are above 0, or none is.
        for index in order.prefix(Int(clamping: left)) { shares[index] += 1 }
        return shares
    }
}
