#if Fleet
import FleetStore
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Worker

/// The content of messages.
@Suite struct FixBatchTests {
    @Test func aBatchIsReadAsItWasWritten() throws {
        var random = SeededGenerator(seed: TestTier.seed)
        for _ in 0..<200 {
            let batch = Self.batch(using: &random)
            #expect(try FixBatch(reading: batch.bytes) == batch)
        }
    }

    @Test func everyShorterMessageIsRefused() throws {
        var random = SeededGenerator(seed: TestTier.seed)
        let bytes = Self.batch(using: &random).bytes
        for length in bytes.indices {
            #expect(throws: FixBatch.Damage.self) { try FixBatch(reading: Array(bytes[..<length])) }
        }
        #expect(throws: FixBatch.Damage.self) { try FixBatch(reading: bytes + [0]) }
    }

    @Test func aChangedByteGivesAnotherBatchOrARefusal() throws {
        var random = SeededGenerator(seed: TestTier.seed)
        let batch = Self.batch(using: &random)
        for index in batch.bytes.indices {
            var bytes = batch.bytes
            bytes[index] ^= UInt8.random(in: 1...255, using: &random)
            // Whatever is read can be written and read again.
            guard let read = try? FixBatch(reading: bytes) else { continue }
            #expect(try FixBatch(reading: read.bytes) == read)
        }
    }

    @Test(arguments: ["", "a\u{0}b", "a\nb", String(repeating: "x", count: 201)])
    func aNameThatIsNoneIsRefused(name: String) {
        let batch = FixBatch(
            publisher: String(repeating: "a", count: 32), number: 1, parts: [FixBatch.Part(device: name, fixes: [])]
        )
        #expect(throws: FixBatch.Damage.self) { try FixBatch(reading: batch.bytes) }
    }

    private static func batch(using random: inout SeededGenerator) -> FixBatch {
        let id = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
        let parts = (0..<Int.random(in: 0...4, using: &random)).map { number in
            FixBatch.Part(
                device: "phöne \(number)",
                fixes: (0..<Int.random(in: 0...20, using: &random)).map { _ in fix(using: &random) },
                ends: Bool.random(using: &random))
        }
        return FixBatch(
            publisher: id, number: UInt64.random(in: 1...UInt64(Int64.max), using: &random), parts: parts)
    }

    private static func fix(using random: inout SeededGenerator) -> Fix {
        let time = Timestamp(milliseconds: Int64.random(in: -1_000_000...4_000_000_000_000, using: &random))
        let place =
            Coordinate(
                latitude: Double.random(in: -90...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random)) ?? .origin
        var fix = Fix(
            time: Bool.random(using: &random) ? time : nil, coordinate: place,
            beginsSegment: Bool.random(using: &random))
        if Bool.random(using: &random) { fix.altitude = .meters(Double.random(in: -100...9000, using: &random)) }
        if Bool.random(using: &random) { fix.speed = .metersPerSecond(Double.random(in: 0...80, using: &random)) }
        if Bool.random(using: &random) { fix.track = .degrees(Double.random(in: 0..<360, using: &random)) }
        if Bool.random(using: &random) { fix.accuracy = .meters(Double.random(in: 0...300, using: &random)) }
        if Bool.random(using: &random) { fix.hdop = Double.random(in: 0...20, using: &random) }
        if Bool.random(using: &random) { fix.mode = .threeDimensional }
        if Bool.random(using: &random) { fix.satellites = Int.random(in: 0...200, using: &random) }
        if Bool.random(using: &random) { fix.kind = TripKind.allCases.randomElement(using: &random) }
        return fix
    }
}
#endif
