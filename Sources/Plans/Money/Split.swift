import Money

/// How an expense is shared.
enum Split: Hashable, Sendable {
    /// By all alike.
    case evenly([Int64])
    /// By parts, such as 2 for a couple and 1 for a single.
    case parts([Part])
    /// By percentages, in ten-thousandths of a per cent, which add up to 100 %.
    case percentages([Part])
    /// By amounts in minor units, which add up to the whole.
    case exact([Part])

    /// What one member takes of it.
    struct Part: Hashable, Sendable {
        /// The member's number.
        var member: Int64
        /// Parts, ten-thousandths of a per cent, or minor units.
        var weight: Int64
    }

    /// 100 % in the unit of ``percentages(_:)``.
    static let wholePercentage: Int64 = 1_000_000
    /// As many parts one member takes at most.
    static let mostParts: Int64 = 1_000_000

    /// What it is called in the store and on the wire.
    var name: Name {
        switch self {
        case .evenly: .evenly
        case .parts: .parts
        case .percentages: .percentages
        case .exact: .exact
        }
    }

    /// The ways to share.
    enum Name: String, CaseIterable, Sendable {
        case evenly, parts, percentages, exact
    }

    /// What each takes, in the order given.
    var weights: [Part] {
        switch self {
        case .evenly(let members): members.map { Part(member: $0, weight: 1) }
        case .parts(let parts), .percentages(let parts), .exact(let parts): parts
        }
    }

    /// What is wrong with a split.
    enum Flaw: Error, Hashable, Sendable {
        /// Nobody shares it.
        case nobody
        /// One member is named twice.
        case twice(Int64)
        /// A weight below zero, or all are zero, or more parts than there may be.
        case weight
        /// The percentages add up to something else than 100 %.
        case percentages(sum: Int64)
        /// The amounts add up to something else than the whole.
        case exact(sum: Int64)

        /// What is wrong, as a clause that follows the name of the field.
        func reason(of whole: Amount) -> String {
            switch self {
            case .nobody: "must name at least one person"
            case .twice: "must name each person once"
            case .weight: "must have parts of 0 to \(Split.mostParts) with one above 0 among them"
            case .percentages(let sum):
                "must add up to 100 %, and adds up to \(sum / 10_000).\(String(sum % 10_000 + 10_000).dropFirst()) %"
            case .exact(let sum):
                "must add up to \(whole.text), and adds up to \(Amount(minor: sum, whole.currency).text)"
            }
        }
    }

    /// What each member owes of an amount, in the order given; the shares add up to it.
    ///
    /// - Parameter turn: the expense's number, by which members take turns at the odd minor units.
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
            guard sum > 0, weights.allSatisfy({ $0.weight <= Self.mostParts }) else { throw .weight }
        case .percentages: guard sum == Int128(Self.wholePercentage) else { throw .percentages(sum: shown) }
        case .exact:
            guard sum == Int128(amount.minor) else { throw .exact(sum: shown) }
            return weights
        }
        let shares = Apportionment.divide(amount.minor, by: weights.map(\.weight), turn: turn)
        return zip(weights, shares).map { Part(member: $0.member, weight: $1) }
    }
}

/// Division of a whole number without a remainder, by the method of the largest remainder.
///
/// - SeeAlso: M. L. Balinski and H. P. Young, *Fair Representation*, 1982: there Hamilton's method.
enum Apportionment {
    /// Whole numbers in proportion to the weights, which add up to the amount; none where all weights are 0.
    ///
    /// Each is its exact share rounded down, or one more. Those get one more whose exact share has the largest fraction;
    /// of equal ones, those that come first counted from place `turn`, round the end.
    ///
    /// - Parameters:
    ///   - amount: 0 or more.
    ///   - weights: each 0 or more, and no more than ``Amount/greatest``; a member of weight 0 gets nothing.
    static func divide(_ amount: Int64, by weights: [Int64], turn: Int64) -> [Int64] {
        let whole = weights.reduce(Int128(0)) { $0 + Int128($1) }
        guard whole > 0, amount >= 0 else { return weights.map { _ in 0 } }
        let parts = weights.map { (Int128(amount) * Int128($0)).quotientAndRemainder(dividingBy: whole) }
        // No more than the amount each.
        var shares = parts.map { Int64(clamping: $0.quotient) }
        let left = Int128(amount) - parts.reduce(0) { $0 + $1.quotient }
        let first = Int(clamping: turn.magnitude.quotientAndRemainder(dividingBy: UInt64(weights.count)).remainder)
        let inTurn = Array(weights.indices.dropFirst(first)) + Array(weights.indices.prefix(first))
        // Sorting is stable: of equal fractions the order of turns stays.
        let order = inTurn.filter { parts[$0].remainder > 0 }.sorted { parts[$0].remainder > parts[$1].remainder }
        // The remainders are below the whole each and add up to `left` times it: more than `left` of them are above 0,
        // or none is.
        for index in order.prefix(Int(clamping: left)) { shares[index] += 1 }
        return shares
    }
}
