import Geodesy
import NMEA
import Positioning
import TestSupport
import Testing

@Suite struct RobustnessTests {
    /// Returns sentences of all types with all kinds of rubbish between them.
    private static func mixture(epochs: Int, using generator: inout SeededGenerator) -> [UInt8] {
        var receiver = Receiver(cycle: ["GGA", "GNS", "GLL", "GSA", "GST", "RMC", "VTG", "ZDA", "GSV"])
        var recording = Recording()
        for _ in 0..<epochs {
            for sentence in receiver.epoch() {
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: recording.add(raw: "# comment\n")
                case 1: recording.add(raw: "$GPRMC,1000")
                case 2: recording.bytes += (0..<40).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                case 3: recording.add(raw: "!AIVDM,1,1,,B,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0*24\r\n")
                case 4: recording.add(raw: String(repeating: "x!", count: 400) + "$")
                case 5: recording.add(raw: "$" + String(repeating: "x!", count: 400))
                default: break
                }
                recording.add(sentence)
            }
        }
        return recording.bytes
    }

    @Test func theResultDoesNotDependOnHowTheBytesAreSplit() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let bytes = Self.mixture(epochs: 12, using: &generator)
            let whole = Decoded(bytes: bytes, pieces: [bytes.count])
            #expect(whole.fixes.count >= 10)
            #expect(!whole.malformed.isEmpty)
            let pieces = (0..<500).map { _ in Int.random(in: 1...90, using: &generator) }
            #expect(Decoded(bytes: bytes, pieces: pieces) == whole)
            #expect(Decoded(bytes: bytes, pieces: [1]) == whole)
        }
    }

    @Test func aChangedByteNeverGivesAPositionThatWasNotSent() {
        var generator = SeededGenerator(seed: 3)
        var receiver = Receiver(cycle: ["GGA", "GNS", "GLL", "GSA", "GST", "RMC", "VTG", "ZDA"])
        let bytes = Recording((0..<4).flatMap { _ in receiver.epoch() }).bytes
        let sent = Set(Decoded(bytes: bytes, pieces: [bytes.count]).fixes.map(\.coordinate))
        for _ in 0..<3000 {
            var damaged = bytes
            let place = Int.random(in: 0..<damaged.count, using: &generator)
            damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
            for fix in Decoded(bytes: damaged, pieces: [damaged.count]).fixes { #expect(sent.contains(fix.coordinate)) }
        }
    }

    @Test func damageWithAMatchingChecksumGivesOnlyPossibleValues() {
        var generator = SeededGenerator(seed: 5)
        let receiver = Receiver()
        let characters = Array("0123456789.,-+ANSEWVMKTXnae ".utf8)
        for _ in 0..<5000 {
            let formatters = ["GGA", "GNS", "GLL", "RMC", "GST", "VTG", "GSA", "ZDA"].shuffled(using: &generator)
            var recording = Recording()
            for formatter in formatters {
                var body = Array(receiver.sentence(formatter).utf8)
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    let place = Int.random(in: 5..<body.count, using: &generator)
                    body[place] = characters.randomElement(using: &generator) ?? 0x2C
                }
                recording.add(String(decoding: body, as: UTF8.self))
            }
            for fix in Decoded(recording).fixes {
                #expect(abs(fix.coordinate.latitude) <= 90 && abs(fix.coordinate.longitude) <= 180)
                #expect(fix.speed.map { (0...10_300).contains($0.metersPerSecond) } ?? true)
                #expect(fix.track.map { (0..<360).contains($0.degrees) } ?? true)
                #expect(fix.altitude?.meters.isFinite ?? true)
                #expect(fix.accuracy.map { $0.meters.isFinite && $0.meters > 0 } ?? true)
            }
        }
    }

    @Test func randomBytesGiveNoFixAndAreCounted() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<50 {
            let bytes = (0..<4000).map { _ in
                Bool.random(using: &generator) ? UInt8.random(in: .min ... .max, using: &generator) : 0x24
            }
            let decoded = Decoded(bytes: bytes, pieces: [bytes.count])
            #expect(decoded.fixes == [])
            #expect(decoded.malformed.total > 0)
        }
    }

    @Test func anEmptyRecordingGivesNoFixes() {
        let decoded = Decoded(Recording())
        #expect(decoded.fixes == [])
        #expect(decoded.malformed.isEmpty)
    }
}
