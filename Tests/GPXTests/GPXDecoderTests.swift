import GPX
import Geodesy
import Positioning
import Testing
import Time

@Suite struct GPXDecoderTests {
    private func decode(_ text: String) -> (fixes: [Fix], malformed: Tally, failure: RecordingError?) {
        let decoder = GPXDecoder()
        var fixes: [Fix] = []
        let bytes = Array(text.utf8)
        do throws(RecordingError) {
            try decoder.feed(bytes.span, into: &fixes)
            try decoder.finish(into: &fixes)
            return (fixes, decoder.malformed, nil)
        } catch {
            return (fixes, decoder.malformed, error)
        }
    }

    @Test func segmentsBeginAtTheirFirstValidPoint() {
        let decoded = decode(
            document(
                """
                <wpt lat='0' lon='0'/><trk><trkseg><trkpt lat='1' lon='0'/><trkpt lat='2' lon='0'/></trkseg><trkseg/>
                <trkseg><trkpt lat='99' lon='0'/><trkpt lat='3' lon='0'/><trkpt lat='4' lon='0'/></trkseg></trk>
                <trk><trkseg><trkpt lat='5' lon='0'/></trkseg></trk>
                """))
        #expect(decoded.fixes.map(\.coordinate.latitude) == [1, 2, 3, 4, 5])
        #expect(decoded.fixes.map(\.beginsSegment) == [true, false, true, false, true])
        #expect(decoded.malformed["position"] == 1)
    }

    @Test func aPointsValuesAreCopiedToItsFix() throws {
        let decoded = decode(
            track(
                """
                <trkpt lat='1' lon='2'><ele>-3.5</ele><time>2026-05-01T10:00:00Z</time><speed>4</speed>
                <course>-0</course><fix>2d</fix><sat>5</sat><hdop>2</hdop></trkpt>
                """))
        var fix = Fix(
            time: Timestamp(rfc3339: "2026-05-01T10:00:00Z"),
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), beginsSegment: true)
        fix.altitude = .meters(-3.5)
        fix.speed = .metersPerSecond(4)
        fix.track = .degrees(0)
        fix.mode = .twoDimensional
        fix.satellites = 5
        fix.hdop = 2
        fix.accuracy = .meters(38)
        #expect(decoded.fixes == [fix])
    }

    @Test(
        arguments: [
            ("", nil), ("<hdop>1.5</hdop>", 28.5), ("<hdop>0</hdop>", nil),
            ("<hdop>1.5</hdop><extensions><accuracy>7</accuracy></extensions>", 7),
            ("<extensions><x:accuracy_horizontal>7</x:accuracy_horizontal></extensions>", 7),
            ("<hdop>1</hdop><accuracy>0</accuracy>", 19),
        ] as [(String, Double?)])
    func accuracyIsReadOrDerivedFromTheDilution(elements: String, meters: Double?) throws {
        let fix = try #require(decode(track("<trkpt lat='1' lon='2'>\(elements)</trkpt>")).fixes.first)
        #expect(fix.accuracy?.meters == meters)
    }

    @Test(
        arguments: [
            ("2d", .twoDimensional), ("3d", .threeDimensional), ("dgps", .threeDimensional), ("pps", .threeDimensional),
            ("none", nil), ("", nil),
        ] as [(String, FixMode?)])
    func theKindOfFixGivesItsMode(text: String, mode: FixMode?) throws {
        let fix = try #require(decode(track("<trkpt lat='1' lon='2'><fix>\(text)</fix></trkpt>")).fixes.first)
        #expect(fix.mode == mode)
    }

    @Test func fixesBeforeADamageAreReturned() {
        let decoded = decode("<gpx><trk><trkseg><trkpt lat='1' lon='2'/><trkpt lat='3' lon='4'>")
        #expect(decoded.fixes.count == 1)
        #expect(decoded.failure?.line == 1)
    }
}
