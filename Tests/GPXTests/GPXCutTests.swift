import GPX
import Positioning
import TestSupport
import Testing

/// The result does not depend on how the bytes are split.
@Suite struct GPXCutTests {
    /// Many features of XML in few bytes.
    private static let rich = """
        <wpt lat="1.25" lon="2.5" x:note="a > b" x:more='"c">'><name>Žižkov 🏔 &amp; 中&#x6587;</name><!-- > <wpt> -->
        <desc><![CDATA[<b>]] > & "q"]]></desc><?pi > ?></wpt><trk ><name>it's</name><trkseg\t><trkpt lon='-0.5'
        lat='7'><ele>12.5</ele><time>2026-05-01T10:00:00Z</time><extensions><x:t><x:speed>3.25</x:speed></x:t><x:u/>\r
        </extensions></trkpt ></trkseg></trk>
        """

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func piecesOfAnyLengthGiveTheSameItems(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = Array(document(String(repeating: Self.rich, count: 200)).utf8)
        let whole = Reading(bytes)
        #expect(whole.failure == nil)
        #expect(whole.points.count == 200)
        let longest = Int.random(in: 2...30_000, using: &generator)
        let pieces = (0..<10_000).map { _ in Int.random(in: 0..<longest, using: &generator) }
        #expect(Reading(bytes, pieces: pieces) == whole)
    }

    @Test func singleBytesGiveTheSameItems() {
        let bytes = Array(document(Self.rich).utf8)
        #expect(Reading(bytes, pieces: Array(repeating: 1, count: bytes.count)) == Reading(bytes))
    }

    /// The parser of libxml2 gets blocks of 64 KiB, and repairs what crosses a boundary, so the test puts one
    /// everywhere.
    @Test func theResultDoesNotDependOnTheBlockBoundary() {
        let expected = Reading(document(Self.rich))
        #expect(expected.failure == nil)
        let start = document("").utf8.count - "</gpx>".utf8.count
        for offset in 0...Self.rich.utf8.count {
            let blanks = String(repeating: " ", count: 65_536 - start - offset)
            let reading = Reading(document(blanks + Self.rich))
            #expect(reading == expected, "border at \(offset)")
        }
    }

    @Test func theResultDoesNotDependOnTheBlockBoundaryInUTF16() {
        let expected = Reading(document(Self.rich))
        let start = document("").utf16.count - "</gpx>".utf16.count + 1
        for offset in stride(from: 0, through: Self.rich.utf16.count, by: 11) {
            let blanks = String(repeating: " ", count: 32_768 - start - offset)
            let units = [0xFEFF] + Array(document(blanks + Self.rich).utf16)
            let reading = Reading(units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
            #expect(reading == expected, "border at \(offset)")
        }
    }
}
