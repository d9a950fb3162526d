import Foundation
import GPX
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct RecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let gpx = """
        <?xml version="1.0"?>
        <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="52.1" lon="4.1"><time>2026-05-01T10:00:00Z</time></trkpt>
        <trkpt lat="52.2" lon="4.2"><time>2026-05-01T10:00:01Z</time></trkpt>
        </trkseg></trk></gpx>

        """

    static let nmea = [
        "GPRMC,100000,A,5206.0000,N,00406.0000,E,10.0,45.5,010526,,,A",
        "GPRMC,100001,A,5212.0000,N,00412.0000,E,10.0,45.5,010526,,,A",
    ].map(sentence).joined()

    static func sentence(_ text: String) -> String {
        let sum = String(text.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(text)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }

    /// Returns all fixes up to the end or the error.
    private func read(_ path: String, date: CalendarDate? = nil) -> (fixes: [Fix], error: RecordingError?) {
        var fixes: [Fix] = []
        do throws(RecordingError) {
            let recording = try Recording(path: path, date: date)
            while let more = try recording.next() {
                #expect(!more.isEmpty)
                fixes += more
            }
            return (fixes, nil)
        } catch {
            return (fixes, error)
        }
    }

    private static let encodings: [(String, String.Encoding, [UInt8])] = [
        ("UTF-8", .utf8, []), ("UTF-8 with a mark", .utf8, [0xEF, 0xBB, 0xBF]),
        ("UTF-16 little-endian", .utf16LittleEndian, [0xFF, 0xFE]),
        ("UTF-16 big-endian", .utf16BigEndian, [0xFE, 0xFF]),
    ]

    @Test(arguments: [(Recording.Format.gpx, gpx), (.nmea, nmea)])
    func theFormatIsDetectedFromTheContentNotTheName(format: Recording.Format, text: String) throws {
        for (name, encoding, mark) in Self.encodings {
            for blanks in ["", "\n \t\r\n"] {
                let text = try #require((blanks + text).data(using: encoding))
                // A document with a declaration may not begin with white space.
                let content = format == .gpx && !blanks.isEmpty ? Data() : text
                guard !content.isEmpty else { continue }
                let path = try folder.file("recording.csv", mark + content)
                #expect(try Recording(path: path).format == format, "\(name)")
                let (fixes, error) = read(path)
                #expect(error == nil, "\(name)")
                #expect(fixes.map(\.coordinate.latitude) == [52.1, 52.2], "\(name)")
                #expect(
                    fixes.compactMap(\.time?.description) == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"],
                    "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("-", "stdin"), ("drive.nmea", "drive"), ("/a/b/drive.log.gpx", "drive.log"), ("drive", "drive"),
        ("../my drive.GPX", "my drive"), (".nmea", ".nmea"), ("/", "/"),
    ])
    func theDeviceIsNamedAfterTheFile(path: String, device: String) {
        #expect(Recording.device(of: path) == device)
    }

    @Test(arguments: [1, 1000, Int.max])
    func allPointsBeforeADamageAreReturnedBeforeTheError(atOnce: Int) throws {
        let point = "<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt>\n"
        // The file is several pieces long, so that the damage is not in the first.
        let count = 3 * FileBytes.pieceLength / point.utf8.count
        let head = "<gpx version=\"1.1\" creator=\"t\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>\n"
        let path = try folder.file("cut.gpx", head + String(repeating: point, count: count) + "<trkpt lat=\"1")
        let recording = try Recording(path: path)
        var batches: [Int] = []
        let thrown = #expect(throws: RecordingError.self) {
            while let more = try recording.next(atLeast: atOnce) { batches.append(more.count) }
        }
        let error = try #require(thrown)
        #expect(batches.reduce(0, +) == count)
        #expect(batches.dropLast().allSatisfy { $0 >= atOnce })
        #expect(error.line == count + 2)
        #expect(error.column != nil)
        // Another call throws the same error and returns no more points.
        #expect(throws: error) { try recording.next(atLeast: atOnce) }
    }

    @Test func aLogWithoutDatesUsesTheGivenDate() throws {
        let path = try folder.file(
            "log.nmea",
            Self.sentence("GPGGA,235959,5206.0000,N,00406.0000,E,1,08,0.9,12.5,M,46.9,M,,")
                + Self.sentence("GPGGA,000000,5206.0000,N,00406.0000,E,1,08,0.9,12.5,M,46.9,M,,"))
        #expect(read(path).fixes.map(\.time) == [nil, nil])
        let dated = read(path, date: CalendarDate(year: 2026, month: 5, day: 1)).fixes
        #expect(dated.compactMap(\.time?.description) == ["2026-05-01T23:59:59.000Z", "2026-05-02T00:00:00.000Z"])
    }

    @Test(arguments: [
        ("Once upon a time\nthere was a fix\n", "this is neither GPX nor NMEA"),
        ("<html><body>Not found</body></html>", ""),
        ("{\"type\":\"FeatureCollection\"}\n", "this is neither GPX nor NMEA"),
        ("", "the file is empty"),
    ])
    func filesThatAreNotRecordingsAreRefused(text: String, says: String) throws {
        let (fixes, error) = read(try folder.file("file", text))
        #expect(fixes.isEmpty)
        #expect(try #require(error).reason.hasPrefix(says))
    }

    @Test func rubbishOfAnyLengthIsRefused() throws {
        var generator = SeededGenerator(seed: 1)
        for length in [1, 100, 200_000] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0x80...0xFF, using: &generator) }
            let (fixes, error) = read(try folder.file("rubbish", bytes))
            #expect(fixes.isEmpty)
            #expect(error != nil)
        }
    }

    @Test func skippedSentencesAreCounted() throws {
        let broken = Self.nmea.replacing("5212", with: "5213")
        let recording = try Recording(path: try folder.file("log.nmea", broken))
        while try recording.next() != nil {}
        #expect(recording.malformed.sorted.map(\.reason) == ["checksum"])
        #expect(recording.malformed.total == 1)
    }
}

@Suite struct RecordingSurveyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func bothFormatsGiveTheSameSurvey() throws {
        for (format, text) in [(Recording.Format.gpx, RecordingTests.gpx), (.nmea, RecordingTests.nmea)] {
            let survey = RecordingSurvey(path: try folder.file("file", text))
            #expect(survey.error == nil)
            #expect(survey.format == format)
            #expect(survey.counts.tracks == 1)
            #expect(survey.counts.segments == 1)
            #expect(survey.counts.points == 2)
            #expect(survey.counts.minTime?.description == "2026-05-01T10:00:00.000Z")
            #expect(survey.counts.maxTime?.description == "2026-05-01T10:00:01.000Z")
            // 0.1° north are 11,127 m on the ellipsoid, 0.1° east there 6,842 m.
            #expect(abs(survey.counts.length.meters - 13_062) < 10)
        }
    }

    @Test func aDamagedFileIsSurveyedUpToTheDamage() throws {
        let cut = RecordingTests.gpx.replacing("</trkseg></trk></gpx>\n", with: "<trkpt lat=")
        let survey = RecordingSurvey(path: try folder.file("cut.gpx", cut))
        #expect(survey.counts.points == 2)
        #expect(survey.format == .gpx)
        #expect(survey.error?.line == 5)
    }

    @Test func aFileThatCannotBeReadHasAnError() throws {
        #expect(RecordingSurvey(path: folder.file("nothing")).error?.reason == "there is no such file")
        #expect(RecordingSurvey(path: try folder.file("empty", "")).error?.reason == "the file is empty")
        let prose = RecordingSurvey(path: try folder.file("prose", "Once upon a time\n"))
        #expect(prose.error?.reason.hasPrefix("this is neither GPX nor NMEA") == true)
        #expect(prose.counts.points == 0)
    }
}
