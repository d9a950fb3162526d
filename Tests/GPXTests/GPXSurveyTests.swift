import GPX
import Geodesy
import Positioning
import Testing
import TextCoding
import Time

@Suite struct GPXSurveyTests {
    private func survey(_ text: String) -> GPXSurvey {
        var survey = GPXSurvey()
        for item in Reading(text).items { survey.add(item) }
        return survey
    }

    @Test func onlyTrackPointsAreMeasured() {
        let survey = survey(
            document(
                """
                <wpt lat='80' lon='80'><time>1999-01-01T00:00:00Z</time></wpt>
                <rte><rtept lat='-80' lon='-80'/><rtept lat='70' lon='0'/></rte><rte/>
                <trk><trkseg><trkpt lat='0' lon='0'><time>2026-01-02T00:00:00Z</time></trkpt><trkpt lat='0' lon='1'/></trkseg>
                <trkseg><trkpt lat='1' lon='1'><time>2026-01-03T00:00:00Z</time></trkpt></trkseg><trkseg/></trk>
                <trk/><trk><trkseg><trkpt lat='-1' lon='0'><time>2026-01-01T00:00:00Z</time></trkpt></trkseg></trk>
                """))
        #expect(survey.tracks == 3)
        #expect(survey.segments == 4)
        #expect(survey.points == 4)
        #expect(survey.routes == 2)
        #expect(survey.routePoints == 2)
        #expect(survey.waypoints == 1)
        #expect(survey.firstTime == Timestamp(rfc3339: "2026-01-02T00:00:00Z"))
        #expect(survey.lastTime == Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        #expect(survey.minTime == Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        #expect(survey.maxTime == Timestamp(rfc3339: "2026-01-03T00:00:00Z"))
        // One degree of the equator is a π / 180.
        #expect(abs(survey.length.meters - 111_319.4908) < 0.001)
        #expect(survey.bounds?.minLatitudeE7 == -10_000_000)
        #expect(survey.bounds?.maxLatitudeE7 == 10_000_000)
        #expect(survey.bounds?.minLongitudeE7 == 0)
        #expect(survey.bounds?.maxLongitudeE7 == 10_000_000)
    }

    @Test func aSurveyIsWrittenAsJSON() {
        var malformed = Tally()
        malformed.count("time")
        var json = JSONWriter()
        json.object {
            survey(track("<trkpt lat='1.5' lon='-2'><time>2026-01-02T00:00:00Z</time></trkpt>")).writeMembers(
                to: &$0, malformed: malformed)
        }
        #expect(
            json.text == #"{"tracks":1,"segments":1,"points":1,"routes":0,"route_points":0,"#
                + #""waypoints":0,"first_time":"2026-01-02T00:00:00.000Z","last_time":"2026-01-02T00:00:00.000Z","#
                + #""min_time":"2026-01-02T00:00:00.000Z","max_time":"2026-01-02T00:00:00.000Z","length":0,"#
                + #""bbox":{"min_lat":1.5,"min_lon":-2,"max_lat":1.5,"max_lon":-2},"malformed":{"time":1}}"#)
    }

    @Test func missingValuesAreOmitted() {
        var json = JSONWriter()
        json.object { survey(document("")).writeMembers(to: &$0, malformed: Tally()) }
        #expect(
            json.text == #"{"tracks":0,"segments":0,"points":0,"routes":0,"route_points":0,"#
                + #""waypoints":0,"length":0,"malformed":{}}"#)
    }
}
