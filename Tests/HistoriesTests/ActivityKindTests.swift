import Geodesy
import Positioning
import Testing
import Time

@testable import Histories

/// How somebody travelled, as histories tell it.
@Suite struct ActivityKindTests {
    private static func activities(_ items: [HistoryItem]) -> [HistoryActivity] {
        items.compactMap { if case .activity(let activity) = $0 { activity } else { nil } }
    }

    private static func activity(_ start: String, _ end: String, _ kind: TripKind) throws -> HistoryActivity {
        HistoryActivity(start: try #require(moment(start)), end: try #require(moment(end)), kind: kind)
    }

    @Test func recordsTellTheKindOfAPoint() {
        func record(_ second: Int, _ activity: String) -> String {
            #"{"latitudeE7":1,"longitudeE7":2,"timestamp":"2024-05-01T10:00:0\#(second)Z"\#(activity)}"#
        }
        let guesses =
            #","activity":[{"timestamp":"x","activity":[{"type":"IN_BUS","confidence":50},{"type":"WALKING"}]}]"#
        let still = #","activity":[{"activity":[{"type":"STILL"}]}]"#
        let text =
            "{\"locations\":[\(record(0, "")),\(record(1, guesses)),\(record(2, still)),"
            + "\(record(3, #","activity":[]"#)),\(record(4, #","activity":[{"activity":[]}]"#))]}"
        #expect(Reading(text).fixes.map(\.kind) == [nil, .bus, nil, nil, nil])
    }

    @Test func aMonthTellsTheKindOfASegment() throws {
        let text = """
            {"timelineObjects":[{"activitySegment":{"startLocation":{"latitudeE7":1,"longitudeE7":2},
            "endLocation":{"latitudeE7":3,"longitudeE7":4},"duration":{"startTimestamp":"2024-05-01T10:00:00Z",
            "endTimestamp":"2024-05-01T11:00:00Z"},"activityType":"CYCLING"}},
            {"activitySegment":{"duration":{"startTimestamp":"2024-05-01T10:00:00Z",
            "endTimestamp":"2024-05-01T11:00:00Z"},"activityType":"WALKING"}}]}
            """
        let expected = try Self.activity("2024-05-01T10:00:00Z", "2024-05-01T11:00:00Z", .cycling)
        #expect(Self.activities(Reading(text).items) == [expected])
    }

    @Test func timelinesTellTheKindOfAnActivity() throws {
        let expected = try Self.activity("2024-05-01T10:00:00Z", "2024-05-01T11:00:00Z", .train)
        let times = #""startTime":"2024-05-01T10:00:00Z","endTime":"2024-05-01T11:00:00Z""#
        let android = """
            {"semanticSegments":[{\(times),"activity":{"start":{"latLng":"1°, 2°"},"end":{"latLng":"3°, 4°"},
            "topCandidate":{"type":"IN_TRAIN","probability":0.9}}}]}
            """
        let phone = """
            [{\(times),"activity":{"start":"geo:1,2","end":"geo:3,4",
            "topCandidate":{"type":"in train","probability":"0.9"}}}]
            """
        for text in [android, phone] { #expect(Self.activities(Reading(text).items) == [expected]) }
    }

    @Test func aTableAGeoJSONAndOverlandTellKinds() throws {
        let table = "time,lat,lon,kind\n2024-05-01T10:00:00Z,1,2,hiking\n2024-05-01T10:00:01Z,1,2,\n"
        #expect(Reading(table).fixes.map(\.kind) == [.hiking, nil])
        let line = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"ferry",
            "coordTimes":["2024-05-01T10:00:00Z","2024-05-01T10:01:00Z"]},
            "geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]}
            """
        let expected = try Self.activity("2024-05-01T10:00:00Z", "2024-05-01T10:01:00Z", .ferry)
        #expect(Self.activities(Reading(line).items) == [expected])
        let overland = """
            {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},
            "properties":{"timestamp":"2024-05-01T10:00:00Z","motion":["driving","stationary"]}}]}
            """
        #expect(Reading(overland).fixes.map(\.kind) == [.driving])
    }

    @Test func trainingFilesTellTheSport() {
        func point(_ second: Int) -> String {
            """
            <Trackpoint><Time>2024-05-01T10:00:0\(second)Z</Time><Position><LatitudeDegrees>1</LatitudeDegrees>\
            <LongitudeDegrees>2</LongitudeDegrees></Position></Trackpoint>
            """
        }
        func activity(_ attributes: String, _ second: Int) -> String {
            "<Activity\(attributes)><Lap StartTime=\"x\"><Track>\(point(second))</Track></Lap></Activity>"
        }
        let text =
            "<TrainingCenterDatabase><Activities>\(activity(" Sport=\"Biking\"", 1))\(activity("", 2))"
            + "\(activity(" Sport='Other'", 3))</Activities></TrainingCenterDatabase>"
        #expect(ActivityReading(TCXDecoder(), text).fixes.map(\.kind) == [.cycling, nil, nil])
    }
}
