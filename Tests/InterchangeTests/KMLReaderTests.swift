import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Interchange

@Suite struct KMLReaderTests {
    private static func document(_ body: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Way</name>\(body)</Document></kml>
            """.utf8)
    }

    private static func placemark(_ coordinates: String, _ rest: String = "") -> [UInt8] {
        document("<Placemark>\(rest)<Point><coordinates>\(coordinates)</coordinates></Point></Placemark>")
    }

    @Test func aPointHasItsNameAddressAndDescription() throws {
        let bytes = Self.placemark(
            "\n 4.8897,52.374,3 \n",
            """
            <name> Dam &amp; more </name><!-- <name>no</name> --><styleUrl href='a>b'/><address>Dam 1</address>
            <description><![CDATA[<b>Old</b><br/>and <i>new</i>]]></description>
            """)
        let (points, others) = try KMLReader.points(from: bytes)
        let point = try #require(points.first)
        #expect((points.count, others) == (1, 0))
        #expect(point.name == "Dam & more")
        #expect(point.address == "Dam 1")
        #expect(point.description == "Old\nand new")
        #expect(point.coordinate == Coordinate(latitude: 52.374, longitude: 4.8897))
    }

    @Test func foldersAndPrefixesMakeNoDifferenceAndLinesAreSkipped() throws {
        let text = """
            <k:kml xmlns:k="http://www.opengis.net/kml/2.2"><k:Folder><k:Folder>
            <k:Placemark><k:name>A&#x301;&#65;</k:name><k:MultiGeometry><k:Point><k:coordinates>1,2</k:coordinates></k:Point>
            <k:Point><k:coordinates>3,4</k:coordinates></k:Point></k:MultiGeometry></k:Placemark></k:Folder>
            <k:Placemark><k:name>Line</k:name><k:LineString><k:coordinates>1,2 3,4</k:coordinates></k:LineString></k:Placemark>
            </k:Folder></k:kml>
            """
        let (points, others) = try KMLReader.points(from: Array(text.utf8))
        #expect(points.map(\.name) == ["A\u{301}A"])
        #expect(points.map(\.coordinate) == [Coordinate(latitude: 2, longitude: 1).known])
        #expect(others == 1)
        let utf16 = Data([0xFF, 0xFE]) + (text.data(using: .utf16LittleEndian) ?? Data())
        #expect(try KMLReader.points(from: Array(utf16)).points == points)
    }

    @Test func writtenPointsAreReadBack() throws {
        var writer = KMLWriter()
        var bytes: [UInt8] = []
        let place = Coordinate(latitudeE7: 523_740_001, longitudeE7: -1_799_999_999).known
        writer.begin(to: &bytes)
        writer.append(point: place, name: "A <b> & \"c\"", description: "one\ntwo", to: &bytes)
        writer.end(to: &bytes)
        let point = try #require(try KMLReader.points(from: bytes).points.first)
        #expect(point == KMLPoint(name: "A <b> & \"c\"", description: "one\ntwo", coordinate: place))
    }

    @Test(arguments: [
        ("", "damaged"), ("<gpx/>", "not <kml>"), ("<kml>", "damaged"), ("<kml></KML>", "mismatch"),
        ("<kml/><kml/>", "Extra content"), ("text<kml/>", "damaged"), ("<kml>&nbsp;</kml>", "nbsp"),
        ("<kml>&#0;</kml>", "damaged"), ("<kml>a < b</kml>", "damaged"), ("<kml a='</kml>", "damaged"),
        ("<!DOCTYPE kml [<!ENTITY a 'b'>]><kml>&a;</kml>", "document type"), ("<kml><!-- ", "damaged"),
        ("<kml><![CDATA[x</kml>", "damaged"), ("PK\u{3}\u{4}", "archive"), ("<kml a<b/>", "damaged"),
        (String(repeating: "<kml>", count: 300), "deeper"),
    ]) func aDamagedDocumentIsRefused(_ text: String, _ said: String) {
        let error = #expect(throws: RecordingError.self) { try KMLReader.points(from: Array(text.utf8)) }
        #expect(error?.reason.contains(said) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", "5", "5,", "181,2", "2,91", "nan,2", "a,b", "1 2"])
    func aPointWithoutValidCoordinatesIsRefused(_ coordinates: String) {
        let error = #expect(throws: RecordingError.self) {
            try KMLReader.points(from: Self.placemark(coordinates))
        }
        #expect(error?.reason.contains("Placemark 1") == true)
    }

    /// libxml2 compares each attribute with all others, and searches all namespaces for each prefix.
    @Test func anElementWithTooManyAttributesIsRefusedBeforeItIsParsed() throws {
        func marks(_ attributes: String) -> [UInt8] {
            Self.document("<Placemark \(attributes)><Point><coordinates>1,2</coordinates></Point></Placemark>")
        }
        func attributes(_ count: Int) -> String { (0..<count).map { "a\($0)='x=\">'" }.joined(separator: " ") }
        #expect(try KMLReader.points(from: marks(attributes(256))).points.count == 1)
        for count in [257, 40_000] {
            let error = #expect(throws: RecordingError.self) { try KMLReader.points(from: marks(attributes(count))) }
            #expect(error?.reason == "an element has more than 256 attributes")
        }
        let nested = (0..<100).map { level in "<a\((0..<10).map { " xmlns:n\(level)_\($0)='u'" }.joined())>" }.joined()
        let error = #expect(throws: RecordingError.self) { try KMLReader.points(from: Self.document(nested)) }
        #expect(error?.reason == "more than 256 namespaces are in scope")
    }

    @Test func anErrorHasItsLine() {
        let error = #expect(throws: RecordingError.self) {
            try KMLReader.points(from: Array("<kml>\n<a>\n</b>\n</kml>".utf8))
        }
        #expect(error?.line == 3)
    }

    /// Truncated and changed documents are either read or refused, and none ends the process.
    @Test func damagedDocumentsAreReadOrRefused() {
        var generator = SeededGenerator(seed: 6)
        let whole = Self.placemark(
            "1,2", "<name a=\"b\">N&amp;</name><!-- c --><description><![CDATA[d]]></description>")
        for length in whole.indices { _ = try? KMLReader.points(from: Array(whole[..<length])) }
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? KMLReader.points(from: bytes)
        }
    }
}
