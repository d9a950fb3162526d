import Foundation
import GPX
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

/// Past journeys that other programs have kept.
@Suite(.slow) struct HistoryImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Line: Decodable {
        struct Bounds: Decodable { var south, west, north, east: Double }
        struct File: Decodable {
            var file: String
            var format: String?
            var points: Int
        }
        struct Skipped: Decodable { var file, reason: String }
        var type: String?
        var outcome: String?
        var start: String?
        var format: String?
        var points: Int?
        var visits: Int?
        var added: Int?
        var known: Int?
        var stops: Int?
        var bounds: Bounds?
        var files: [File]?
        var skipped: [Skipped]?
        var dropped: [String: Int]?
    }

    private func load(_ path: String, into store: String, expecting status: Int32 = 0) async throws -> [Line] {
        let outcome = try await Command.run(
            "trip", "import", path, "--device", "phone", "--json", "--store", folder.file(store))
        #expect(outcome.status == status, "\(outcome.errors)")
        return try outcome.decoded(as: Line.self)
    }

    /// The points of a fixture.
    private static func walk() throws -> [Fix] {
        let decoder = GPXDecoder()
        var fixes: [Fix] = []
        try decoder.feed([UInt8](Fixture.data("canal-walk.gpx")).span, into: &fixes)
        try decoder.finish(into: &fixes)
        return fixes
    }

    private static func records(_ fixes: [Fix]) -> String {
        let locations = fixes.map { fix in
            """
            {"latitudeE7":\(fix.coordinate.latitudeE7),"longitudeE7":\(fix.coordinate.longitudeE7),\
            "timestamp":"\(fix.time?.description ?? "")"}
            """
        }
        return "{\"locations\":[\(locations.joined(separator: ","))]}"
    }

    private static func table(_ fixes: [Fix]) -> String {
        "time,lat,lon\n"
            + fixes.map { "\($0.time?.description ?? ""),\($0.coordinate.latitude),\($0.coordinate.longitude)\n" }
            .joined()
    }

    @Test func aWalkIsTheSameTripWhateverKeptIt() async throws {
        let fixes = try Self.walk()
        let files = [
            try folder.file("Records.json", Self.records(fixes)), try folder.file("walk.csv", Self.table(fixes)),
            try folder.file("turned.json", Self.records(fixes.reversed())),
        ]
        let whole = try await load("fixtures/canal-walk.gpx", into: "gpx")
        #expect(whole.last?.points == fixes.count)
        #expect(whole.last?.format == "gpx")
        for file in files {
            let lines = try await load(file, into: "store")
            #expect(lines.last?.points == fixes.count)
            #expect(lines.dropLast().map(\.start) == whole.dropLast().map(\.start))
            // What one file tells is known when another one tells it.
            #expect(lines.last?.added == (file == files[0] ? whole.count - 1 : 0))
            #expect(lines.last?.bounds?.north == whole.last?.bounds?.north)
        }
        #expect(try await load(files[0], into: "none").last?.format == "google-records")
    }

    @Test func aFolderIsImportedAndWhatCannotBeReadIsListed() async throws {
        let takeout = folder.file("Takeout")
        try FileManager.default.createDirectory(atPath: takeout, withIntermediateDirectories: true)
        let fixes = try Self.walk()
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(takeout)/\(name)"))
        }
        try write("Settings.json", "{}")
        #expect(try await load(takeout, into: "none", expecting: 1).isEmpty)
        try write("Records.json", Self.records(fixes))
        let sound = try await load(takeout, into: "store")
        #expect(sound.last?.skipped?.map(\.reason) == ["no history"])
        #expect(sound.last?.added == 1)
        #expect(sound.last?.files?.map(\.file) == ["Records.json"])
        try write("cut.json", String(Self.records(fixes).dropLast(9)))
        let damaged = try await load(takeout, into: "store", expecting: 2)
        #expect(damaged.last?.known == 1)
        #expect(damaged.last?.skipped?.count == 2)
    }

    @Test func aVisitBecomesAStop() async throws {
        let file = try folder.file(
            "location-history.json",
            """
            [{"startTime":"2024-05-01T10:00:00.000Z","endTime":"2024-05-01T12:00:00.000Z","visit":{"topCandidate":\
            {"placeLocation":"geo:52.370000,4.890000","probability":"0.9"},"probability":"0.9"}}]
            """)
        let first = try await load(file, into: "store")
        #expect(first.last?.visits == 1)
        #expect(first.last?.stops == 1)
        #expect(first.last?.format == "google-timeline-ios")
        #expect(try await load(file, into: "store").last?.stops == 0)
    }

    @Test func whatIsNoHistoryIsRefusedWithTheKindsThatAreKnown() async throws {
        for (name, text) in [("picture.png", "\u{89}PNG"), ("page.html", "<html><body/></html>"), ("empty.json", "[]")]
        {
            let outcome = try await Command.run(
                "trip", "import", try folder.file(name, text), "--store", folder.file("none"))
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(name))
            #expect(outcome.output.isEmpty)
        }
        #expect(try folder.names == ["empty.json", "page.html", "picture.png"])
    }
}
