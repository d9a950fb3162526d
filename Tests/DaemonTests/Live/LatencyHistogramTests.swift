import TestSupport
import Testing

@testable import Daemon

@Suite struct LatencyHistogramTests {
    /// A quantile is never below the true one, and at most a fifth above it.
    @Test(arguments: UInt64(1)...5) func quantilesAreAccurateToAFifth(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var histogram = LatencyHistogram()
        var samples: [Double] = []
        for _ in 0..<Int.random(in: 1...2_000, using: &random) {
            let sample =
                1e-5 * Double.random(in: 1...4, using: &random) * Double(1 << Int.random(in: 0..<20, using: &random))
            samples.append(sample)
            histogram.add(sample)
        }
        samples.sort()
        for share in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = samples[max(0, Int((share * Double(samples.count)).rounded(.up)) - 1)]
            let quantile = try #require(histogram.quantile(share))
            #expect(quantile >= exact * 0.999)
            #expect(quantile <= exact * 1.201)
        }
        #expect(histogram.count == samples.count)
    }

    @Test func anEmptyHistogramHasNoQuantile() {
        #expect(LatencyHistogram().quantile(0.5) == nil)
    }

    @Test func extremeLatenciesAreCountedToo() throws {
        var histogram = LatencyHistogram()
        histogram.add(1e9)
        histogram.add(0)
        #expect(try #require(histogram.quantile(1)) > 600)
        #expect(try #require(histogram.quantile(0.5)) <= 1e-6)
    }
}
