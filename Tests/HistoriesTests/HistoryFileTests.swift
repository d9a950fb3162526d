import Geodesy
import Histories
import Positioning
import Testing
import Time

@Suite struct HistoryFileTests {
    @Test func eachKindIsFoundByItsContent() {
        for (format, text) in Sample.all {
            for prefix in ["", "\u{FEFF}", "\n  "] {
                let reading = Reading(prefix + text)
                #expect(reading.format == format && reading.error == nil, "\(format): \(reading.error?.reason ?? "")")
            }
        }
    }

    @Test func piecesOfAnyLengthGiveTheSame() {
        for (format, text) in Sample.all {
            let whole = Reading(text)
            #expect(!whole.items.isEmpty)
            for length in [1, 2, 3, 7, 64, 257] { #expect(Reading(text, pieces: length) == whole, "\(format)") }
        }
    }

    @Test(
        arguments: [
            (Array("<?xml version=\"1.0\"?>\n<!-- <kml> -->\n<gpx version=\"1.1\">".utf8), .history(.gpx)),
            (Array("<x:gpx xmlns:x=\"a\">".utf8), .history(.gpx)),
            (Array("\u{FEFF}<kml>".utf8), .history(.kml)),
            (Array("<!DOCTYPE kml [<!ENTITY a \"b\">]><kml/>".utf8), .history(.kml)),
            (Array("<TrainingCenterDatabase xmlns=\"a\">".utf8), .history(.tcx)),
            ([0xFF, 0xFE] + "<kml>".utf16.flatMap { [UInt8($0), 0] }, .history(.kml)),
            ([14, 0x10, 0, 0, 0, 0, 0, 0] + Array(".FIT".utf8) + [0, 0], .history(.fit)),
            (Array("AXXX001\r\nHFDTE010524\r\n".utf8), .history(.igc)),
            (Array("AXXX001\r\nB1000005206000N00430000WA0001000020\r\n".utf8), .history(.igc)),
            (Array("PK\u{3}\u{4}".utf8) + [20, 0], .zip),
            ([0x1F, 0x8B, 8, 0], .gzip),
            (Array("[1]".utf8), .json),
            (Array("$GPRMC,100000".utf8), .nmea),
            (Array("\u{0}*\n2024-05-01T10:00:00Z\t*\t{}\n".utf8), .history(.ownTracksRecorder)),
            (Array("utc\tlat\tlon\tnote\n2024-05-01T10:00:00Z\t1\t2\t{}\n".utf8), .history(.csv)),
            (Array("Latitude;Longitude;Date;Time\n".utf8), .history(.csv)),
            (Array("\"timestamp_ms\",\"latitudeE7\",\"longitudeE7\"\n".utf8), .history(.csv)),
        ] as [([UInt8], HistorySignature)])
    func aSignatureTellsTheContent(bytes: [UInt8], expected: HistorySignature) throws {
        #expect(try HistorySignature(bytes.span) == expected)
    }

    @Test(
        arguments: [
            ([], "empty"), (Array("  \n".utf8), "empty"),
            ([0x89, 0x50, 0x4E, 0x47, 13, 10], "a PNG image"), ([0xFF, 0xD8, 0xFF, 0xE0], "a JPEG image"),
            (Array("%PDF-1.7".utf8), "a PDF document"), (Array("$GPRMC,1".utf8), "NMEA 0183"),
            (Array("\u{1B}[2J".utf8), "\u{FFFD}[2J"),
            (Array("<!DOCTYPE html><html>".utf8), "\"html\""), (Array("Time,Reason\n".utf8), "\"Time,Reason\""),
            ([1, 2, 0, 3], "binary"), (Array("<!-- never closed".utf8), "XML"),
        ] as [([UInt8], String)])
    func otherContentIsRefusedByItsName(bytes: [UInt8], name: String) {
        let error = Reading(bytes).error
        #expect(error?.reason.contains(name) == true, "\(error?.reason ?? "no error")")
    }

    @Test(arguments: [
        "{}", "[]", "[1,2]", #"{"locations": {"here": 1}}"#, #"{"locations": []}"#, #"{"locations": [{"name": "x"}]}"#,
        #"{"timelineEdits": [{"position": {"latE7": 1, "lngE7": 2}}]}"#, #"{"data": [{"id": 1}]}"#,
        #"{"timelineObjects": []}"#, #"{"type": "FeatureCollection", "features": []}"#,
    ])
    func jsonOfSomethingElseIsRefused(text: String) {
        let reading = Reading(text)
        #expect(reading.items.isEmpty && reading.error != nil)
    }

    @Test func aHistoryOfVisitsAloneIsRead() {
        #expect(Reading(Sample.polarstepsTrip).error == nil)
    }

    @Test func readersOfOtherKindsAreCalledWithAllBytes() throws {
        struct Counter: HistoryDecoder {
            var count = 0
            var dropped: [DroppedPoint: Int] { [.unreadable: count] }
            mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) { count += bytes.count }
            mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
                items.append(.fix(Fix(time: nil, coordinate: .origin)))
            }
        }
        let bytes = Array("<gpx>".utf8) + [UInt8](repeating: 0x20, count: 3 * HistorySignature.enough)
        for length in [1000, HistorySignature.enough, bytes.count] {
            var history = HistoryFile { $0 == .history(.gpx) ? Counter() : nil }
            var items: [HistoryItem] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                try history.feed(bytes.span.extracting(start..<min(start + length, bytes.count)), into: &items)
            }
            try history.finish(into: &items)
            #expect(history.format == .gpx && history.dropped == [.unreadable: bytes.count])
        }
        #expect(Reading("<gpx>").error?.reason.contains("gpx") == true)
    }
}
