#if Fleet
import FleetStore
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

/// What a partition remembers of its publishers' messages, and packed points.
@Suite struct AppliedMessagesTests {
    @Test func eachNumberIsNewOnceWhateverTheOrder() throws {
        var random = SeededGenerator(seed: TestTier.seed)
        var applied = AppliedMessages()
        var known: Set<UInt64> = []
        var highest: UInt64 = 0
        for _ in 0..<5000 {
            let low =
                highest > UInt64(AppliedMessages.window) + 50 ? highest - UInt64(AppliedMessages.window) - 50 : 1
            let isJump = Int.random(in: 0..<500, using: &random) == 0
            let number = UInt64.random(in: low...highest + (isJump ? 3000 : 5), using: &random)
            let verdict = applied.apply(number)
            if number + UInt64(AppliedMessages.window) <= highest {
                #expect(verdict == .unknown)
            } else {
                #expect(verdict == (known.insert(number).inserted ? .new : .applied))
            }
            highest = max(highest, number)
            #expect(applied.highest == highest)
            applied = try #require(AppliedMessages(highest: applied.highest, bytes: applied.bytes))
        }
    }

    @Test func packedPointsAreThosePackedInTheStoresUnits() throws {
        var random = SeededGenerator(seed: TestTier.seed)
        for count in [1, 2, 37, PackedTrace.mostPoints] {
            var time = Timestamp(milliseconds: 1_700_000_000_000)
            let points: [(fix: Fix, gap: Bool)] = try (0..<count).map { _ in
                time = time.advanced(byMilliseconds: Int64.random(in: 1...100_000, using: &random))
                let place = try #require(
                    Coordinate(
                        latitudeE7: Int32.random(in: -900_000_000...900_000_000, using: &random),
                        longitudeE7: Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)))
                let gap = Bool.random(using: &random)
                var fix = Fix(time: time, coordinate: place, beginsSegment: gap)
                if Bool.random(using: &random) {
                    fix.altitude = .meters(Double(Int.random(in: -50...900, using: &random)))
                }
                if Bool.random(using: &random) {
                    fix.speed = .metersPerSecond(Double.random(in: 0...50, using: &random))
                }
                if Bool.random(using: &random) {
                    fix.track = .degrees(Double(Int.random(in: 0..<360, using: &random)))
                }
                if Bool.random(using: &random) { fix.accuracy = .meters(Double.random(in: 0...90, using: &random)) }
                return (fix, gap)
            }
            let packed = try #require(PackedTrace(points))
            #expect(packed.count == count && packed.first == points[0].fix.time && packed.last == time)
            let read = try #require(PackedTrace.points(in: packed.bytes))
            #expect(read.count == count)
            for (one, other) in zip(points, read) {
                var expected = one.fix
                expected.speed = expected.speed.map { .metersPerSecond(($0.metersPerSecond * 100).rounded() / 100) }
                expected.accuracy = expected.accuracy.map { .meters($0.meters.rounded(.up)) }
                #expect(other.fix == expected && other.gap == one.gap)
            }
            let middle = try #require(points[count / 2].fix.time)
            #expect(PackedTrace.points(in: packed.bytes, until: middle)?.count == count / 2 + 1)
            #expect(PackedTrace.points(in: Array(packed.bytes.dropLast())) == nil)
        }
        #expect(PackedTrace([]) == nil)
    }
}
#endif
