import Geodesy
import Histories
import Positioning
import Testing
import Time

/// What a history holds.
struct Reading: Equatable {
    var items: [HistoryItem] = []
    var dropped: [DroppedPoint: Int] = [:]
    var format: HistoryFormat?
    /// Why the history is refused.
    var error: RecordingError?

    var fixes: [Fix] { items.compactMap { if case .fix(let fix) = $0 { fix } else { nil } } }
    var visits: [HistoryVisit] { items.compactMap { if case .visit(let visit) = $0 { visit } else { nil } } }

    /// Reads bytes in pieces of a length.
    init(_ bytes: [UInt8], pieces length: Int = .max) {
        var history = HistoryFile()
        do throws(RecordingError) {
            var start = 0
            while start < bytes.count {
                let end = start + min(length, bytes.count - start)
                try history.feed(bytes.span.extracting(start..<end), into: &items)
                start = end
            }
            try history.finish(into: &items)
        } catch {
            self.error = error
        }
        dropped = history.dropped
        format = history.format
    }

    init(_ text: String, pieces length: Int = .max) { self.init(Array(text.utf8), pieces: length) }
}

/// Returns the moment of a text in RFC 3339.
func moment(_ text: String) -> Timestamp? { Timestamp(rfc3339: text) }

/// Returns a fix at a place in degrees.
func fix(_ time: String, _ latitude: Double, _ longitude: Double, begins: Bool = false) throws -> Fix {
    let time = try #require(moment(time))
    let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
    return Fix(time: time, coordinate: place, beginsSegment: begins)
}

/// A small history of each kind that this room reads, written for these tests.
enum Sample {
    static let googleRecords = """
        {"locations": [
          {"latitudeE7": 520000000, "longitudeE7": -45000000, "accuracy": 10, "velocity": 2, "heading": 90,
           "altitude": 7, "activity": [{"timestamp": "x", "activity": [{"type": "STILL"}]}],
           "timestamp": "2024-05-01T10:00:00.250Z"},
          {"timestampMs": "1714557660000", "latitudeE7": 4814967296, "longitudeE7": 4249967296, "accuracy": 0},
          {"latitudeE7": 520000000, "timestamp": "2024-05-01T10:02:00Z"},
          {"latitudeE7": 520000000, "longitudeE7": 1, "timestamp": "soon"},
          {"latitudeE7": 910000000, "longitudeE7": 1, "timestamp": "2024-05-01T10:02:00Z"},
          {"latitudeE7": 5.5, "longitudeE7": "1.5", "timestamp": "2024-05-01T10:02:00Z"},
          null, "text"
        ], "other": {"locations": [1, 2, {"latitudeE7": 1}]}}
        """
    static let googleSemantic = """
        {"timelineObjects": [
          {"placeVisit": {"location": {"latitudeE7": 520000000, "longitudeE7": 45000000, "name": "Caf\\u00e9 \\"A\\""},
            "duration": {"startTimestamp": "2024-05-01T08:00:00Z", "endTimestamp": "2024-05-01T09:00:00Z"},
            "simplifiedRawPath": {"points": [{"latE7": 1, "lngE7": 2, "timestamp": "2024-05-01T08:10:00Z"}]}}},
          {"activitySegment": {"startLocation": {"latitudeE7": 520000000, "longitudeE7": 45000000},
            "endLocation": {}, "duration": {"startTimestampMs": "1714554000000", "endTimestampMs": "1714557600000"},
            "waypointPath": {"waypoints": [{"latE7": 1, "lngE7": 2}]},
            "simplifiedRawPath": {"points": [
              {"latE7": 521000000, "lngE7": 45000000, "accuracyMeters": 20, "timestamp": "2024-05-01T09:30:00Z"}]},
            "parkingEvent": {"location": {"latitudeE7": 3, "longitudeE7": 4}, "timestamp": "2024-05-01T10:00:00Z"}}},
          {"placeVisit": {"location": {}, "centerLatE7": 521000000, "centerLngE7": 45000000,
            "duration": {"startTimestamp": "2024-05-01T10:00:00Z", "endTimestamp": "2024-05-01T11:00:00Z"}}}
        ]}
        """
    static let timelineAndroid = """
        {"userLocationProfile": {"frequentPlaces": [{"placeLocation": "1.0°, 2.0°"}]},
         "semanticSegments": [
          {"startTime": "2024-05-01T10:00:00.000+02:00", "endTime": "2024-05-01T12:00:00.000+02:00",
           "timelinePath": [{"point": "52.1°, -4.5°", "time": "2024-05-01T10:10:00.000+02:00"},
                            {"point": "52.2Â°, -4.6Â°", "time": "2024-05-01T10:20:00.000+02:00"}]},
          {"startTime": "2024-05-01T12:00:00+02:00", "endTime": "2024-05-01T13:00:00+02:00",
           "visit": {"topCandidate": {"placeLocation": {"latLng": "52.3°, -4.7°"}}}},
          {"startTime": "2024-05-01T13:00:00+02:00", "endTime": "2024-05-01T13:30:00+02:00",
           "activity": {"start": {"latLng": "52.3°, -4.7°"}, "end": {"latLng": "52.4°, -4.8°"}}},
          {"startTime": "2024-05-01T13:00:00+02:00", "endTime": "2024-05-09T13:30:00+02:00", "timelineMemory": {}}],
         "rawSignals": [
          {"wifiScan": {"deliveryTime": "2024-05-01T13:40:00Z"}},
          {"position": {"LatLng": "52.5°, -4.9°", "accuracyMeters": 100, "altitudeMeters": 3.5,
            "timestamp": "2024-05-01T13:45:00+02:00", "speedMetersPerSecond": 1.5}}]}
        """
    static let timelineIOS = """
        [{"endTime": "2024-05-01T12:00:00.000-05:00", "startTime": "2024-05-01T11:00:00.000-05:00",
          "timelinePath": [{"point": "geo:52.100000,-4.500000", "durationMinutesOffsetFromStartTime": "7"}]},
         {"endTime": "2024-05-01T13:00:00.000-05:00", "startTime": "2024-05-01T12:00:00.000-05:00",
          "activity": {"start": "geo:52.1,-4.5", "end": "geo:52.2,-4.6"}},
         {"endTime": "2024-05-01T15:00:00.000-05:00", "startTime": "2024-05-01T13:00:00.000-05:00",
          "visit": {"topCandidate": {"placeLocation": "geo:52.2,-4.6"}}}]
        """
    static let ownTracksJSON = """
        {"count": 3, "data": [
          {"_type": "location", "lat": 52.1, "lon": -4.5, "tst": 1714557600, "acc": 10, "alt": 5, "vel": 36, "cog": 270},
          {"_type": "transition", "lat": 52.2, "lon": -4.6, "tst": 1714557660, "event": "enter"},
          {"_type": "location", "lat": 52.3, "lon": -4.7, "tst": 1714557720, "t": "p"}]}
        """
    static let ownTracksRecorder = """
        2024-05-01T10:00:00Z\t*                 \t{"_type":"location","lat":52.1,"lon":-4.5,"tst":1714557600,"vel":36}
        2024-05-01T10:00:02Z\tevent             \t{"_type":"transition","lat":52.2,"lon":-4.6,"tst":1714557660}
        2024-05-01T10:00:03Z\t*                 \t{"_type":"lwt","tst":1714557600}
        2024-05-01T10:00:04Z\twaypoint          \t{"_type":"waypoint","lat":1,"lon":2,"tst":1}
        2024-05-01T10:00:05Z\tstatus            \t{"_type":"status","iOS":{"version":"1"}}
        2024-05-01T10:00:06Z\t*                 \t{"_type":"location","lat":1,
        2024-05-01T10:00:07Z\t*                 \t{"_type":"encrypted","data":"AA"}
        2024-05-01T10:00:08Z\t*                 \t{"_type":"location","lat":1,"tst":1714557600}

           \t{"_type":"location","lat":52.1,"lon":-4.5,"tst":1714557600}
        """
    static let geoJSON = """
        {"type": "FeatureCollection", "features": [
          {"type": "Feature", "properties": {"time": "2024-05-01T10:00:00Z", "accuracy": 10, "speed": 3, "bearing": 45},
           "geometry": {"type": "Point", "coordinates": [-4.5, 52.1, 12.5]}},
          {"type": "Feature", "geometry": {"coordinates": [[-4.5, 52.1], [-4.6, 52.2]], "type": "LineString"},
           "properties": {"coordTimes": ["2024-05-01T10:01:00Z", 1714557720]}},
          {"type": "Feature", "geometry": {"coordinates": [[1, 2], [3, 4]], "type": "LineString"}, "properties": {}},
          {"type": "Feature", "geometry": null, "properties": {"time": "2024-05-01T10:00:00Z"}},
          {"type": "Feature", "properties": {"date": "2024-05-01T10:03:00Z"},
           "geometry": {"type": "Point", "coordinates": [-4.5, 52.1]}}]}
        """
    static let overland = """
        {"locations": [
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-4.5, 52.1]},
           "properties": {"timestamp": "2024-05-01T10:00:00+0200", "altitude": 12, "speed": -1, "course": 45,
                          "horizontal_accuracy": 50, "motion": ["driving"]}},
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-4.5, 52.1]},
           "properties": {"timestamp": "2024-05-01T10:00:00Z", "action": "visit"}}]}
        """
    static let polarsteps = """
        {"locations": [{"lat": 52.1, "lon": -4.5, "time": 1714557600.25}, {"lat": 52.2, "lon": -4.6,
          "time": "2024-05-01T09:00:00Z"}, {"lat": 52.2, "time": 1714557600}]}
        """
    static let polarstepsTrip = """
        {"id": 1, "name": "trip", "cover_photo": {"path": "x"}, "all_steps": [
          {"name": "inn", "start_time": 1714557600.0, "end_time": null, "location": {"lat": 52.1, "lon": -4.5}},
          {"start_time": 1714557700, "end_time": 1714557800, "location": {"name": "pier", "lat": 52.1, "lon": -4.5}}]}
        """
    static let csv = """
        time,lat,lon,elevation,accuracy,bearing,speed,satellites,provider,hdop
        2024-05-01T10:00:00.000Z,52.1,-4.5,12.5,10,90,1.5,12,gps,0.9
        2024-05-01T10:01:00.000Z,52.2,-4.6,,,,,,network,
        ,52.2,-4.6,,,,,,network,
        2024-05-01T10:02:00.000Z,,-4.6,,,,,,network,
        2024-05-01T10:02:00.000Z,north,-4.6,,,,,,network,
        2024-05-01T10:02:00.000Z,91,-4.6,,,,,,network,
        2024-05-01T10:02:00.000Z,52,-4.6,,,,,,network,,too many
        """

    static let all: [(HistoryFormat, String)] = [
        (.googleRecords, googleRecords), (.googleSemantic, googleSemantic),
        (.googleTimelineAndroid, timelineAndroid), (.googleTimelineIOS, timelineIOS),
        (.ownTracksJSON, ownTracksJSON), (.ownTracksRecorder, ownTracksRecorder), (.geoJSON, geoJSON),
        (.overland, overland), (.polarsteps, polarsteps), (.polarsteps, polarstepsTrip), (.csv, csv),
    ]
}
