import Positioning
import TestSupport
import Testing
import Time

@testable import Histories

/// Whatever a file is, no decoder traps, and the lengths of the pieces make no difference.
@Suite struct ActivityDamageTests {
    private static let samples: [(name: String, decoder: @Sendable () -> any HistoryDecoder, bytes: [UInt8])] = [
        ("FIT", { FITDecoder() }, fit),
        ("IGC", { IGCDecoder() }, Array(igc.utf8)),
        ("TCX", { TCXDecoder() }, Array(tcx.utf8)),
        ("KML", { KMLDecoder() }, Array(kml.utf8)),
    ]

    private static var fit: [UInt8] {
        var fit = FITBytes.ride(20)
        fit.define(1, 21, [(253, 4, 0x86), (0, 1, 0), (1, 1, 0)], developer: [2, 2])
        fit.add(1, [(1_000_000_102, 4), (0, 1), (0, 1), (0, 4)])
        fit.define(2, 20, [(0, 4, 0x85), (1, 4, 0x85)], isBigEndian: true)
        for second in 0..<20 { fit.add(0x80 | 2 << 5 | UInt8(second), [(5, 4), (6, 4)], isBigEndian: true) }
        return fit.file + FITBytes.ride(3).file
    }

    private static var igc: String {
        let fixes = (10..<60).map { "B2359\($0)5206343N00006198WA0058700558\($0)5" }
        return
            "AXXX001\nHFDTE311223\nI013638TDS\n\(fixes.joined(separator: "\n"))\nB0000015206343N00006198WV0058700558\n"
    }

    private static var tcx: String {
        let points = (10..<40).map { TCXDecoderTests.point($0) }.joined()
        return TCXDecoderTests.document("<Activity><Lap><Track>\(points)</Track></Lap></Activity>")
    }

    private static var kml: String {
        KMLDecoderTests.document(
            KMLDecoderTests.point("7,46", KMLDecoderTests.stamp) + KMLDecoderTests.point("7,46", KMLDecoderTests.span)
                + KMLDecoderTests.track(
                    KMLDecoderTests.when(10, 11, 12, 13) + KMLDecoderTests.coord(1, 2, 3, 4)
                        + "<!-- a --><![CDATA[ b ]]>"))
    }

    @Test(arguments: 0..<4) func piecesMakeNoDifference(index: Int) {
        let sample = Self.samples[index]
        var generator = SeededGenerator(seed: UInt64(index))
        let whole = ActivityReading(sample.decoder(), sample.bytes)
        #expect(whole.failure == nil)
        #expect(!whole.items.isEmpty)
        for pieces in [[Int](repeating: 1, count: sample.bytes.count), generator.pieces(of: sample.bytes.count)] {
            #expect(ActivityReading(sample.decoder(), sample.bytes, pieces: pieces) == whole)
        }
    }

    @Test(arguments: 0..<4) func noDamageTraps(index: Int) {
        let sample = Self.samples[index]
        var generator = SeededGenerator(seed: 100 + UInt64(index))
        for _ in 0..<250 {
            let bytes = generator.damaged(sample.bytes)
            let whole = ActivityReading(sample.decoder(), bytes)
            #expect(ActivityReading(sample.decoder(), bytes, pieces: generator.pieces(of: bytes.count)) == whole)
        }
    }

    @Test(arguments: 0..<4) func noNoiseTraps(index: Int) {
        var generator = SeededGenerator(seed: 200 + UInt64(index))
        for _ in 0..<300 {
            let noise = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let reading = ActivityReading(Self.samples[index].decoder(), noise)
            #expect(reading.items.isEmpty)
        }
    }

    @Test func hostileXMLIsRefused() {
        let attributes = (0..<1000).map { "a\($0)='1'" }.joined(separator: " ")
        let names = (0..<1800).map { "<n\($0)\(String(repeating: "x", count: 1000))/>" }.joined()
        let inputs = [
            String(repeating: "<a>", count: 1000), "<a \(attributes)/>", names,
            "&" + String(repeating: "x", count: 2000), "<!--" + String(repeating: "x", count: 600_000),
            "<![CDATA[", "<\(String(repeating: "n", count: 2000))/>",
        ]
        for input in inputs {
            let reading = ActivityReading(KMLDecoder(), "<kml>\(input)")
            #expect(reading.failure != nil)
            #expect(reading.failure?.reason.contains("cut off") == (input == "<![CDATA["), "\(input.prefix(20))")
        }
    }
}
