import Foundation
import Geodesy
import Histories
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

/// Histories in files, folders and archives.
@Suite struct HistorySourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns Google's records of some minutes of a day, each a little further north.
    private static func records(_ minutes: Range<Int>) -> String {
        let locations = minutes.map { minute in
            """
            {"latitudeE7":\(523_000_000 + minute * 10_000),"longitudeE7":49000000,"accuracy":9,\
            "timestamp":"2024-05-01T10:\(minute < 10 ? "0" : "")\(minute):00Z"}
            """
        }
        return "{\"locations\":[\(locations.joined(separator: ","))]}"
    }

    private struct Found {
        var formats: [String: String?] = [:]
        var points: [String: Int] = [:]
        var skipped: [String: Bool] = [:]
    }

    private func read(_ path: String) throws -> Found {
        let source = try HistorySource(path: path)
        var found = Found()
        for skipped in source.skipped { found.skipped[skipped.name] = skipped.isDamaged }
        for member in source.members {
            var count = 0
            do {
                let reading = try source.read(member) { count += $0.count }
                found.formats[member.name] = reading.format?.rawValue
                found.points[member.name] = count
            } catch {
                found.skipped[member.name] = !error.holdsNoHistory
            }
        }
        return found
    }

    @Test func aFileIsReadByItsContent() throws {
        let path = try folder.file("no.name", Self.records(0..<30))
        let found = try read(path)
        #expect(try HistorySource.signature(at: path) == .json)
        #expect(found.points == [path: 30])
        #expect(found.formats == [path: "google-records"])
        let missing = folder.file("missing")
        #expect(throws: RecordingError.self) { try HistorySource.signature(at: missing) }
    }

    @Test func aFolderGivesWhatCanBeReadAndListsTheRest() throws {
        let takeout = folder.file("Takeout")
        try FileManager.default.createDirectory(
            atPath: "\(takeout)/Location History", withIntermediateDirectories: true)
        for (name, text) in [
            ("Location History/Records.json", Self.records(0..<20)),
            ("Location History/Settings.json", "{\"hasReportedLocations\": true}"),
            ("cut.json", String(Self.records(0..<20).dropLast(40))), (".hidden.json", Self.records(0..<5)),
            (
                "walk.gpx",
                "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"52\" lon=\"4\"><time>2024-05-02T10:00:00Z</time></trkpt>"
                    + "</trkseg></trk></gpx>"
            ),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(takeout)/\(name)"))
        }
        let zip = ZIPFile.storing([("a/Records.json", Self.records(0..<7)), ("a/", ""), ("readme.txt", "nothing")])
        try Data(zip).write(to: URL(fileURLWithPath: "\(takeout)/part.zip"))
        let found = try read(takeout)
        #expect(
            found.points == ["Location History/Records.json": 20, "walk.gpx": 1, "part.zip/a/Records.json": 7])
        #expect(
            found.skipped == ["Location History/Settings.json": false, "cut.json": true, "part.zip/readme.txt": false])
        #expect(found.formats["walk.gpx"] == "gpx")
        #expect(HistorySource.isFolder(at: takeout))
        #expect(!HistorySource.isFolder(at: "\(takeout)/walk.gpx"))
    }

    @Test func aDamagedArchiveIsRefusedAndADamagedFileInItIsListed() throws {
        let whole = ZIPFile.storing([("one.json", Self.records(0..<7)), ("two.json", Self.records(7..<9))])
        var broken = whole
        // A byte of the first file, whose checksum then is wrong.
        broken[60] ^= 1
        let path = folder.file("broken.zip")
        try Data(broken).write(to: URL(fileURLWithPath: path))
        let found = try read(path)
        #expect(found.points == ["two.json": 2])
        #expect(found.skipped == ["one.json": true])
        try Data(whole.dropLast(12)).write(to: URL(fileURLWithPath: path))
        #expect(throws: RecordingError.self) { try HistorySource(path: path) }
    }

    @Test func historiesOfTheSameHoursAreOneJourney() throws {
        let paths = [try folder.file("one", Self.records(0..<50)), try folder.file("two", Self.records(10..<20))]
        let merged = MergedHistories()
        for path in paths {
            let source = try HistorySource(path: path)
            for member in source.members { try merged.add(member, of: source) }
        }
        try merged.finish()
        #expect(merged.devices == 1)
        #expect(merged.same.map(\.0) == [1])
        for _ in 0..<2 {
            var times: [Timestamp] = []
            while let fix = try merged.next() { times.append(try #require(fix.time)) }
            #expect(times.count == 50)
            #expect(times == times.sorted())
            #expect(merged.dropped.total == 10)
            merged.restart(device: 0)
        }
    }
}
