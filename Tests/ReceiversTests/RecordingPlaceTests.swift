import Foundation
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct RecordingPlaceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(0) { $0 ^ $1 }
        return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
    }

    private static func epoch(_ clock: String, date: String = "010526") -> String {
        sentence("GPGGA,\(clock),5222.2,N,00453.3,E,1,08,0.9,1,M,,M,,")
            + sentence("GPRMC,\(clock),A,5222.2,N,00453.3,E,5.0,90.0,\(date),,,A")
    }

    /// The first point of that time, in a line among others.
    @Test(arguments: [("\n", 4), ("", 1)])
    func aPointOfADocumentHasItsNumberAndLine(_ separator: String, _ line: Int) throws {
        let points = (0..<5).map { point in
            "<trkpt lat=\"52\" lon=\"4.\(point)\">\(separator)<time>2026-05-01T10:00:0\(point)Z</time>\(separator)</trkpt>"
        }
        let path = try folder.file(
            "a.gpx",
            "<gpx>\(separator)<trk><trkseg>\(separator)<trkpt lat=\"1\" lon=\"2\"/>\(separator)\(points.joined(separator: separator))</trkseg></trk></gpx>"
        )
        let found = RecordingPlace.find("speed", at: try Self.time("2026-05-01T10:00:02Z"), in: path)
        #expect(found == RecordingPlace(point: 4, line: line == 1 ? 1 : 10, format: .gpx))
        let timeless = RecordingPlace.find("no-time", at: nil, in: path)
        #expect(timeless == RecordingPlace(point: 1, line: line == 1 ? 1 : 3, format: .gpx))
        #expect(timeless?.words == "point 1 in line \(line == 1 ? 1 : 3)")
        #expect(RecordingPlace.find("speed", at: try Self.time("2026-05-01T11:00:00Z"), in: path) == nil)
    }

    @Test func aFixOfALogHasTheLineOfItsFirstSentence() throws {
        let path = try folder.file(
            "a.nmea",
            "# a comment\n" + Self.epoch("100000.00") + Self.epoch("100001.00") + Self.epoch("100002.25")
                + Self.epoch("100003.00"))
        let found = RecordingPlace.find("speed", at: try Self.time("2026-05-01T10:00:02.25Z"), in: path)
        #expect(found == RecordingPlace(point: 3, line: 6, format: .nmea))
        #expect(found?.words == "line 6")
    }

    @Test func fixesThatWaitForTheirDateHaveTheirOwnLines() throws {
        let undated = (0..<5).map { Self.sentence("GPGGA,10000\($0).00,5222.2,N,00453.3,E,1,08,0.9,1,M,,M,,") }
        let path = try folder.file("a.nmea", undated.joined() + Self.epoch("100005.00") + Self.epoch("100006.00"))
        let found = RecordingPlace.find("accuracy", at: try Self.time("2026-05-01T10:00:02Z"), in: path)
        #expect(found == RecordingPlace(point: 3, line: 3, format: .nmea))
    }

    @Test func aLateFixIsTheSecondOfItsTime() throws {
        let points = [0, 1, 2, 1, 3].map {
            "<trkpt lat=\"52\" lon=\"4\"><time>2026-05-01T10:00:0\($0)Z</time></trkpt>"
        }
        let path = try folder.file(
            "a.gpx", "<gpx><trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk></gpx>")
        let time = try Self.time("2026-05-01T10:00:01Z")
        #expect(RecordingPlace.find("late", at: time, in: path)?.line == 4)
        #expect(RecordingPlace.find("speed", at: time, in: path)?.line == 2)
    }
}
