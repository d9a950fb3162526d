import Foundation
import TestSupport
import Testing

/// `waymark backtest`: new sights and settings applied to old traces.
@Suite(.slow) struct BacktestCommandTests {
    private struct Line: Decodable {
        var change: String
        var event: EventLine
    }

    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("waymark.db")
    }

    /// Fills the store with two trips and the events of their replays.
    private func fill() async throws {
        let replay = try await Command.run(
            "replay", "fixtures/city-drive.nmea", "fixtures/canal-walk.gpx", "--sights", Fixture.sights, "--store",
            store, "--json")
        #expect(replay.status == 0)
    }

    private func backtest(_ arguments: String...) async throws -> [Line] {
        let outcome = try await Command.run(["backtest", "--json"] + arguments)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        return try outcome.decoded(as: Line.self)
    }

    @Test func unchangedSettingsGiveTheSameEventsAndWriteNothing() async throws {
        try await fill()
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let lines = try await backtest(store)
        #expect(lines.count > 60)
        #expect(lines.allSatisfy { $0.change == "same" })
        #expect(Set(lines.compactMap(\.event.device)) == ["city-drive", "canal-walk"])
        #expect(try await backtest(store, "--changes").isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func aWiderMarginKeepsTheDeviceInsideLonger() async throws {
        try await fill()
        let lines = try await backtest(store, "--exit-margin", "100", "--changes", "--device", "city-drive")
        #expect(lines.contains { $0.change == "removed" && $0.event.type == "geofence.exit" })
        #expect(lines.contains { $0.change == "added" && $0.event.type == "geofence.dwell" })
        #expect(lines.allSatisfy { $0.event.device == "city-drive" })
        // A backtest of the recording itself has the same differences.
        let recorded = try await backtest(
            "fixtures/city-drive.nmea", "--sights", Fixture.sights, "--exit-margin", "100", "--changes")
        let added = recorded.filter { $0.change == "added" }
        let ours = lines.filter { $0.change == "added" }
        #expect(added.compactMap(\.event.time) == ours.compactMap(\.event.time))
    }

    @Test func theEventsOfARecordingAreSortedByTime() async throws {
        let lines = try await backtest("fixtures/city-drive.nmea", "--sights", Fixture.sights, "--exit-margin", "100")
        #expect(Set(lines.map(\.change)) == ["added", "removed", "same"])
        let times = lines.compactMap(\.event.time)
        #expect(times == times.sorted())
    }

    @Test func otherSightsAreComparedWithTheLoggedEvents() async throws {
        try await fill()
        let sights = try folder.file(
            "new.csv", "id,title,lat,lon,radius_m\nnew,New,52.360,4.8852,200\n")
        let lines = try await backtest(store, "--sights", sights, "--device", "city-drive")
        #expect(lines.contains { $0.change == "added" && $0.event.geofence?.id == "new" })
        #expect(lines.filter { $0.change == "removed" }.count > 50)
        #expect(!lines.contains { $0.change == "same" })
        #expect(try await backtest(store, "--to", "2026-05-01T00:00:00Z").isEmpty)
    }

    @Test func aPolygonIsTestedLikeACircle() async throws {
        try await fill()
        let sights = try folder.file(
            "new.geojson",
            """
            {"type":"Feature","properties":{"id":"new","title":"New"},"geometry":{"type":"Polygon","coordinates":
            [[[4.8820,52.3582],[4.8884,52.3582],[4.8884,52.3618],[4.8820,52.3618],[4.8820,52.3582]]]}}
            """)
        let added = try await backtest(store, "--sights", sights, "--device", "city-drive").filter {
            $0.change == "added"
        }
        #expect(Set(added.compactMap(\.event.geofence?.id)) == ["new"])
        #expect(Set(added.map(\.event.type)).isSuperset(of: ["geofence.enter", "geofence.exit"]))
    }

    @Test func eventsOfSeveralDevicesAreSortedByTime() async throws {
        // Two vans drive at the same time.
        for (name, file) in [("vana", "city-drive.nmea"), ("vanb", "city-drive.nmea"), ("walk", "canal-walk.gpx")] {
            let replay = try await Command.run(
                "replay", "fixtures/\(file)", "--device", name, "--sights", Fixture.sights, "--store", store, "--json")
            #expect(replay.status == 0)
        }
        let lines = try await backtest(store)
        #expect(Set(lines.compactMap(\.event.device)) == ["vana", "vanb", "walk"])
        // A crossing is decided when it is over, but its time is that of the closest approach.
        let times = lines.compactMap(\.event.time)
        #expect(times == times.sorted())
        let walk = "fixtures/canal-walk.gpx"
        let drive = "fixtures/city-drive.nmea"
        let recorded = try await backtest(walk, drive, "--sights", Fixture.sights)
        #expect(
            try await backtest(drive, walk, "--sights", Fixture.sights).compactMap(\.event.time)
                == recorded.compactMap(\.event.time))
        #expect(recorded.compactMap(\.event.time) == recorded.compactMap(\.event.time).sorted())
    }

    @Test func anImportedTripIsComparedWithItsOwnEvents() async throws {
        let sights = try await Command.run("sight", "import", Fixture.sights, "--store", store)
        #expect(sights.status == 0)
        #expect(try await Command.run("trip", "import", "fixtures/city-drive.nmea", "--store", store).status == 0)
        let lines = try await backtest(store)
        #expect(lines.count > 30)
        #expect(lines.allSatisfy { $0.change == "same" })
        let other = try await backtest(store, "--exit-margin", "100", "--changes")
        #expect(other.contains { $0.change == "removed" && $0.event.type == "geofence.exit" })
        let new = try folder.file("new.csv", "id,title,lat,lon,radius_m\nnew,New,52.360,4.8852,200\n")
        let changed = try await backtest(store, "--sights", new, "--changes")
        #expect(changed.contains { $0.change == "added" && $0.event.geofence?.id == "new" })
        #expect(changed.contains { $0.change == "removed" })
    }

    @Test func textOutputHasMarksAndASummary() async throws {
        try await fill()
        let outcome = try await Command.run("backtest", store, "--exit-margin", "100")
        #expect(outcome.lines.contains { $0.hasPrefix("+ ") })
        #expect(outcome.lines.contains { $0.hasPrefix("- ") })
        #expect(outcome.lines.contains { $0.contains(" events the same, ") })
    }

    /// A train that a tracker sees once a minute passes places that nobody can judge.
    @Test func legsThatAreTooLongAreNotJudged() async throws {
        let points = (0..<30).map { minute in
            "<trkpt lat=\"\(50 + Double(minute) * 0.06)\" lon=\"4.5\"><time>2026-05-01T10:\(minute + 10):00Z</time></trkpt>"
        }
        let path = try folder.file("train.gpx", "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>")
        let words =
            "  not judged: 29 legs between two fixes are over 5 km or 10 min long; what was passed there is unknown"
        let replay = try await Command.run("replay", path, "--store", store)
        #expect(replay.lines.contains(words))
        for arguments in [[path, "--sights", Fixture.sights], [store]] {
            let outcome = try await Command.run(["backtest"] + arguments)
            #expect(outcome.lines.contains { $0.hasPrefix("  not judged: ") && $0.hasSuffix("is unknown") })
        }
        #expect(try await Command.run("backtest", path, "--sights", Fixture.sights).lines.contains(words))
        let near = try await Command.run("backtest", "fixtures/city-drive.nmea", "--sights", Fixture.sights)
        #expect(!near.text.contains("not judged"))
    }

    @Test func filesThatAreNeitherStoresNorRecordingsAreRefused() async throws {
        let notes = try folder.file("notes.txt", "Notes.\n")
        for (arguments, problem) in [
            ([notes], "name some with --sights"), ([notes, "--sights", Fixture.sights], "neither GPX nor NMEA"),
            (["fixtures/city-drive.nmea"], "name some with --sights"), (["/nowhere"], "there is no such file"),
        ] {
            let outcome = try await Command.run(["backtest"] + arguments)
            #expect(outcome.status == 1, "\(arguments)")
            #expect(outcome.errors.hasPrefix("waymark: \(arguments[0]): "), "\(outcome.errors)")
            #expect(outcome.errors.contains(problem), "\(outcome.errors)")
        }
    }
}
