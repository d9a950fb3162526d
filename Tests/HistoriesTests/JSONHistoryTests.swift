import Geodesy
import Histories
import Positioning
import Testing
import Time

@Suite struct JSONHistoryTests {
    @Test func recordsOfGoogleAreFixes() throws {
        let reading = Reading(Sample.googleRecords)
        var first = try fix("2024-05-01T10:00:00.250Z", 52, -4.5, begins: true)
        first.accuracy = .meters(10 * 1.62)
        first.speed = .metersPerSecond(2)
        first.track = .degrees(90)
        first.altitude = .meters(7)
        // The second has a place that was written 2³² too great.
        #expect(reading.fixes == [first, try fix("2024-05-01T10:01:00Z", 52, -4.5)])
        #expect(
            reading.dropped == [.noPosition: 1, .noTime: 1, .outOfRange: 1, .notANumber: 1, .unreadable: 2])
        #expect(reading.error == nil)
    }

    @Test func aMonthOfGoogleHasSegmentsAndVisits() throws {
        let reading = Reading(Sample.googleSemantic)
        var path = try fix("2024-05-01T09:30:00Z", 52.1, 4.5)
        path.accuracy = .meters(20 * 1.62)
        #expect(reading.fixes == [try fix("2024-05-01T09:00:00Z", 52, 4.5, begins: true), path])
        #expect(reading.visits.map(\.name) == ["Café \"A\"", nil])
        #expect(reading.visits.map(\.start) == [moment("2024-05-01T08:00:00Z"), moment("2024-05-01T10:00:00Z")])
        #expect(reading.visits.map(\.end) == [moment("2024-05-01T09:00:00Z"), moment("2024-05-01T11:00:00Z")])
        #expect(reading.visits.map(\.coordinate.latitude) == [52, 52.1])
    }

    @Test func aTimelineOfAndroidHasPathsActivitiesSignalsAndVisits() throws {
        let reading = Reading(Sample.timelineAndroid)
        var signal = try fix("2024-05-01T11:45:00Z", 52.5, -4.9, begins: true)
        signal.accuracy = .meters(162)
        signal.altitude = .meters(3.5)
        signal.speed = .metersPerSecond(1.5)
        #expect(
            reading.fixes == [
                try fix("2024-05-01T08:10:00Z", 52.1, -4.5, begins: true), try fix("2024-05-01T08:20:00Z", 52.2, -4.6),
                try fix("2024-05-01T11:00:00Z", 52.3, -4.7, begins: true), try fix("2024-05-01T11:30:00Z", 52.4, -4.8),
                signal,
            ])
        #expect(
            reading.visits == [
                HistoryVisit(
                    start: try #require(moment("2024-05-01T10:00:00Z")),
                    end: try #require(moment("2024-05-01T11:00:00Z")),
                    coordinate: try #require(Coordinate(latitude: 52.3, longitude: -4.7)))
            ])
        #expect(reading.dropped.isEmpty)
    }

    @Test func aTimelineOfAnIPhoneHasWholeMinutes() throws {
        let reading = Reading(Sample.timelineIOS)
        #expect(
            reading.fixes == [
                try fix("2024-05-01T16:07:00Z", 52.1, -4.5, begins: true),
                try fix("2024-05-01T17:00:00Z", 52.1, -4.5, begins: true), try fix("2024-05-01T18:00:00Z", 52.2, -4.6),
            ])
        #expect(reading.visits.map(\.end) == [moment("2024-05-01T20:00:00Z")])
    }

    @Test func aSignOfDegreesMayBeInAnyEncoding() {
        let plain = Reading(Sample.timelineAndroid)
        let windows = Array(Sample.timelineAndroid.utf8).split(separator: 0xC2, omittingEmptySubsequences: false)
        #expect(Reading(Array(windows.joined())).items == plain.items)
    }

    @Test(
        arguments: [
            ("52.5°, -4.25°", 52.5), ("geo:52.5,-4.25", 52.5), ("52,5°, -4,25°", 52.5),
            ("geo:52.5,-4.25,100;u=35", 52.5),
            ("52.5,-4.25", 52.5), ("+52.50 N , -4.25", 52.5), ("", nil), ("geo:", nil), ("52.5°", nil),
            ("52.5°, x", nil),
            ("92.5°, -4.25°", nil),
        ] as [(String, Double?)])
    func aPlaceIsReadFromItsText(text: String, latitude: Double?) {
        let reading = Reading(
            #"[{"startTime":"2024-05-01T10:00:00Z","endTime":"2024-05-01T11:00:00Z","timelinePath":[{"point":"\#(text)","#
                + #""durationMinutesOffsetFromStartTime":5}]}]"#)
        #expect(reading.fixes.first?.coordinate.latitude == latitude)
        #expect(reading.fixes.allSatisfy { $0.coordinate.longitude == -4.25 })
    }

    @Test func messagesOfOwnTracksHaveKilometresAnHourAndSeconds() throws {
        let reading = Reading(Sample.ownTracksJSON)
        var first = try fix("2024-05-01T10:00:00Z", 52.1, -4.5, begins: true)
        first.accuracy = .meters(10 * 1.62)
        first.altitude = .meters(5)
        first.speed = .metersPerSecond(10)
        first.track = .degrees(270)
        #expect(reading.fixes == [first, try fix("2024-05-01T10:01:00Z", 52.2, -4.6)])
        #expect(reading.dropped == [.ping: 1])
    }

    @Test func aSingleMessageOfOwnTracksIsNoHistory() {
        // The Recorder keeps the last position of a device in such a file, which its `.rec` has as well.
        let reading = Reading(#"{"_type":"location","lat":52.1,"lon":-4.5,"tst":1714557600,"acc":10}"#)
        #expect(reading.items.isEmpty)
        #expect(reading.error != nil)
    }

    @Test func pointsAndLinesOfGeoJSONAreFixes() throws {
        let reading = Reading(Sample.geoJSON)
        var first = try fix("2024-05-01T10:00:00Z", 52.1, -4.5, begins: true)
        first.altitude = .meters(12.5)
        first.accuracy = .meters(10 * 1.62)
        first.speed = .metersPerSecond(3)
        first.track = .degrees(45)
        #expect(
            reading.fixes == [
                first, try fix("2024-05-01T10:01:00Z", 52.1, -4.5, begins: true),
                try fix("2024-05-01T10:02:00Z", 52.2, -4.6), try fix("2024-05-01T10:03:00Z", 52.1, -4.5, begins: true),
            ])
        #expect(reading.dropped == [.noTime: 2, .noPosition: 1])
    }

    @Test func aFeatureAloneIsAHistory() throws {
        let text =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"#
            + #""properties":{"timestamp":1714557600}}"#
        #expect(Reading(text).fixes == [try fix("2024-05-01T10:00:00Z", 2, 1, begins: true)])
    }

    @Test func aBatchOfOverlandHasFixesAndActions() throws {
        let reading = Reading(Sample.overland)
        var first = try fix("2024-05-01T08:00:00Z", 52.1, -4.5, begins: true)
        first.altitude = .meters(12)
        first.track = .degrees(45)
        first.accuracy = .meters(50 * 1.62)
        first.kind = .driving
        #expect(reading.fixes == [first])
        #expect(reading.dropped == [.otherMessage: 1])
    }

    @Test func polarstepsHasLocationsAndSteps() throws {
        let reading = Reading(Sample.polarsteps)
        #expect(
            reading.fixes == [
                try fix("2024-05-01T10:00:00.250Z", 52.1, -4.5, begins: true),
                try fix("2024-05-01T09:00:00Z", 52.2, -4.6),
            ])
        #expect(reading.dropped == [.noPosition: 1])
        let trip = Reading(Sample.polarstepsTrip)
        #expect(trip.visits.map(\.name) == ["inn", "pier"])
        #expect(trip.visits.map { $0.end.seconds(since: $0.start) } == [0, 100])
    }

    @Test(arguments: [
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2024-02-30T00:00:00Z",
        "2024-13-01T00:00:00Z", "+292278994-08-17T07:12:55Z", "-1", "99999999999999999999", "",
    ])
    func anImpossibleTimeIsDropped(time: String) {
        let reading = Reading(#"{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestamp":"\#(time)"}]}"#)
        #expect(reading.items.isEmpty)
        #expect(reading.dropped.values.reduce(0, +) == 1)
        #expect(reading.error?.reason.contains("no point with a time and a place") == true)
    }
}
