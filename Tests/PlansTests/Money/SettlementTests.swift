import Foundation
import TestSupport
import Testing

@testable import Plans

@Suite struct SettlementTests {
    private func settle(_ balances: [Int64]) -> [Transfer] {
        Settlement.transfers(for: balances.enumerated().map { (member: Int64($0.offset), minor: $0.element) })
    }

    /// Returns the minimum number of transfers, by trying every partner for the first open balance.
    private func fewest(_ balances: [Int64]) -> Int {
        var open = balances.filter { $0 != 0 }
        guard let first = open.first else { return 0 }
        open.removeFirst()
        var best = Int.max
        var tried: Set<Int64> = []
        for index in open.indices where (open[index] > 0) != (first > 0) && tried.insert(open[index]).inserted {
            var rest = open
            rest[index] += first
            best = min(best, 1 + fewest(rest))
        }
        return best
    }

    private func apply(_ transfers: some Sequence<Transfer>, to balances: [Int64]) -> [Int64] {
        var balances = balances
        for transfer in transfers {
            balances[Int(transfer.from)] += transfer.minor
            balances[Int(transfer.to)] -= transfer.minor
        }
        return balances
    }

    /// Returns balances that add up to zero; small ones, so that many groups do as well.
    private func balances(_ count: Int, upTo most: Int64, using random: inout SeededGenerator) -> [Int64] {
        var balances = (0..<count).map { _ in Int64.random(in: -most...most, using: &random) }
        balances[count - 1] -= balances.reduce(0, +)
        return balances
    }

    @Test func transfersAreMinimalAndStayTheSameAfterOneIsMade() {
        var random = SeededGenerator(seed: 4)
        let runs = TestTier.isSoak ? 20_000 : 400
        for _ in 0..<runs {
            let count = Int.random(in: 1...8, using: &random)
            let most = [3, 20, 1_000_000_000_000_000].randomElement(using: &random).known as Int64
            let balances = balances(count, upTo: most, using: &random)
            let transfers = settle(balances)
            #expect(transfers.count == fewest(balances), "\(balances)")
            #expect(apply(transfers, to: balances).allSatisfy { $0 == 0 }, "\(balances)")
            for made in transfers {
                let others = settle(apply([made], to: balances))
                #expect(others == transfers.filter { $0 != made }, "\(balances) after \(made)")
            }
        }
    }

    @Test func twelvePeopleAreSettledWithTheFewestTransfers() {
        // Six pairs whose amounts are close to each other, then four groups of three.
        #expect(settle([10, -10, 11, -11, 12, -12, 13, -13, 14, -14, 15, -15]).count == 6)
        let groups: [Int64] = [100, 23, -123, 1000, 45, -1045, 7, 5000, -5007, -60_000, 59_000, 1000]
        #expect(settle(groups).count == 8)
        var random = SeededGenerator(seed: 12)
        for _ in 0..<5 {
            let balances = balances(12, upTo: 9, using: &random)
            let transfers = settle(balances)
            #expect(apply(transfers, to: balances).allSatisfy { $0 == 0 })
            for made in transfers.prefix(3) {
                #expect(settle(apply([made], to: balances)) == transfers.filter { $0 != made })
            }
        }
    }

    @Test func moreThanTwelvePeopleNeedAtMostOneTransferLess() {
        var random = SeededGenerator(seed: 13)
        for count in [13, 14, 20, 50, 200] {
            let balances = balances(count, upTo: 100_000, using: &random)
            let transfers = settle(balances)
            #expect(transfers.count <= count - 1)
            #expect(apply(transfers, to: balances).allSatisfy { $0 == 0 })
            #expect(transfers.allSatisfy { $0.minor > 0 })
            guard count > 13 else { continue }
            for made in transfers.prefix(5) {
                #expect(settle(apply([made], to: balances)) == transfers.filter { $0 != made })
            }
        }
    }

    @Test func zeroBalancesNeedNoTransfer() {
        #expect(settle([]).isEmpty)
        #expect(settle([0, 0]).isEmpty)
        #expect(settle([5, 0, -5]) == [Transfer(from: 2, to: 0, minor: 5)])
    }
}
