import GPX
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@Suite struct GPXWriterTests {
    private func text(_ writer: GPXWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }

    private func full() throws -> GPXPoint {
        var point = GPXPoint(try #require(Coordinate(latitudeE7: 523_730_560, longitudeE7: -48_922_220)))
        point.elevation = .meters(-2.5)
        point.time = Timestamp(milliseconds: 1_777_629_603_000)
        point.speed = .metersPerSecond(1.25)
        point.course = .degrees(271.5)
        point.hdop = 0.95
        point.satellites = 11
        point.fixType = .differential
        point.name = "Tom & <Jerry>"
        point.comment = "c"
        point.description = "d"
        point.category = "t"
        point.symbol = "s"
        return point
    }

    @Test func aSmallDocumentIsWrittenAsExpected() throws {
        var bounds = GeographicBounds(try #require(Coordinate(latitude: 1, longitude: 2)))
        bounds.include(try #require(Coordinate(latitude: -1.5, longitude: 180)))
        var writer = GPXWriter(name: "N", time: Timestamp(milliseconds: 0), bounds: bounds)
        writer.waypoint(GPXPoint(try #require(Coordinate(latitude: 1, longitude: 2))))
        writer.beginTrack(name: "T")
        writer.beginSegment()
        writer.trackPoint(try full())
        writer.beginSegment()
        writer.beginTrack()
        writer.finish()
        #expect(
            text(writer) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="Waymark" xmlns="http://www.topografix.com/GPX/1/1" \
                xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
                <metadata><name>N</name><time>1970-01-01T00:00:00.000Z</time>\
                <bounds minlat="-1.5" minlon="2" maxlat="1" maxlon="-180"></bounds></metadata>
                <wpt lat="1" lon="2"></wpt>
                <trk><name>T</name>
                <trkseg>
                <trkpt lat="52.373056" lon="-4.892222"><ele>-2.5</ele><time>2026-05-01T10:00:03.000Z</time>\
                <name>Tom &amp; &lt;Jerry&gt;</name><cmt>c</cmt><desc>d</desc><sym>s</sym><type>t</type><fix>dgps</fix>\
                <sat>11</sat><hdop>0.95</hdop><extensions><gpxtpx:TrackPointExtension>\
                <gpxtpx:speed>1.25</gpxtpx:speed><gpxtpx:course>271.5</gpxtpx:course>\
                </gpxtpx:TrackPointExtension></extensions></trkpt>
                </trkseg>
                <trkseg>
                </trkseg>
                </trk>
                <trk>
                </trk>
                </gpx>

                """)
    }

    /// The elements of `wptType` in the schema's order (GPX 1.1, gpx.xsd).
    private static let order = [
        "ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link", "sym", "type", "fix", "sat",
        "hdop",
        "vdop", "pdop", "ageofdgpsdata", "dgpsid", "extensions",
    ]

    @Test func aPointsElementsAreInTheOrderOfTheSchema() throws {
        var writer = GPXWriter()
        writer.waypoint(try full())
        let elements = text(writer).split(separator: "<wpt").last?.matches(of: #/<(\w+)>/#).map { String($0.1) } ?? []
        let places = try elements.map { try #require(Self.order.firstIndex(of: $0)) }
        #expect(places.count == 11)
        #expect(places == places.sorted())
    }

    @Test func unknownValuesAreOmitted() throws {
        let point = GPXPoint(try #require(Coordinate(latitude: 1, longitude: 2)))
        var writer = GPXWriter()
        writer.waypoint(point)
        #expect(text(writer).hasSuffix("\n<wpt lat=\"1\" lon=\"2\"></wpt>\n"))
        #expect(!text(writer).contains("metadata"))
    }

    @Test(arguments: [(359.994, "359.99"), (359.996, "0"), (360, "0"), (-90, "270")] as [(Double, String)])
    func coursesAreWrittenBelow360Degrees(degrees: Double, written: String) throws {
        var point = GPXPoint(try #require(Coordinate(latitude: 1, longitude: 2)))
        point.course = .degrees(degrees)
        var writer = GPXWriter()
        writer.waypoint(point)
        #expect(text(writer).contains("<gpxtpx:course>\(written)</gpxtpx:course>"))
    }

    @Test(arguments: [
        ("a\u{0}b\u{1F}\u{FFFE}c", "a\u{FFFD}b\u{FFFD}\u{FFFD}c"), ("]]>&amp;<!--\"'", "]]>&amp;<!--\"'"),
        ("1\r\n2\r3\n4\t5", "1\r\n2\r3\n4\t5"), ("e\u{301} 🏳️‍🌈 \u{7F}\u{85}\u{2028}", "e\u{301} 🏳️‍🌈 \u{7F}\u{85}\u{2028}"),
    ])
    func textsSurviveWritingAndReading(text: String, read: String) throws {
        var point = GPXPoint(try #require(Coordinate(latitude: 1, longitude: 2)))
        point.name = text
        var writer = GPXWriter(name: text)
        writer.waypoint(point)
        writer.finish()
        let reading = Reading(writer.bytes)
        #expect(reading.failure == nil)
        #expect(reading.waypoints.first?.name.map { Array($0.utf8) } == Array(read.utf8))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func writtenDocumentsAreReadBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var writer = GPXWriter()
        var expected: [GPXItem] = []
        var bytes: [UInt8] = []
        for _ in 0..<20 {
            let point = try randomPoint(&generator)
            writer.waypoint(point)
            expected.append(.waypoint(point))
        }
        for track in 0..<3 {
            writer.beginTrack(name: track == 0 ? nil : "track \(track)")
            expected.append(.track(name: track == 0 ? nil : "track \(track)"))
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                writer.beginSegment()
                expected.append(.segment)
                for _ in 0..<Int.random(in: 0...200, using: &generator) {
                    let point = try randomPoint(&generator)
                    writer.trackPoint(point)
                    expected.append(.trackPoint(point))
                    // The bytes written so far may be taken at any time.
                    if Bool.random(using: &generator) {
                        bytes += writer.bytes
                        writer.removeAll()
                    }
                }
            }
        }
        writer.finish()
        let reading = Reading(bytes + writer.bytes)
        #expect(reading.failure == nil)
        #expect(reading.malformed.isEmpty)
        #expect(Array(reading.items.dropFirst()) == expected)
    }

    private func randomPoint(_ generator: inout SeededGenerator) throws -> GPXPoint {
        func some<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
        func number(_ range: ClosedRange<Int>, in units: Double) -> Double {
            Double(Int.random(in: range, using: &generator)) / units
        }
        var point = GPXPoint(
            try #require(
                Coordinate(
                    latitudeE7: .random(in: -900_000_000...900_000_000, using: &generator),
                    longitudeE7: .random(in: -1_800_000_000..<1_800_000_000, using: &generator))))
        point.elevation = some(.meters(number(-500_000...9_000_000, in: 1000)))
        point.time = some(Timestamp(milliseconds: .random(in: 0...4_000_000_000_000, using: &generator)))
        point.speed = some(.metersPerSecond(number(0...100_000, in: 1000)))
        point.course = some(.degrees(number(0...35_999, in: 100)))
        point.hdop = some(number(0...9999, in: 100))
        point.satellites = some(Int.random(in: 0...40, using: &generator))
        point.fixType = GPXFixType.allCases.randomElement(using: &generator).flatMap(some)
        point.name = some("name & <\(number(0...99, in: 1))>")
        point.description = some("é\n中")
        return point
    }
}
