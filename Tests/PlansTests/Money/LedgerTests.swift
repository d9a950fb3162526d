import Foundation
import Money
import TestSupport
import Testing

@testable import Plans

/// OU-3: the amounts of a ledger add up.
@Suite struct LedgerTests {
    private static let currencies = ["EUR", "USD", "JPY", "KWD", "VND", "TND"]

    private func split(_ members: [Int64], of minor: Int64, using random: inout SeededGenerator) -> Split {
        let chosen = Array(members.shuffled(using: &random).prefix(Int.random(in: 1...members.count, using: &random)))
        switch Int.random(in: 0...3, using: &random) {
        case 0: return .evenly(chosen)
        case 1:
            return .parts(
                chosen.enumerated().map {
                    Split.Part(member: $1, weight: Int64.random(in: ($0 == 0 ? 1 : 0)...5, using: &random))
                })
        case 2: return .percentages(exact(chosen, of: Split.wholePercentage, using: &random))
        default: return .exact(exact(chosen, of: minor, using: &random))
        }
    }

    /// Returns random weights of 0 or more that add up to `whole`.
    private func exact(_ members: [Int64], of whole: Int64, using random: inout SeededGenerator) -> [Split.Part] {
        var left = whole
        return members.enumerated().map { index, member in
            let weight = index == members.count - 1 ? left : Int64.random(in: 0...left, using: &random)
            left -= weight
            return Split.Part(member: member, weight: weight)
        }
    }

    private func terms(
        turn: Int64, members: [Int64], main: Currency, using random: inout SeededGenerator
    ) throws -> ExpenseTerms {
        let currency = try Currency(Self.currencies.randomElement(using: &random).known)
        let most = [9, 100_000, Amount.greatest / 1_000_000].randomElement(using: &random).known
        let minor = Int64.random(in: 1...most, using: &random)
        let payers = exact(Array(members.shuffled(using: &random).prefix(3)), of: minor, using: &random)
        let rates = ["0.0061", "1.0834", "163.27", "3.2451", "0.000038", "7"]
        return ExpenseTerms(
            turn: turn, amount: Amount(minor: minor, currency),
            rate: currency == main ? nil : try ExchangeRate(rates.randomElement(using: &random).known),
            payers: payers.filter { $0.weight > 0 }, split: split(members, of: minor, using: &random))
    }

    @Test func randomLedgersBalanceToZeroAndCanBeSettled() throws {
        let runs = TestTier.isSoak ? 100_000 : 1500
        var random = SeededGenerator(seed: 3)
        for _ in 0..<runs {
            let main = try Currency(Self.currencies.randomElement(using: &random).known)
            let members = (0..<Int64.random(in: 2...7, using: &random)).map { 100 + $0 }
            var expenses: [Int64: ExpenseTerms] = [:]
            var repayments: [Transfer] = []
            for turn in 1...Int64.random(in: 1...8, using: &random) {
                switch Int.random(in: 0...9, using: &random) {
                case 0:  // A deletion.
                    if let gone = expenses.keys.sorted().randomElement(using: &random) { expenses[gone] = nil }
                case 1:  // An edit.
                    if let old = expenses.keys.sorted().randomElement(using: &random) {
                        expenses[old] = try terms(turn: old, members: members, main: main, using: &random)
                    }
                case 2:
                    let pair = members.shuffled(using: &random)
                    repayments.append(
                        Transfer(from: pair[0], to: pair[1], minor: Int64.random(in: 1...5000, using: &random)))
                case 3: if !repayments.isEmpty { repayments.removeLast() }
                default: expenses[turn] = try terms(turn: turn, members: members, main: main, using: &random)
                }
            }
            var ledger = Ledger()
            var sums = Sums()
            for turn in expenses.keys.sorted() {
                let terms = expenses[turn].known
                let distribution = try terms.distribute(in: main)
                #expect(distribution.shares.reduce(0) { $0 + $1.amount } == terms.amount.minor)
                #expect(distribution.shares.reduce(0) { $0 + $1.converted } == distribution.converted.minor)
                #expect(distribution.payments.reduce(0) { $0 + $1.amount } == terms.amount.minor)
                #expect(distribution.payments.reduce(0) { $0 + $1.converted } == distribution.converted.minor)
                let lines = distribution.shares + distribution.payments
                #expect(lines.allSatisfy { $0.amount >= 0 && $0.converted >= 0 })
                ledger.add(distribution)
                sums.add(distribution, tab: "food", day: turn > 4 ? "2026-05-01" : nil, category: nil)
            }
            for repayment in repayments { ledger.add(repayment) }
            #expect(ledger.balances.values.reduce(0, +) == 0)
            #expect(sums.byMember.values.reduce(0, +) == sums.total)
            #expect(sums.byTab["food"] ?? 0 == sums.total)
            let balances = members.map { (member: $0, minor: ledger.balances[$0] ?? 0) }
            let transfers = Settlement.transfers(for: balances)
            for transfer in transfers { ledger.add(transfer) }
            #expect(ledger.balances.values.allSatisfy { $0 == 0 })
            #expect(transfers.count < members.count)
        }
    }

    @Test func theLargestLedgerDoesNotOverflow() throws {
        let euro = try Currency("EUR")
        let expense = try ExpenseTerms(
            turn: 1, amount: Amount(minor: Amount.greatest, euro), rate: nil,
            payers: [.init(member: 1, weight: Amount.greatest)], split: .evenly([2])
        ).distribute(in: euro)
        var (ledger, sums) = (Ledger(), Sums())
        for _ in 0..<Amount.maximumEntries {
            ledger.add(expense)
            sums.add(expense, tab: nil, day: nil, category: nil)
        }
        #expect(ledger.balances == [1: 5_000_000_000_000_000_000, 2: -5_000_000_000_000_000_000])
        #expect(sums.total == 5_000_000_000_000_000_000)
    }

    @Test func invalidExpensesAreRefusedWithTheReason() throws {
        let (euro, yen) = (try Currency("EUR"), try Currency("JPY"))
        func terms(
            _ minor: Int64, _ currency: Currency, rate: String? = nil, payers: [Int64: Int64]
        ) throws -> ExpenseTerms {
            ExpenseTerms(
                turn: 1, amount: Amount(minor: minor, currency), rate: try rate.map { try ExchangeRate($0) },
                payers: payers.sorted { $0.key < $1.key }.map { .init(member: $0.key, weight: $0.value) },
                split: .evenly([1, 2]))
        }
        let cases: [(ExpenseTerms, ExpenseTerms.Flaw)] = [
            (try terms(0, euro, payers: [1: 0]), .amount(.zero)),
            (try terms(10, yen, payers: [1: 10]), .rate(isMissing: true)),
            (try terms(10, euro, rate: "1", payers: [1: 10]), .rate(isMissing: false)),
            (try terms(10, euro, payers: [:]), .payer(.nobody)),
            (try terms(10, euro, payers: [1: 9]), .payments(sum: 9)),
            (try terms(10, euro, payers: [1: 10, 2: 0]), .payer(.weight)),
            (try terms(Amount.greatest + 1, euro, payers: [1: 10]), .amount(.tooLarge)),
        ]
        for (terms, flaw) in cases { #expect(throws: flaw) { try terms.distribute(in: euro) } }
    }
}
