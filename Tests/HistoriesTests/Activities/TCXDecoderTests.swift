import Geodesy
import Positioning
import Testing
import Time

@testable import Histories

@Suite struct TCXDecoderTests {
    static func document(_ activities: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
          xmlns:x="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Activities>\(activities)</Activities>
        </TrainingCenterDatabase>
        """
    }

    static func point(
        _ second: Int, _ latitude: String = "46.5", _ longitude: String = "7.5", _ rest: String = ""
    )
        -> String
    {
        """
        <Trackpoint><Time>2024-06-11T05:30:\(second)Z</Time><Position><LatitudeDegrees>\(latitude)</LatitudeDegrees>
        <LongitudeDegrees>\(longitude)</LongitudeDegrees></Position>\(rest)</Trackpoint>
        """
    }

    private static func read(_ text: String) -> ActivityReading { ActivityReading(TCXDecoder(), text) }

    @Test func aTrackpointHasTimePlaceAltitudeAndSpeed() throws {
        let rest = """
            <AltitudeMeters> 619.1 </AltitudeMeters><HeartRateBpm><Value>121</Value></HeartRateBpm>
            <Extensions><x:TPX><x:Speed>1.43</x:Speed></x:TPX></Extensions>
            """
        let reading = Self.read(
            Self.document(
                """
                <Activity Sport="Biking"><Id>2024-06-11T05:30:00Z</Id><Lap><MaximumSpeed>9</MaximumSpeed><Track>
                \(Self.point(10, "46.59340258", "-7.5", rest))</Track></Lap></Activity>
                """))
        let fix = try #require(reading.fixes.first)
        #expect((reading.items.count, reading.failure, reading.dropped) == (1, nil, [:]))
        #expect(reading.times == ["2024-06-11T05:30:10.000Z"])
        #expect(fix.coordinate == Coordinate(latitude: 46.59340258, longitude: -7.5))
        #expect(fix.altitude == .meters(619.1))
        #expect(fix.speed == .metersPerSecond(1.43))
    }

    @Test func activitiesAndPausesBeginSegmentsAndLapsDoNot() {
        func track(_ seconds: Int...) -> String { "<Track>\(seconds.map { Self.point($0) }.joined())</Track>" }
        let reading = Self.read(
            Self.document(
                """
                <Activity><Lap>\(track(10, 11))\(track(12))</Lap><Lap>\(track(13))</Lap></Activity>
                <Activity><Lap>\(track(14))</Lap></Activity>
                """))
        #expect(reading.fixes.map(\.beginsSegment) == [true, false, true, false, true])
    }

    @Test func trackpointsWithoutATimeOrAPlaceAreDropped() {
        let points = [
            Self.point(10), Self.point(10, "", "7.5"), Self.point(10, "NaN", "7.5"), Self.point(10, "90.5", "7.5"),
            Self.point(10, "4x", "7.5"), "<Trackpoint><Time>2024-06-11T05:30:00Z</Time></Trackpoint>",
            "<Trackpoint><Position><LatitudeDegrees>1</LatitudeDegrees><LongitudeDegrees>1</LongitudeDegrees></Position></Trackpoint>",
            Self.point(77), "<Trackpoint/>",
        ]
        let reading = Self.read(
            Self.document("<Activity><Lap><Track>\(points.joined())</Track></Lap></Activity>"))
        #expect(reading.fixes.count == 1)
        #expect(
            reading.dropped == [.noPosition: 3, .notANumber: 1, .outOfRange: 1, .unreadable: 2, .noTime: 1])
    }

    @Test func blanksBeforeTheDocumentAreStravas() {
        let text = Self.document("<Activity><Lap><Track>\(Self.point(10))</Track></Lap></Activity>")
        #expect(Self.read("          \r\n" + text).fixes.count == 1)
    }

    @Test(arguments: [
        "", " \n", "{}", "<TrainingCenterDatabase>", "<kml/>", "<TrainingCenterDatabase/><a/>",
        "<!DOCTYPE a []><TrainingCenterDatabase/>", "<TrainingCenterDatabase>&x;</TrainingCenterDatabase>",
        "<TrainingCenterDatabase></Activities></TrainingCenterDatabase>",
    ])
    func whatIsNotWholeIsRefused(text: String) {
        #expect(Self.read(text).failure != nil)
    }

    @Test func aDocumentThatIsCutOffSaysSo() {
        let text = Self.document("<Activity><Lap><Track>\(Self.point(10))\(Self.point(11))</Track></Lap></Activity>")
        let cut = Self.read(String(text.prefix(text.count / 2)))
        #expect(cut.failure?.reason == "the document is cut off: it ends before </TrainingCenterDatabase>")
        #expect(cut.failure?.line != nil)
    }
}
