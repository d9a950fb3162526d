import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct TidyRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns a track from a place to the north, a point every ten seconds.
    private static func track(_ date: String, _ minutes: Range<Int>, north: Double = 0, hdop: String = "") -> String {
        let points = (minutes.lowerBound * 6..<minutes.upperBound * 6).map { step in
            let time = [10 + step / 360, step / 6 % 60, step % 6 * 10].map { $0 < 10 ? "0\($0)" : "\($0)" }
            return """
                <trkpt lat="\(52 + north + Double(step) * 0.001)" lon="4.5"><time>2026-05-\(date)T\(time.joined(separator: ":"))Z\
                </time>\(hdop)</trkpt>
                """
        }
        return "<trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk>"
    }

    private func file(_ tracks: [String], creator: String = "test") throws -> String {
        try folder.file(
            "\(UUID().uuidString).gpx", "<gpx version=\"1.1\" creator=\"\(creator)\">\(tracks.joined())</gpx>")
    }

    private func fixes(_ recording: TidyRecording) throws -> [Fix] {
        var fixes: [Fix] = []
        while let next = try recording.next() { fixes += next }
        return fixes
    }

    private func isInOrder(_ fixes: [Fix]) -> Bool {
        zip(fixes, fixes.dropFirst()).allSatisfy { before, after in
            before.time.flatMap { start in after.time.map { start < $0 } } ?? false
        }
    }

    @Test func tracksNewestFirstAreSorted() throws {
        let path = try file([
            Self.track("03", 0..<10), Self.track("02", 0..<10, north: 1), Self.track("01", 0..<10, north: 2),
        ])
        let plain = try TidyRecording(path: path)
        #expect(try fixes(plain).count == 180)
        #expect(plain.needsSorting && plain.backward == 120)
        #expect(plain.notices.first?.hasPrefix("it is not in order of time: 120 of 180 points") == true)
        let sorted = try TidyRecording(path: path, sorts: true)
        let read = try fixes(sorted)
        #expect(read.count == 180 && isInOrder(read))
        #expect(read.indices.filter { read[$0].beginsSegment } == [0, 60, 120])
        #expect(sorted.dropped.isEmpty && sorted.notices.isEmpty)
    }

    @Test func aReversedSegmentIsSorted() throws {
        let points = Self.track("01", 0..<10).split(separator: "\n")
        let inner = points.map { $0.replacing("<trk><trkseg>", with: "").replacing("</trkseg></trk>", with: "") }
        let path = try file(["<trk><trkseg>\(inner.reversed().joined(separator: "\n"))</trkseg></trk>"])
        let sorted = try TidyRecording(path: path, sorts: true)
        let read = try fixes(sorted)
        #expect(read.count == 60 && isInOrder(read))
        #expect(read.indices.filter { read[$0].beginsSegment } == [0])
    }

    @Test func theSameJourneyTwiceIsReadOnce() throws {
        let path = try file([Self.track("01", 0..<30), Self.track("01", 5..<20)])
        let sorted = try TidyRecording(path: path, sorts: true)
        let read = try fixes(sorted)
        #expect(read.count == 180 && isInOrder(read))
        #expect(read.count { $0.beginsSegment } == 1)
        #expect(sorted.dropped["duplicate"] == 90)
        #expect(sorted.notices.contains { $0.contains("tracks 1 and 2 are the same journey") })
    }

    @Test func twoTracksAtDifferentPlacesAreTwoDevices() throws {
        let path = try file([Self.track("01", 0..<30), Self.track("01", 5..<20, north: 1)])
        let sorted = try TidyRecording(path: path, sorts: true)
        #expect(try fixes(sorted).map(\.coordinate.latitude).allSatisfy { $0 < 52.9 })
        #expect(sorted.devices == 2 && sorted.ofOtherDevices == 90)
        #expect(sorted.notices.contains { $0.contains("two devices") })
        sorted.restart(device: 1)
        let other = try fixes(sorted)
        #expect(other.count == 90 && other.allSatisfy { $0.coordinate.latitude > 52.9 } && isInOrder(other))
    }

    @Test func aFixDatedAheadDoesNotMakeTheFileNeedSorting() throws {
        let path = try file([Self.track("01", 0..<10).replacing("2026-05-01T10:05:00Z", with: "2043-05-01T10:05:00Z")])
        let recording = try TidyRecording(path: path)
        #expect(try fixes(recording).count == 59)
        #expect(recording.dropped["future"] == 1 && recording.firstDropped?.description.hasPrefix("2043") == true)
        #expect(!recording.needsSorting)
    }

    @Test(arguments: [("OsmAnd 4.9.10", 12.0), ("Locus Map, Android", 5), ("Another program", 12)])
    func metresAreReadAsMetres(creator: String, value: Double) throws {
        let path = try file([Self.track("01", 0..<10, hdop: "<hdop>\(value)</hdop>")], creator: creator)
        let recording = try TidyRecording(path: path)
        #expect(try fixes(recording).allSatisfy { $0.accuracy == .meters(value) && $0.hdop == nil })
        #expect(recording.notices.first?.contains("accuracies in metres") == true)
    }

    /// The first block of the file does not show what its values are; a later one does.
    @Test func dilutionsStayDilutions() throws {
        let poor =
            Self.track("01", 0..<60, hdop: "<hdop>4.5</hdop>") + Self.track("02", 0..<300, hdop: "<hdop>4.2</hdop>")
        for creator in ["Another program", "GPSLogger"] {
            let path = try file([poor, Self.track("03", 0..<10, hdop: "<hdop>0.8</hdop>")], creator: creator)
            let recording = try TidyRecording(path: path)
            #expect(try fixes(recording).first?.hdop == 4.5)
            #expect(recording.notices.isEmpty)
        }
        let unknown = try TidyRecording(path: try file([Self.track("01", 0..<1, hdop: "<hdop>99.99</hdop>")]))
        #expect(try fixes(unknown).allSatisfy { $0.hdop == nil && $0.accuracy == nil })
    }

    @Test func aLogPutTogetherNewestFirstIsSorted() throws {
        func log(_ date: String) -> String {
            (0..<60).map {
                RecordingTests.sentence(
                    "GPRMC,1000\($0 < 10 ? "0\($0)" : "\($0)"),A,5206.0000,N,00406.0000,E,10.0,45.5,\(date),,,A")
            }.joined()
        }
        let sorted = try TidyRecording(path: try folder.file("log.nmea", log("020526") + log("010526")), sorts: true)
        let read = try fixes(sorted)
        #expect(read.count == 120 && isInOrder(read))
    }

    @Test func moreFixesThanFitAreSortedInAFile() throws {
        var random = SeededGenerator(seed: 7)
        let sorter = FixSorter(runLength: 100)
        var times = (0..<1234).map { Timestamp(milliseconds: Int64($0) * 1000) }
        times.shuffle(using: &random)
        for (number, time) in times.enumerated() {
            var fix = Fix(time: time, coordinate: Coordinate(latitudeE7: -5, longitudeE7: Int32(number)) ?? .origin)
            fix.altitude = number % 2 == 0 ? .meters(-3.5) : nil
            fix.mode = number % 3 == 0 ? .threeDimensional : nil
            fix.satellites = number % 5 == 0 ? number % 20 : nil
            fix.beginsSegment = number % 7 == 0
            try sorter.add(PlacedInFile(fix: fix, time: time, track: 3, segment: Int32(number)))
        }
        try sorter.finish()
        for _ in 0..<2 {
            var reader = sorter.reader()
            var expected: Int64 = 0
            while let next = try reader.read() {
                let number = Int(next.segment)
                #expect(next.time.milliseconds == expected && next.time == times[number] && next.track == 3)
                #expect(next.fix.altitude == (number % 2 == 0 ? .meters(-3.5) : nil))
                #expect(next.fix.mode == (number % 3 == 0 ? .threeDimensional : nil))
                #expect(next.fix.satellites == (number % 5 == 0 ? number % 20 : nil))
                #expect(next.fix.beginsSegment == (number % 7 == 0) && next.fix.speed == nil)
                #expect(next.fix.coordinate.longitudeE7 == Int32(number))
                expected += 1000
            }
            #expect(expected == 1_234_000)
        }
    }

    @Test(
        arguments: [
            ([0x0E, 0x10, 0, 0, 1, 0, 0, 0, 0x2E, 0x46, 0x49, 0x54, 0, 0], "FIT"), ([0x50, 0x4B, 3, 4], "ZIP"),
            ([0x1F, 0x8B, 8, 0], "gzip"), (Array("{\"semanticSegments\": []}".utf8), "Timeline.json"),
            (Array("[{\"endTime\": \"x\", \"startTime\": \"y\"}]".utf8), "Timeline.json"),
            (Array("{\"type\":\"FeatureCollection\"}".utf8), "GeoJSON"), (Array("<kml></kml>".utf8), "KML"),
            (Array("<TrainingCenterDatabase/>".utf8), "TCX"),
        ] as [([UInt8], String)])
    func knownKindsAreNamedInTheRefusal(bytes: [UInt8], name: String) throws {
        let path = folder.file("recording")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: RecordingError.self) {
            let recording = try TidyRecording(path: path)
            while try recording.next() != nil {}
        }
        #expect(error?.description.contains(name) == true)
    }

    @Test func decimalCommasAreNamedInTheRefusal() throws {
        let path = try file(["\n<trk><trkseg>\n<trkpt lat=\"40,42\" lon=\"-3,7\"/></trkseg></trk>"])
        let recording = try TidyRecording(path: path)
        let error = #expect(throws: RecordingError.self) { while try recording.next() != nil {} }
        #expect(error?.line == 3)
        #expect(error?.description.contains("decimal commas") == true)
        #expect(error?.description.contains("lat=\"40,42\"") == true)
        #expect(RecordingSurvey(path: path).error == error)
    }
}
