import Geodesy
import Histories
import Interchange
import Positioning
import Testing
import Time

@Suite struct TableTests {
    @Test func aTableOfGPSLoggerIsRead() throws {
        let reading = Reading(Sample.csv)
        var first = try fix("2024-05-01T10:00:00Z", 52.1, -4.5, begins: true)
        first.altitude = .meters(12.5)
        first.accuracy = .meters(10 * 1.62)
        first.track = .degrees(90)
        first.speed = .metersPerSecond(1.5)
        first.satellites = 12
        first.hdop = 0.9
        #expect(reading.fixes == [first, try fix("2024-05-01T10:01:00Z", 52.2, -4.6)])
        #expect(
            reading.dropped == [.noTime: 1, .noPosition: 1, .notANumber: 1, .outOfRange: 1, .unreadable: 1])
    }

    @Test(arguments: [
        "Date;Time;Latitude;Longitude;Speed (km/h)\n2024/05/01;10:00:00;52,1;-4,5;36\n",
        "timestamp\tlng\tlat\tvelocity\n1714557600\t-4.5\t52.1\t10\n",
        "time_ms,longitudeE7,latitudeE7,speed_mps\n1714557600000,-45000000,521000000,10\n",
        "\"UTC time\",\"Lat\",\"Long\",\"Speed\"\r\n\"2024-05-01 10:00:00\",\"52.1\",\"-4.5\",\"10\"\r\n",
        "datetime,lat,lon,speed_kmh\n2024-05-01T12:00:00+02:00,+52.1,-4.50,36",
    ])
    func columnsAreFoundByTheirNames(text: String) throws {
        var expected = try fix("2024-05-01T10:00:00Z", 52.1, -4.5, begins: true)
        expected.speed = .metersPerSecond(10)
        #expect(Reading(text).fixes == [expected])
    }

    @Test func aTableMayBeUTF16() {
        let bytes = "\u{FEFF}\(Sample.csv)".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(Reading(bytes, pieces: 5) == Reading(Sample.csv))
    }

    @Test func aTableThatIsDamagedIsRefused() {
        #expect(Reading(Sample.csv + "\n\"2024-05-01T10:00:00Z,1,2").error?.line == 9)
    }

    @Test func linesOfARecorderAreReadOneByOne() throws {
        let reading = Reading(Sample.ownTracksRecorder)
        var first = try fix("2024-05-01T10:00:00Z", 52.1, -4.5, begins: true)
        first.speed = .metersPerSecond(10)
        #expect(reading.fixes == [first, try fix("2024-05-01T10:01:00Z", 52.2, -4.6)])
        #expect(
            reading.dropped == [
                .lastWill: 1, .waypoint: 1, .status: 1, .encrypted: 1, .noPosition: 1, .unreadable: 2,
            ])
    }

    @Test func aLineOfARecorderIsBounded() {
        let line = "2024-05-01T10:00:00Z\t*\t{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":1714557600,\"x\":\""
        let long = line + String(repeating: "a", count: OwnTracksRecorderHistory.maximumLineLength) + "\"}\n"
        let reading = Reading(long + line + "\"}\n")
        #expect(reading.fixes.count == 1 && reading.dropped == [.unreadable: 1])
    }
}

@Suite struct ExportTests {
    /// Tracks with all values that an export has, as an export rounds them.
    private func tracks() throws -> [[[Fix]]] {
        func leg(_ start: String, _ places: [(Double, Double)]) throws -> [Fix] {
            let time = try #require(moment(start))
            return try places.enumerated().map { index, place in
                var fix = Fix(
                    time: time.advanced(byMilliseconds: Int64(index) * 1003),
                    coordinate: try #require(Coordinate(latitude: place.0, longitude: place.1)),
                    beginsSegment: index == 0)
                fix.altitude = index % 3 == 1 ? nil : .meters(Double(index * 10 - 31) / 10)
                return fix
            }
        }
        return [
            [
                try leg("2024-05-01T10:00:00.001Z", [(52.1234567, -4.7654321), (52.2, -4.8), (52.3, -4.9)]),
                try leg("2024-05-01T11:00:00Z", [(0, 0), (0.0000001, -0.0000001)]),
            ],
            [try leg("2024-05-02T10:00:00Z", [(-17.5, 179.9), (-17.61, -179.8), (-17.4, 179.95), (-17.3, 179.5)])],
            [try leg("2024-05-03T10:00:00Z", [(-17.5, 179.9), (-17.7, 180), (-17.4, -179.95), (-17.3, -179.5)])],
            [try leg("2024-05-04T10:00:00Z", [(5, -179.99), (5.2, -180), (5.3, -180), (5.3, -179)])],
        ]
    }

    @Test func aTableOfWaymarkComesBackWhole() throws {
        var tracks = try tracks()
        tracks[0][0][1].speed = .metersPerSecond(12.34)
        tracks[0][0][1].track = .degrees(359.9)
        tracks[0][0][1].accuracy = .meters(4.5)
        var writer = CSVTrackWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        for track in tracks { writer.append(ExportedTrack(name: "a", segments: track), to: &bytes) }
        writer.end(to: &bytes)
        for length in [1, 50, .max] {
            let reading = Reading(bytes, pieces: length)
            #expect(reading.fixes == tracks.flatMap { $0.flatMap { $0 } })
            #expect(reading.dropped.isEmpty && reading.format == .csv)
        }
    }

    @Test func linesOfWaymarkComeBackWhole() throws {
        let tracks = try tracks()
        var writer = GeoJSONWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        for track in tracks {
            writer.append(ExportedTrack(name: "a \"b\"", description: "c", segments: track), to: &bytes)
        }
        writer.end(to: &bytes)
        for length in [1, 50, .max] {
            let reading = Reading(bytes, pieces: length)
            let expected = tracks.flatMap { $0.flatMap { $0 } }
            #expect(reading.fixes.count == expected.count)
            for (found, wanted) in zip(reading.fixes, expected) {
                // A fix on the antimeridian is written on the side of its line.
                var wanted = wanted
                if abs(wanted.coordinate.longitude) == 180 { wanted.coordinate = found.coordinate }
                #expect(found == wanted)
            }
            #expect(reading.dropped.isEmpty && reading.format == .geoJSON)
        }
    }

    @Test func aSegmentOfOneFixComesBack() throws {
        var tracks = try tracks()[0]
        tracks.append([try fix("2024-05-01T12:00:00Z", 1, 2, begins: true)])
        var writer = GeoJSONWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        writer.append(ExportedTrack(name: "a", segments: tracks), to: &bytes)
        writer.end(to: &bytes)
        #expect(Reading(bytes).fixes == tracks.flatMap { $0 })
    }

    @Test func placesMayStandBeforeTheirTimes() throws {
        let times = (0..<100).map { "\(1_714_557_600 + $0)" }.joined(separator: ",")
        let places = (0..<100).map { "[\($0),1,5]" }.joined(separator: ",")
        let geometry = "\"geometry\":{\"type\":\"LineString\",\"coordinates\":[\(places)]}"
        let properties = "\"properties\":{\"coordTimes\":[\(times)]}"
        func feature(_ first: String, _ second: String) -> Reading {
            Reading("{\"type\":\"Feature\",\(first),\(second)}", pieces: 11)
        }
        let reading = feature(geometry, properties)
        #expect(reading.fixes.count == 100 && reading.fixes.map(\.coordinate.longitude) == (0..<100).map(Double.init))
        #expect(feature(properties, geometry) == reading)
    }
}
