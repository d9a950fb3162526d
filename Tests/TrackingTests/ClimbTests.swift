import Geodesy
import TestSupport
import Testing
import Tracking

@Suite struct ClimbTests {
    private func climb(_ heights: [Double]) -> (up: Double, down: Double) {
        var climb = Climb()
        for height in heights { climb.add(.meters(height)) }
        return (climb.up, climb.down)
    }

    @Test func withoutHeightsTheClimbIsUnknown() {
        #expect(!Climb().isKnown)
        var climb = Climb()
        climb.add(.meters(3))
        #expect(climb.isKnown && climb.up == 0 && climb.down == 0)
    }

    @Test func changesBelowTheThresholdDoNotCount() {
        #expect(climb([0, 9, 0, 9.9, 0, 5, -0.05]) == (0, 0))
        #expect(climb((0..<100).map { $0.isMultiple(of: 2) ? 100 : 109 }) == (0, 0))
    }

    @Test func aRiseCountsFromTheLowestHeight() {
        #expect(climb([5, 3, 4, 13]) == (10, 0))
        #expect(climb([5, 3, 13, 15, 14, 18]) == (15, 0))
        #expect(climb([0, 12, 1]) == (12, 11))
    }

    @Test func ascentMinusDescentIsTheDifferenceOfTheEnds() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var height = 0.0
            let heights = (0..<300).map { _ in
                height += Double.random(in: -4...4.5, using: &random)
                return height
            }
            let (up, down) = climb(heights)
            let net = (heights.last ?? 0) - (heights.first ?? 0)
            // At each end, less than one threshold may not be counted.
            #expect(abs(up - down - net) < 2 * Climb.threshold)
            let steps = zip(heights, heights.dropFirst()).map { $1 - $0 }
            #expect(up <= steps.filter { $0 > 0 }.reduce(0, +) + 1e-9)
            #expect(up >= max(0, (heights.max() ?? 0) - (heights.first ?? 0)) - Climb.threshold)
        }
    }

    @Test func heightsStartOverAfterAGap() {
        var climb = Climb()
        for height in [0.0, 5] { climb.add(.meters(height)) }
        climb.skip()
        for height in [100.0, 105] { climb.add(.meters(height)) }
        #expect(climb.up == 0 && climb.down == 0)
    }
}
