import Foundation
import Positioning
import Receivers
import Store
import TestSupport
import Testing
import TextCoding
import Time
import Tracking

@testable import Daemon
@testable import Sights

@Suite(.slow) struct ReplayTests {
    private let folder: TemporaryFolder

    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures").path

    init() throws { folder = try TemporaryFolder() }

    /// What the replay has reported.
    private final class Told {
        var lines: [String] = []
        var failed: [FileFailure] = []
        var progress: [Replay.Progress] = []
    }

    private func replay(
        _ options: Replay.Options, sights: [String] = [], store: String? = nil
    ) async throws -> (Told, ReplaySummary) {
        let told = Told()
        let session = try ReplaySession(options, sightFiles: sights, storePath: store, socket: nil)
        let summary = try await session.run(
            Replay.Audience(
                committed: { told.lines += $0.map { String(decoding: $0.line, as: UTF8.self) } },
                progressed: { told.progress.append($0) }, failed: { told.failed.append($0) }))
        return (told, summary)
    }

    @Test func aReplayReportsItsEventsItsProgressAndASummary() async throws {
        let file = "\(Self.fixtures)/pass-by.gpx"
        let (told, summary) = try await replay(
            Replay.Options(files: [file]), sights: ["\(Self.fixtures)/pass-by.sights.csv"])
        #expect(told.failed.isEmpty)
        #expect(told.progress.last?.fixes == 45)
        #expect(told.progress.last?.file == file)
        #expect(told.progress.last?.time?.description == "2026-05-07T09:14:40.000Z")
        #expect(summary.read == 45)
        #expect(summary.accepted == 45)
        #expect(summary.events.total == told.lines.count)
        #expect(summary.trips == 1)
        #expect(!summary.hasFailed)
        let golden = try String(contentsOfFile: "\(Self.fixtures)/pass-by.events.jsonl", encoding: .utf8)
        #expect(told.lines.joined(separator: "\n") + "\n" == golden)
    }

    /// Returns a drive back and forth past a sight, with more fixes than are read ahead and than one commit holds.
    private func longDrive() throws -> (recording: String, sights: String) {
        var text = "<gpx version='1.1'><trk><trkseg>\n"
        for second in 0..<10_000 {
            let offset = Double(abs(second % 400 - 200) - 100) * 0.0002
            let time = Timestamp(milliseconds: 1_780_000_000_000 + Int64(second) * 1000)
            text += "<trkpt lat='\(52 + offset)' lon='5.0'><time>\(time)</time></trkpt>\n"
        }
        return (
            try folder.file("drive.gpx", text + "</trkseg></trk></gpx>\n"),
            try folder.file("drive.csv", "id,title,lat,lon,radius_m\na,A,52.003,5,100\n")
        )
    }

    @Test func readingAheadWhileWritingGivesTheSameEvents() async throws {
        let (file, sights) = try longDrive()
        let (told, summary) = try await replay(Replay.Options(files: [file, file]), sights: [sights])

        let pipeline = Pipeline(
            store: try Stores.temporary(), index: GeofenceIndex(try SightFile.read(path: sights)),
            policy: TrackingPolicy())
        let fixes = try #require(try Recording(path: file).next(atLeast: .max))
        for _ in 1...2 {
            try pipeline.ingest(fixes, device: "drive")
            try pipeline.finish(device: "drive")
        }
        let expected = try pipeline.commit()
        #expect(told.lines == expected.map { String(decoding: $0.line, as: UTF8.self) })
        #expect(told.lines.count > 100)
        #expect(summary.read == 20_000)
        #expect(told.progress.count > 4)
        #expect(told.progress.last?.fixes == 10_000)
    }

    @Test func aStoreThatFailsDuringAReplayEndsIt() async throws {
        let (file, sights) = try longDrive()
        let store = try Stores.temporary()
        let index = GeofenceIndex(try SightFile.read(path: sights))
        // The store is closed after the first events have been written.
        var replay = Replay(
            Replay.Options(files: [file]), into: Pipeline(store: store, index: index, policy: TrackingPolicy()),
            audience: Replay.Audience(committed: { _ in try store.close() }))
        await #expect(throws: StoreError.self) { _ = try await replay.run() }
    }

    @Test func aFailureIsReportedAndTheNextRecordingFollows() async throws {
        let nothing = folder.file("nothing.gpx")
        let (told, summary) = try await replay(
            Replay.Options(files: [nothing, "\(Self.fixtures)/damaged.gpx", "\(Self.fixtures)/pass-by.gpx"]))
        #expect(told.failed.map(\.file) == [nothing, "\(Self.fixtures)/damaged.gpx"])
        #expect(told.failed.last?.error.line == 154)
        #expect(summary.hasFailed)
        #expect(summary.read == 150 + 45)
        #expect(summary.trips == 2)
    }

    @Test func aStoredReplayStoresItsSights() async throws {
        let store = folder.file("waymark.db")
        let files = Replay.Options(files: ["\(Self.fixtures)/pass-by.gpx"])
        let (told, _) = try await replay(files, sights: ["\(Self.fixtures)/pass-by.sights.csv"], store: store)
        let kept = try Stores.openForReading(at: store)
        #expect(try kept.sights().count == 6)
        #expect(try kept.events(after: 0, limit: .max).map { String(decoding: $0.line, as: UTF8.self) } == told.lines)
        #expect(try kept.devices().map(\.name) == ["pass-by"])
    }

    @Test func aSecondReplayIntoTheSameStoreGivesNoEvents() async throws {
        let store = folder.file("waymark.db")
        let files = Replay.Options(files: ["\(Self.fixtures)/pass-by.gpx"])
        _ = try await replay(files, store: store)
        let (told, summary) = try await replay(files, store: store)
        #expect(told.lines.isEmpty)
        var json = JSONWriter()
        json.object { summary.writeMembers(to: &$0) }
        #expect(
            json.text == """
                {"type":"summary","read":45,"accepted":0,"rejected":{"late":45},"malformed":{},"distance":0,\
                "trips":0,"stops":0,"events":{}}
                """)
    }

    @Test func anInvalidSightsFileIsReportedBeforeTheStoreIsCreated() async throws {
        let bad = try folder.file("bad.csv", "id,title,lat,lon\na,A,x,2\n")
        let store = folder.file("waymark.db")
        let failure = #expect(throws: FileFailure.self) {
            try ReplaySession(Replay.Options(files: []), sightFiles: [bad], storePath: store, socket: nil)
        }
        #expect(failure?.file == bad)
        #expect(failure?.error.line == 2)
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func theGeofenceIndexHasTheRevisionOfTheStoresSights() throws {
        let store = try Stores.temporary()
        let sights = try SightFile.read(paths: ["\(Self.fixtures)/pass-by.sights.csv"])
        _ = try store.importSights(sights)
        _ = try store.importSights([])
        let index = try GeofenceIndex(of: store)
        #expect(index.count == sights.count)
        #expect(index.revision == (try store.sightGeofences().revision))
    }
}
