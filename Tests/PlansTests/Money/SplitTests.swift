import Money
import TestSupport
import Testing

@testable import Plans

@Suite struct SplitTests {
    private func shares(_ split: Split, of minor: Int64, turn: Int64 = 0) throws -> [Int64] {
        try split.shares(of: Amount(minor: minor, Currency("EUR")), turn: turn).map(\.weight)
    }

    private func parts(_ weights: Int64...) -> [Split.Part] {
        weights.enumerated().map { Split.Part(member: Int64($0.offset), weight: $0.element) }
    }

    @Test func theOddCentRotatesWithTheNumberOfTheExpense() throws {
        #expect(try shares(.evenly([1, 2, 3]), of: 100, turn: 0) == [34, 33, 33])
        #expect(try shares(.evenly([1, 2, 3]), of: 100, turn: 1) == [33, 34, 33])
        #expect(try shares(.evenly([1, 2, 3]), of: 100, turn: 2) == [33, 33, 34])
        #expect(try shares(.evenly([1, 2, 3]), of: 101, turn: 2) == [34, 33, 34])
        #expect(try shares(.evenly([1, 2, 3]), of: 1, turn: .max) == [0, 1, 0])
    }

    @Test func theLargestRemainderTakesPrecedenceOverTheRotation() throws {
        // The exact shares of 100 are 16.67, 33.33 and 50.
        #expect(try shares(.parts(parts(1, 2, 3)), of: 100, turn: 1) == [17, 33, 50])
        #expect(try shares(.parts(parts(0, 1)), of: 3) == [0, 3])
        #expect(try shares(.percentages(parts(333_400, 333_300, 333_300)), of: 1000, turn: 2) == [334, 333, 333])
        #expect(try shares(.exact(parts(70, 30)), of: 100) == [70, 30])
    }

    @Test func splitsThatDoNotAddUpAreRefusedWithTheReason() throws {
        #expect(throws: Split.Flaw.nobody) { try shares(.evenly([]), of: 1) }
        #expect(throws: Split.Flaw.twice(1)) { try shares(.evenly([1, 1]), of: 1) }
        #expect(throws: Split.Flaw.weight) { try shares(.parts(parts(0, 0)), of: 1) }
        #expect(throws: Split.Flaw.weight) { try shares(.parts(parts(1, -1)), of: 1) }
        #expect(throws: Split.Flaw.weight) { try shares(.parts(parts(1_000_001)), of: 1) }
        #expect(throws: Split.Flaw.percentages(sum: 999_900)) {
            try shares(.percentages(parts(333_300, 333_300, 333_300)), of: 1)
        }
        #expect(throws: Split.Flaw.exact(sum: 99)) { try shares(.exact(parts(70, 29)), of: 100) }
        let amount = Amount(minor: 100, try Currency("EUR"))
        #expect(
            Split.Flaw.percentages(sum: 999_900).reason(of: amount) == "must add up to 100 %, but add up to 99.9900 %")
        #expect(Split.Flaw.exact(sum: 99).reason(of: amount) == "must add up to 1.00, but add up to 0.99")
    }

    /// Compares with exact fractions: no share differs from its fraction by a whole unit.
    @Test func sharesAreExactFractionsRoundedUpOrDown() throws {
        var random = SeededGenerator(seed: 17)
        for _ in 0..<5000 {
            let weights = (0..<Int.random(in: 1...9, using: &random)).map { _ in Int64.random(in: 0...7, using: &random)
            }
            let amount = [Int64.random(in: 0...50, using: &random), Amount.greatest - 1].randomElement(using: &random)
                .known
            let turn = Int64.random(in: 1...20, using: &random)
            let shares = Apportionment.divide(amount, by: weights, turn: turn)
            let whole = Int128(weights.reduce(0, +))
            guard whole > 0 else {
                #expect(shares.allSatisfy { $0 == 0 })
                continue
            }
            #expect(shares.reduce(0, +) == amount)
            for (share, weight) in zip(shares, weights) {
                let distance = Int128(share) * whole - Int128(amount) * Int128(weight)
                #expect(distance > -whole && distance < whole)
                #expect(weight > 0 || share == 0)
            }
        }
    }
}
