import Foundation
import Positioning
import TestSupport
import Testing
import Time

/// Golden pairs: the replay of each recording under `fixtures` prints exactly the events of the file beside it.
///
/// `WAYMARK_RECORD=1 swift test --filter GoldenTests` rewrites the events and fails, so that you look at them.
@Suite(.slow) struct GoldenTests {
    private static let isRecording = ProcessInfo.processInfo.environment["WAYMARK_RECORD"] == "1"

    @Test(arguments: Fixture.recordings) func aReplayGivesTheGoldenEvents(of recording: String) async throws {
        let name = Fixture.name(of: recording)
        try await compare(recording, with: name, options: try Fixture.options(of: name))
    }

    @Test(arguments: ["city-drive.nmea", "city-drive.gpx"])
    func approachEventsComeOnTopOfTheOthers(of recording: String) async throws {
        let options = try Fixture.options(of: "city-drive") + ["--approach"]
        try await compare(recording, with: "city-drive.approach", options: options)
        let with = try EventLine.lines(of: "city-drive.approach")
        let without = try EventLine.lines(of: "city-drive")
        #expect(with.filter { $0.type != "geofence.approach" }.map(\.time) == without.map(\.time))
    }

    private func compare(_ recording: String, with name: String, options: [String]) async throws {
        let replay = try await Command.run(["replay", "fixtures/\(recording)"] + options + ["--json"])
        #expect(replay.status == 0)
        #expect(replay.errors.isEmpty)
        guard !Self.isRecording else {
            let golden = Command.repository.appending(path: "fixtures/\(name).events.jsonl")
            try replay.output.write(to: golden, options: .atomic)
            Issue.record("recorded \(golden.lastPathComponent): look at it, and test without WAYMARK_RECORD")
            return
        }
        let golden = try Fixture.golden(name)
        let expected = String(decoding: golden, as: UTF8.self).split(separator: "\n").map(String.init)
        for (line, pair) in zip(replay.lines, expected).enumerated() where pair.0 != pair.1 {
            Issue.record("line \(line + 1) is\n\(pair.0)\ninstead of\n\(pair.1)")
            break
        }
        #expect(replay.output == golden, "\(replay.lines.count) lines, golden are \(expected.count)")
    }

    @Test func everyRecordingHasOptionsAndAGoldenFile() {
        let names = Set(Fixture.recordings.map(Fixture.name))
        func named(_ suffix: String) -> Set<String> {
            Set(Fixture.files.filter { $0.hasSuffix(suffix) }.map(Fixture.name))
        }
        #expect(names.count > 8)
        #expect(named(".options") == names)
        #expect(named(".events.jsonl") == names)
    }

    @Test func aTruncatedGPXFileIsReplayedUpToTheCut() async throws {
        let options = try Fixture.options(of: "damaged")
        let replay = try await Command.run(["replay", "fixtures/damaged.gpx"] + options + ["--json", "--summary"])
        #expect(replay.status == 1)
        #expect(replay.errors.hasPrefix("waymark: fixtures/damaged.gpx: line 154, column 22: "))
        let summary = try JSONDecoder().decode(Summary.self, from: Data(try #require(replay.lines.last).utf8))
        #expect(summary.accepted == 150)

        // The events are those of the walk's beginning, except for the device's name and the trip's end.
        let walk = String(decoding: try Fixture.golden("canal-walk"), as: UTF8.self)
            .replacing("canal-walk", with: "damaged").split(separator: "\n").map(String.init)
        let events = replay.lines.dropLast(2)
        #expect(events.count == 4)
        #expect(Array(events) == Array(walk.prefix(4)))
        let end = try #require(try replay.decoded(as: EventLine.self).dropLast().last)
        #expect(end.type == "trip.end")
        #expect(end.time?.description == "2026-05-02T13:24:58.000Z")
    }
}
