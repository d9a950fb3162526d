import Foundation
import TestSupport
import Testing

/// `waymark explain`: why events came about, from recordings, from stores and from the daemon.
@Suite(.slow) struct ExplainCommandTests {
    private struct Answer: Decodable {
        var device: String
        var source: String
        var fixes: [Row]
        var closest: [Row]?

        struct Row: Decodable {
            var time: String?
            var rejected: String?
            var before: String
            var after: String
            var events: [EventLine]
            var reason: String
        }
    }

    private static let recording = ["fixtures/city-drive.nmea", "--sights", Fixture.sights]

    private func explain(_ arguments: [String]) async throws -> Answer {
        let outcome = try await Command.run(["explain", "--json"] + arguments)
        #expect(outcome.errors.isEmpty)
        return try #require(try outcome.decoded(as: Answer.self).first)
    }

    /// Returns the golden file's events of one geofence.
    private func golden(_ id: String) throws -> [EventLine] {
        String(decoding: try Fixture.golden("city-drive"), as: UTF8.self).split(separator: "\n")
            .compactMap { try? JSONDecoder().decode(EventLine.self, from: Data($0.utf8)) }
            .filter { $0.geofence?.id == id && $0.type.hasPrefix("geofence.") }
    }

    @Test func aRecordingIsExplainedAsItsReplayDecides() async throws {
        let expected = try golden("rijksmuseum")
        #expect(!expected.isEmpty)
        let answer = try await explain(
            Self.recording + ["--geofence", "rijksmuseum", "--at", "2026-05-01T10:17:00Z", "--window", "990"])
        #expect(answer.device == "city-drive")
        #expect(answer.source == "recording")
        #expect(answer.fixes.count == 1000)
        let exact = try await explain(
            Self.recording + ["--geofence", "sight/rijksmuseum", "--at", "2026-05-01T10:08:30Z", "--window", "70"])
        let told = exact.fixes.flatMap(\.events)
        #expect(!told.isEmpty)
        #expect(told.map(\.type) == expected.filter { line in told.contains { $0.time == line.time } }.map(\.type))
        for row in exact.fixes where !row.events.isEmpty {
            #expect(["enters", "leaves", "dwells", "crosses"].contains { row.reason.hasPrefix($0) })
        }
    }

    @Test func aRejectedFixIsShownWithItsReason() async throws {
        let rejected = try await Command.run(
            ["explain", "--geofence", "artis", "--at", "2026-05-01T10:17:00Z", "--window", "1200", "--json"]
                + Self.recording)
        let whole = try #require(try rejected.decoded(as: Answer.self).first)
        #expect(whole.fixes.allSatisfy { ($0.rejected == nil) == !$0.reason.hasPrefix("rejected as ") })
    }

    @Test func textOutputHasOneLinePerFix() async throws {
        let outcome = try await Command.run(
            ["explain", "--geofence", "rijksmuseum", "--at", "2026-05-01T10:08:45Z", "--window", "1"] + Self.recording)
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 5)
        #expect(outcome.lines[0] == "Rijksmuseum, radius 120 m, and city-drive, from a replay")
        #expect(outcome.lines[3].contains("  ● "))
        #expect(outcome.lines[3].contains("  leaves: "))
    }

    @Test func aStoreExplainsItsTripsAndReportsFixesThatWereNotKept() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("waymark.db")
        _ = try await Command.run(["replay", "--store", store, "--json"] + Self.recording)
        let answer = try await explain(
            ["--geofence", "rijksmuseum", "--at", "2026-05-01T10:08:45Z", "--store", store, "--device", "city-drive"])
        #expect(answer.source == "trip")
        #expect(answer.fixes.flatMap(\.events).contains { $0.type == "geofence.exit" })

        let nothing = try await Command.run(
            "explain", "--geofence", "rijksmuseum", "--at", "2026-04-01T00:00:00Z", "--store", store)
        #expect(nothing.status == 1)
        #expect(nothing.errors.hasPrefix("waymark: No fix of city-drive around 2026-04-01T00:00:00.000Z was kept."))
        let unknown = try await Command.run(
            "explain", "--geofence", "nope", "--at", "2026-05-01T10:08:45Z", "--store", store)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("nope"))
    }

    @Test func aDaemonWithoutFixesRefusesToExplain() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon(in: folder)
        let refused = try await daemon.ask("explain", "--geofence", "artis", "--at", "2026-05-01T10:00:00Z")
        #expect(refused.status == 1)
        #expect(!refused.errors.isEmpty)
    }

    @Test func wrongUsageIsRefused() async throws {
        let moment = ["--geofence", "artis", "--at", "2026-05-01T10:00:00Z"]
        for wrong in [
            moment + ["fixtures/city-drive.nmea"], moment + ["--sights", Fixture.sights],
            moment + ["--window", "4000"], moment + Self.recording + ["--store", "x.db"],
            ["--geofence", "artis", "--at", "noon"],
        ] {
            let outcome = try await Command.run(["explain"] + wrong)
            #expect(outcome.status == 64, "\(wrong)")
        }
    }
}
