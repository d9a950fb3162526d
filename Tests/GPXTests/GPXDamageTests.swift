import GPX
import Positioning
import Testing

@Suite struct GPXDamageTests {
    private static let two = "<trkpt lat='1' lon='2'/>\n<trkpt lat='3' lon='4'/>\n"

    @Test(arguments: [
        ("<trkpt lat='5' lon='6'><ele>7</trkpt>", "mismatch"), ("<trkpt lat='5' lon='6'></trkseg>", "mismatch"),
        ("<trkpt lat='5' lon='6'><name>Tom & Jerry</name></trkpt>", "&amp;"),
        ("<trkpt lat='5' lon='6'><name>&nbsp;</name></trkpt>", "five predefined"),
        ("<trkpt lat='5' lat='6' lon='7'/>", "redefined"), ("<trkpt lat=5 lon='7'/>", "AttValue"),
        ("<trkpt lat='<' lon='7'/>", "<"), ("<trkpt lat='5' lon='6'><name>\u{1}</name></trkpt>", "invalid Char"),
        ("<trkpt lat='5' lon='6'><n:speed>7</n:speed></trkpt>", "prefix n"),
        ("<?xml version='1.0'?>", "second document"),
    ])
    func pointsBeforeADamageAreReturnedWithItsPosition(damage: String, reason: String) throws {
        let reading = Reading(track("\n\(Self.two)\(damage)<trkpt lat='8' lon='9'/>"))
        let failure = try #require(reading.failure)
        #expect(reading.points.count == 2)
        #expect(failure.reason.contains(reason))
        #expect(!failure.reason.contains("\n"))
        #expect(failure.line == 5)
        #expect(try #require(failure.column) >= 1)
    }

    @Test func anAmpersandInALongDocumentIsReportedCorrectly() throws {
        let many = String(repeating: "<trkpt lat='8' lon='9'/>", count: 50_000)
        let reading = Reading(track("\n\(Self.two)<trkpt lat='1' lon='1'><name>A & B</name></trkpt>\(many)"))
        #expect(reading.points.count == 2)
        #expect(try #require(reading.failure).reason.contains("&amp;"))
        #expect(reading.failure?.line == 5)
    }

    @Test func bytesThatAreNotUTF8EndTheReading() throws {
        let bytes = Array(track(Self.two + "<trkpt lat='5' lon='6'><name>?</name></trkpt>").utf8)
        let at = try #require(bytes.lastIndex(of: UInt8(ascii: "?")))
        let reading = Reading(bytes[..<at] + [0xE9, 0xFF] + bytes[at...])
        #expect(reading.points.count == 2)
        #expect(reading.failure?.reason.contains("UTF-8") == true)
        #expect(reading.failure?.line == 4)
    }

    @Test func bytesThatDoNotFitTheDeclaredEncodingEndTheReading() throws {
        let text = "<?xml version='1.0' encoding='windows-1252'?><gpx version='1.1'><wpt lat='1' lon='2'/>?</gpx>"
        let reading = Reading(Array(text.utf8.map { $0 == UInt8(ascii: "?") ? 0x81 : $0 }))
        #expect(reading.failure != nil)
    }

    @Test(arguments: ["", "\n\n"], [true, false])
    func aSecondDocumentInTheFileIsAnErrorAtItsLine(between: String, hasDeclaration: Bool) {
        let first = track(Self.two)
        let second = hasDeclaration ? first : String(first.drop { $0 != "\n" }.dropFirst())
        let reading = Reading(first + "\n" + between + second)
        #expect(reading.points.count == 2)
        #expect(reading.failure?.reason == "something follows the end of the document at </gpx>")
        #expect(reading.failure?.line == 5 + between.count)
    }

    @Test func everyTruncationGivesAPrefixOfTheItemsAndAnError() {
        let bytes = Array(
            document(
                """
                <metadata><name>é&amp;</name></metadata><wpt lat='1' lon='2'/><!-- c --><rte><rtept lat='3' lon='4'/></rte>
                <trk><name>T</name><trkseg><trkpt lat='5.55' lon='6.66'><ele>123</ele><time>2026-05-01T10:00:00Z</time>
                <extensions><x:speed>12</x:speed></extensions></trkpt><trkpt lat="7" lon="8"/></trkseg></trk>
                """
            ).utf8)
        let whole = Reading(bytes)
        #expect(whole.failure == nil)
        for length in bytes.indices {
            let reading = Reading(Array(bytes[..<length]))
            #expect(whole.items.starts(with: reading.items), "cut at \(length)")
            #expect(reading.failure != nil, "cut at \(length)")
            if let failure = reading.failure, length > 70 {
                #expect(failure.reason == "the document is cut off: it ends before </gpx>", "cut at \(length)")
            }
        }
    }

    @Test func aFailedReaderKeepsFailing() throws {
        let reader = GPXReader()
        var items: [GPXItem] = []
        let bytes = Array("<kml/>".utf8)
        try reader.feed(bytes.span, into: &items)
        #expect(throws: (any Error).self) { try reader.finish(into: &items) }
        #expect(throws: (any Error).self) { try reader.feed(bytes.span, into: &items) }
        #expect(throws: (any Error).self) { try reader.finish(into: &items) }
        #expect(items.isEmpty)
    }

    @Test(arguments: [
        ("", "empty"), ("  \n", "no element"), ("<?xml version='1.0'?>", "no element"), ("<!-- only -->", "no element"),
        ("<kml xmlns='http://www.opengis.net/kml/2.2'/>", "<kml>"), ("<x:trk xmlns:x='u'/>", "<trk>"),
        ("<!DOCTYPE html><html><body>Not found<br></body></html>", "<html>"), ("PK\u{3}\u{4}abcdef", "ZIP"),
        ("$GPRMC,1,2,3", "NMEA"), ("{\"type\":\"Feature\"}", "JSON"), ("Not found", "something else"),
        ("\n<?xml version='1.0'?><gpx/>", "before the XML declaration"),
    ])
    func otherFilesAreRefusedWithWhatTheyAre(text: String, found: String) throws {
        let reading = Reading(text)
        #expect(reading.items.isEmpty)
        #expect(try #require(reading.failure).reason.contains(found))
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x3C], "PNG"), ([0x1F, 0x8B, 8, 0, 0x3C], "gzip"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "JPEG"), ([0x42, 0x5A, 0x68, 0x39], "bzip2"), ([0, 1, 2, 3], "something else"),
        ] as [([UInt8], String)])
    func binaryFilesAreRefusedWithTheirFormat(bytes: [UInt8], found: String) throws {
        #expect(try #require(Reading(bytes).failure).reason.contains(found))
    }
}
