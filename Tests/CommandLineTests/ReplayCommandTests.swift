import Foundation
import TestSupport
import Testing

@Suite(.slow) struct ReplayCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func fixesOnStandardInputAreOfTheDeviceStdin() async throws {
        let options = ["--sights", "fixtures/pass-by.sights.csv", "--json"]
        let replay = try await Command.run(["replay", "-"] + options, input: try Fixture.data("pass-by.gpx"))
        let golden = String(decoding: try Fixture.golden("pass-by"), as: UTF8.self)
        #expect(replay.text == golden.replacing("pass-by@", with: "stdin@").replacing("\"pass-by\"", with: "\"stdin\""))
        #expect(replay.status == 0)
    }

    @Test func aReplayAtTwoThousandTimesRealTimeGivesTheSameBytes() async throws {
        let options = ["--sights", "fixtures/pass-by.sights.csv", "--json", "--speed", "2000"]
        let replay = try await Command.run(["replay", "fixtures/pass-by.gpx"] + options)
        #expect(replay.output == (try Fixture.golden("pass-by")))
    }

    @Test func severalFilesFollowEachOtherInOneLog() async throws {
        let replay = try await Command.run(
            "replay", "fixtures/pass-by.gpx", "fixtures/canal-walk.gpx", "fixtures/dateless.nmea", "--date",
            "2026-05-06", "--sights", Fixture.sights, "--json")
        #expect(replay.status == 0)
        let events = try replay.decoded(as: EventLine.self)
        #expect(events.map(\.seq) == (1...events.count).map { $0 })
        let devices = events.compactMap(\.device).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(devices == ["pass-by", "canal-walk", "dateless"])
        let walk = replay.lines.filter { $0.contains("\"device\":\"canal-walk\"") }
        #expect(
            walk.count == String(decoding: try Fixture.golden("canal-walk"), as: UTF8.self).split(separator: "\n").count
        )
    }

    @Test func anUnreadableFileDoesNotStopTheReplayOfTheOthers() async throws {
        let replay = try await Command.run(
            "replay", folder.file("nothing.gpx"), "fixtures/pass-by.gpx", "--sights", "fixtures/pass-by.sights.csv",
            "--json")
        #expect(replay.status == 1)
        #expect(replay.output == (try Fixture.golden("pass-by")))
        #expect(replay.errors == "waymark: \(folder.file("nothing.gpx")): there is no such file\n")
    }

    @Test func theSummaryIsTheLastLine() async throws {
        let options = ["--sights", "fixtures/pass-by.sights.csv", "--json", "--summary"]
        let replay = try await Command.run(["replay", "fixtures/pass-by.gpx"] + options)
        let golden = String(decoding: try Fixture.golden("pass-by"), as: UTF8.self)
        let summary = try #require(replay.lines.last)
        #expect(replay.text == golden + summary + "\n")
        #expect(
            summary == """
                {"type":"summary","read":45,"accepted":45,"rejected":{},"malformed":{},"distance":23734.3,"trips":1,\
                "stops":0,"events":{"geofence.cross":2,"geofence.enter":3,"geofence.exit":2,"trip.end":1,\
                "trip.start":1},"first":"2026-05-07T09:00:00.000Z","last":"2026-05-07T09:14:40.000Z"}
                """)
    }

    @Test func positionsArePrintedBetweenTheEventsWithoutANumber() async throws {
        let options = ["--sights", "fixtures/pass-by.sights.csv", "--json", "--positions"]
        let replay = try await Command.run(["replay", "fixtures/pass-by.gpx"] + options)
        let positions = replay.lines.filter { $0.hasPrefix("{\"type\":\"position\"") }
        #expect(positions.count == 45)
        let others = replay.lines.filter { !$0.hasPrefix("{\"type\":\"position\"") }
        #expect(others.joined(separator: "\n") + "\n" == String(decoding: try Fixture.golden("pass-by"), as: UTF8.self))
        let first = try #require(positions.first)
        #expect(
            first.hasPrefix(
                "{\"type\":\"position\",\"time\":\"2026-05-07T09:00:00.000Z\",\"device\":\"pass-by\",\"lat\":"))
        #expect(first.contains("\"fix\":{\"alt\":"))
    }

    @Test func theDeviceCanBeNamed() async throws {
        let replay = try await Command.run("replay", "fixtures/pass-by.gpx", "--device", "van", "--json")
        #expect(try replay.decoded(as: EventLine.self).allSatisfy { $0.device == "van" })
        #expect(!replay.lines.isEmpty)
    }

    @Test func textOutputHasLinesWithColumns() async throws {
        let replay = try await Command.run("replay", "fixtures/parked-night.nmea", "--sights", Fixture.sights)
        let lines = replay.text.components(separatedBy: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == [
                "2026-05-04, times in UTC", "21:00:00 ▼ stop 52.3772° N 4.88262° E", "2026-05-05, times in UTC",
                "05:00:00 ▲ moves on after 8 h", "", "2881 of 2881 fixes accepted, over 8 h",
                "0 trips of 0 m, 1 stop", "sights: none came near", "",
            ])
    }

    @Test(arguments: [
        (["--gate", "maybe"], "'maybe' is invalid for '--gate"),
        (["--speed", "0"], "'0' is invalid for '--speed"),
        (["--speed", "fast"], "'fast' is invalid for '--speed"),
        (["--dwell=-1"], "'-1' is invalid for '--dwell"),
        (["--exit-margin", "nan"], "'nan' is invalid for '--exit-margin"),
        (["--stop-radius", "0"], "--stop-radius must be above 0."),
        (["--date", "2026-02-30"], "'2026-02-30' is invalid for '--date"),
        (["--device", ""], "--device takes a name"),
        (["--colour"], "Unknown option '--colour'"),
    ])
    func wrongUsageExitsWith64AndAMessage(options: [String], says: String) async throws {
        let replay = try await Command.run(["replay", "fixtures/pass-by.gpx"] + options)
        #expect(replay.status == 64)
        #expect(replay.errors.contains(says))
        #expect(replay.output.isEmpty)
    }

    @Test func aFileThatCannotBeReplayedIsReportedWithTheReason() async throws {
        let point = "<trkpt lat=\"1\" lon=\"2\"/>"
        let cases = [
            (Command.repository.path, "this is a folder; name a file in it"),
            (try folder.file("empty.nmea", ""), "the file is empty"),
            (try folder.file("prose.txt", "Once upon a time\nthere was a fix\n"), "this is neither GPX nor NMEA"),
            (try folder.file("timeless.gpx", Self.gpx(point)), "none of its points has a time"),
            (try folder.file("hollow.gpx", Self.gpx("")), "it contains no positions"),
            ("fixtures/dateless.nmea", "none of its sentences contains a date; give the day"),
        ]
        for (file, says) in cases {
            let replay = try await Command.run("replay", file, "--json")
            #expect(replay.status == 1)
            #expect(replay.errors.hasPrefix("waymark: \(file): \(says)"))
            #expect(replay.output.isEmpty)
        }
    }

    @Test func aFullDiskBehindStandardOutputIsAnErrorNotACrash() async throws {
        // Requires the device that is always full. If `/dev/full` were an ordinary file, it would only grow.
        let kind = try? FileManager.default.attributesOfItem(atPath: "/dev/full")[.type] as? FileAttributeType
        guard kind == .typeCharacterSpecial else { return }
        for arguments in [
            ["replay", "fixtures/pass-by.gpx"], ["decode", "fixtures/pass-by.gpx"],
            ["inspect", "fixtures/pass-by.gpx"],
        ] {
            let outcome = try await Command.run(arguments, output: "/dev/full")
            #expect(outcome.status == 1, "\(arguments)")
            #expect(outcome.errors.contains("waymark: standard output"), "\(arguments)")
        }
    }

    private static func gpx(_ points: String) -> String {
        """
        <?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><trkseg>\(points)</trkseg></trk></gpx>
        """
    }
}
