import Companion
import Foundation
import Positioning
import Store
import TestSupport
import Testing
import TextCoding
import Tracking

@testable import Daemon

@Suite struct ReplayTests {
    private let folder: TemporaryFolder

    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures").path

    init() throws { folder = try TemporaryFolder() }

    /// What those who listen were told.
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
                told: { told.lines += $0.map { String(decoding: $0.line, as: UTF8.self) } },
                progressed: { told.progress.append($0) }, failed: { told.failed.append($0) }))
        return (told, summary)
    }

    @Test func aReplayTellsItsEventsItsProgressAndWhatItCameTo() async throws {
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

    @Test func aFailureIsToldAndTheNextRecordingFollows() async throws {
        let nothing = folder.file("nothing.gpx")
        let (told, summary) = try await replay(
            Replay.Options(files: [nothing, "\(Self.fixtures)/damaged.gpx", "\(Self.fixtures)/pass-by.gpx"]))
        #expect(told.failed.map(\.file) == [nothing, "\(Self.fixtures)/damaged.gpx"])
        #expect(told.failed.last?.error.line == 154)
        #expect(summary.hasFailed)
        #expect(summary.read == 150 + 45)
        #expect(summary.trips == 2)
    }

    @Test func theSightsOfAKeptReplayAreKeptWithIt() async throws {
        let store = folder.file("waymark.db")
        let files = Replay.Options(files: ["\(Self.fixtures)/pass-by.gpx"])
        let (told, _) = try await replay(files, sights: ["\(Self.fixtures)/pass-by.sights.csv"], store: store)
        let kept = try Storehouse.openForReading(at: store)
        #expect(try kept.sights().count == 6)
        #expect(try kept.events(after: 0, limit: .max).map { String(decoding: $0.line, as: UTF8.self) } == told.lines)
        #expect(try kept.devices().map(\.name) == ["pass-by"])
    }

    @Test func aReplayOfWhatIsKnownComesToNothing() async throws {
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

    @Test func aBadFileOfSightsIsNamedBeforeTheStoreIsMade() async throws {
        let bad = try folder.file("bad.csv", "id,title,lat,lon\na,A,x,2\n")
        let store = folder.file("waymark.db")
        let failure = #expect(throws: FileFailure.self) {
            try ReplaySession(Replay.Options(files: []), sightFiles: [bad], storePath: store, socket: nil)
        }
        #expect(failure?.file == bad)
        #expect(failure?.error.line == 2)
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func theGeofencesOfAStoreCarryTheirRevisions() throws {
        let store = try Storehouse.temporary()
        let sights = try SightFile.read(paths: ["\(Self.fixtures)/pass-by.sights.csv"])
        _ = try store.importSights(sights)
        _ = try store.importSights([])
        let index = try GeofenceIndex(sightsOf: store)
        #expect(index.count == sights.count)
        #expect(index.revision == (try store.sightGeofences().revision))
    }
}
