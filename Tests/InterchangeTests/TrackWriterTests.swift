import Geodesy
import Interchange
import Positioning
import Testing

@Suite struct CSVTrackWriterTests {
    @Test func eachFixIsARow() throws {
        var full = try fix(0, -52.0000001, 13.5, altitude: -1.26)
        full.speed = .metersPerSecond(1.239)
        full.track = .degrees(359.94)
        full.accuracy = .meters(4.5)
        var still = try fix(1, 0, -180, altitude: 0)
        still.speed = .metersPerSecond(0)
        let tracks = [
            ExportedTrack(name: "A", segments: [[full, still], [], [try fix(nil, 1, 2)]]),
            ExportedTrack(name: "B", segments: [[try fix(2, 3, 4)]]),
        ]
        let expected = """
            time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,segment
            2026-05-01T10:00:00.000Z,-52.0000001,13.5,-1.3,1.24,359.9,4.5,1
            2026-05-01T10:00:01.000Z,0,-180,0,0,,,1
            ,1,2,,,,,2
            2026-05-01T10:00:02.000Z,3,4,,,,,3

            """
        #expect(text(tracks, by: CSVTrackWriter()) == expected)
    }
}

@Suite struct KMLWriterTests {
    @Test func tracksAndPointsAreWrittenAsPlacemarks() throws {
        var writer = KMLWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        writer.append(
            point: try #require(Coordinate(latitude: 52.5, longitude: -13.4)), name: "<Tor> & \"x\"",
            description: "a\r\u{1}",
            data: [ExportedProperty("category", "gate"), ExportedProperty("radius_m", 12.5)], to: &bytes)
        writer.append(
            ExportedTrack(name: "One", segments: [[try fix(0, 1, 2, altitude: 3.14), try fix(1, 1, 3)]]), to: &bytes)
        writer.append(
            ExportedTrack(name: "Two", description: "d", segments: [[try fix(0, 1, 2)], [], [try fix(1, 1, 3)]]),
            to: &bytes)
        writer.append(ExportedTrack(name: "None", segments: [[]]), to: &bytes)
        writer.end(to: &bytes)
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>
            <Placemark>
            <name>&lt;Tor&gt; &amp; &quot;x&quot;</name>
            <description>a&#13;\u{FFFD}</description>
            <ExtendedData>
            <Data name="category"><value>gate</value></Data>
            <Data name="radius_m"><value>12.5</value></Data>
            </ExtendedData>
            <Point><coordinates>-13.4,52.5</coordinates></Point>
            </Placemark>
            <Placemark>
            <name>One</name>
            <gx:Track>
            <when>2026-05-01T10:00:00.000Z</when>
            <when>2026-05-01T10:00:01.000Z</when>
            <gx:coord>2 1 3.1</gx:coord>
            <gx:coord>3 1</gx:coord>
            </gx:Track>
            </Placemark>
            <Placemark>
            <name>Two</name>
            <description>d</description>
            <gx:MultiTrack>
            <gx:Track>
            <when>2026-05-01T10:00:00.000Z</when>
            <gx:coord>2 1</gx:coord>
            </gx:Track>
            <gx:Track>
            <when>2026-05-01T10:00:01.000Z</when>
            <gx:coord>3 1</gx:coord>
            </gx:Track>
            </gx:MultiTrack>
            </Placemark>
            </Document>
            </kml>

            """
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func aTrackWithAnUnknownTimeIsWrittenAsPlainLines() throws {
        let line = [try fix(0, 1, 2), try fix(nil, 1, 3, altitude: 5)]
        #expect(
            text([ExportedTrack(name: "A", segments: [line])], by: KMLWriter())
                .contains("<LineString><coordinates>\n2,1\n3,1,5\n</coordinates></LineString>\n</Placemark>"))
        let several = text([ExportedTrack(name: "A", segments: [line, [try fix(9, 4, 5)]])], by: KMLWriter())
        #expect(several.contains("<MultiGeometry>\n<LineString>"))
        #expect(several.contains("<Point><coordinates>\n5,4\n</coordinates></Point>\n</MultiGeometry>"))
    }
}

@Suite struct TrackWriterTests {
    private struct Full: Error {}

    static let writers: [any TrackWriter] = [CSVTrackWriter(), GeoJSONWriter(), KMLWriter()]

    @Test(arguments: writers) func theTextDoesNotDependOnFlushing(writer: any TrackWriter) throws {
        let fixes = try (0..<10_000).map { try fix(Double($0), Double($0) / 1000, 10) }
        let track = ExportedTrack(name: "long", segments: [fixes, fixes])
        var writer = writer
        let whole = text([track], by: writer)
        var pieces: [UInt8] = []
        var bytes: [UInt8] = []
        var longest = 0
        writer.begin(to: &bytes)
        writer.append(track, to: &bytes) { bytes in
            longest = max(longest, bytes.count)
            pieces += bytes
            bytes.removeAll(keepingCapacity: true)
        }
        writer.end(to: &bytes)
        #expect(longest < exportFlushLength + 200)
        #expect(bytes.count < exportFlushLength)
        #expect(pieces + bytes == Array(whole.utf8))
    }

    @Test(arguments: writers) func anErrorDuringAFlushEndsTheWriting(writer: any TrackWriter) throws {
        let fixes = try (0..<10_000).map { try fix(Double($0), Double($0) / 1000, 10) }
        var writer = writer
        var bytes: [UInt8] = []
        #expect(throws: Full.self) {
            try writer.append(ExportedTrack(name: "", segments: [fixes]), to: &bytes) { _ throws(Full) in throw Full() }
        }
        #expect(bytes.count < exportFlushLength + 200)
    }
}
