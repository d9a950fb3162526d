import Foundation
import GRDB
import TestSupport
import Testing

@Suite(.slow) struct TripImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Line: Decodable {
        var id: String?
        var outcome: String?
        var with: String?
        var type: String?
        var added: Int?
        var known: Int?
        var overlapping: Int?
    }

    private func load(_ arguments: String..., into store: String) async throws -> [Line] {
        let outcome = try await Command.run(
            ["trip", "import"] + arguments + ["--json", "--store", folder.file(store)])
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
        return try outcome.decoded(as: Line.self)
    }

    /// Returns the rows of a query on a store, each as one line.
    private func rows(_ sql: String, in store: String) throws -> [String] {
        try DatabaseQueue(path: folder.file(store)).read { db in
            try Row.fetchAll(db, sql: sql).map { "\($0)" }
        }
    }

    /// Returns all that a store has about trips, stops and traces.
    private func travels(in store: String) throws -> [String] {
        try rows(
            """
            SELECT id, start, "end", distance_m, moving_s, stopped_s, stops, fixes, algorithm, settings, revision,
                gaps_m, bridged_m, south_e7, west_e7, north_e7, east_e7, climb_m, descent_m, max_speed_mps FROM trip ORDER BY id
            """, in: store)
            + rows(#"SELECT id, start, "end", lat_e7, lon_e7 FROM stop ORDER BY id"#, in: store)
            + rows("SELECT * FROM trace_degrees ORDER BY trip, time", in: store)
    }

    @Test(arguments: [
        "canal-walk.gpx", "city-drive.nmea", "harbour-boat.nmea", "polar-walk.gpx", "antimeridian-sail.gpx",
    ])
    func importingGivesTheTripsOfAReplay(_ file: String) async throws {
        let replay = try await Command.run("replay", "fixtures/\(file)", "--store", folder.file("replayed"), "--json")
        #expect(replay.status == 0)
        let lines = try await load("fixtures/\(file)", into: "imported")
        let kept = try travels(in: "imported")
        #expect(try kept == travels(in: "replayed"))
        #expect(try rows("SELECT * FROM event", in: "imported").isEmpty)
        #expect(
            try rows("SELECT * FROM device WHERE state IS NOT NULL OR last_time IS NOT NULL", in: "imported").isEmpty)
        #expect(lines.last?.type == "summary")
        #expect(lines.last?.added == lines.count - 1)

        // A second import reports the trips as known and changes nothing.
        let again = try await load("fixtures/\(file)", into: "imported")
        #expect(again.last?.added == 0)
        #expect(again.last?.known == lines.count - 1)
        #expect(again.dropLast().allSatisfy { $0.outcome == "known" })
        #expect(try travels(in: "imported") == kept)
    }

    @Test func exportedAndImportedGPXFilesHaveTheSamePoints() async throws {
        for file in ["canal-walk.gpx", "pass-by.gpx", "antimeridian-sail.gpx"] {
            _ = try await load("fixtures/\(file)", into: "first")
        }
        let ids = try rows("SELECT id FROM trip ORDER BY id", in: "first")
        #expect(ids.count >= 3)
        for device in ["canal-walk", "pass-by", "antimeridian-sail"] {
            let target = folder.file("\(device).gpx")
            let exported = try await Command.run(
                "trip", "export", "--device", device, "-o", target, "--store", folder.file("first"))
            #expect(exported.status == 0)
            _ = try await load(target, into: "second")
        }
        #expect(try rows("SELECT id FROM trip ORDER BY id", in: "second") == ids)
        let points =
            "SELECT trip, time, lat, lon, gap, alt_m, speed_mps, track_deg FROM trace_degrees ORDER BY trip, time"
        #expect(try rows(points, in: "second") == rows(points, in: "first"))
    }

    /// Returns a GPX recording of nine legs with short and long rests between them, with the noise of a receiver.
    private static func journey(_ seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        let every = Int.random(in: 1...20, using: &random)
        var (second, north, east) = (0, 0.0, 0.0)
        var lines = ["<gpx version=\"1.1\"><trk><trkseg>"]
        func report() {
            if second % 700 < every { lines.append("</trkseg><trkseg>") }
            let noise = { Double.random(in: -4...4, using: &random) }
            let latitude = 52.37 + (north + noise()) / 111_195
            let longitude = 4.89 + (east + noise()) / 67_900
            let height = 20 + (Double(second) / 300).rounded() * 3
            // The time on 2026-05-01, counted from midnight.
            let (hour, minute) = (second / 3600, second / 60 % 60)
            let time = [hour, minute, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            lines.append(
                "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><ele>\(height)</ele><time>2026-05-01T\(time)Z</time></trkpt>"
            )
        }
        for way in 0..<9 {
            let speed: Double = [1.4, 5, 14, 30].randomElement(using: &random) ?? 5
            let turn = Double.random(in: 0..<6.28, using: &random)
            for _ in 0..<Int.random(in: 150...400, using: &random) / every + 5 {
                north += speed * Double(every) * cos(turn)
                east += speed * Double(every) * sin(turn)
                second += every
                report()
            }
            let rest = way == 4 ? 1200 : Int.random(in: 100...800, using: &random)
            for _ in 0..<rest / every {
                second += every
                report()
            }
        }
        return lines.joined(separator: "\n") + "</trkseg></trk></gpx>"
    }

    @Test func anExportOfAllTripsIsKnownWhenImportedAgain() async throws {
        _ = try await load("fixtures/canal-walk.gpx", into: "store")
        _ = try await load("fixtures/city-drive.gpx", "--device", "Ada@home", into: "store")
        let kept = try travels(in: "store")
        let file = folder.file("all trips.gpx")
        let exported = try await Command.run("trip", "export", "--all", "-o", file, "--store", folder.file("store"))
        #expect(exported.status == 0)
        let again = try await load(file, into: "store")
        #expect(again.count > 2)
        #expect(again.dropLast().allSatisfy { $0.outcome == "known" })
        #expect(try travels(in: "store") == kept)
        // A device named by the option takes precedence.
        #expect(try await load(file, "--device", "bus", into: "store").first?.id?.hasPrefix("bus@") == true)
    }

    @Test(arguments: UInt64(1)...3) func exportingAndImportingGPXKeepsTripsAndStops(_ seed: UInt64) async throws {
        _ = try await load(folder.file("raw.gpx", Self.journey(seed)), "--device", "van", into: "first")
        func export(_ store: String) async throws -> String {
            let path = folder.file("van.gpx")
            let outcome = try await Command.run(
                "trip", "export", "--device", "van", "-o", path, "--store", folder.file(store))
            #expect(outcome.status == 0)
            return try String(contentsOfFile: path, encoding: .utf8)
        }
        // `moving_s` is not compared. At a gap beside a stop, a live trip may count another part as moving than the
        // trip that is computed from its points.
        let trips = """
            SELECT id, start, "end", distance_m, stopped_s, stops, fixes, gaps_m, bridged_m, south_e7, west_e7,
                north_e7, east_e7, climb_m, descent_m, max_speed_mps FROM trip ORDER BY id
            """
        let stops = """
            SELECT stop.id, stop.start, stop."end", lat_e7, lon_e7 FROM stop
            JOIN trip ON stop.start < trip."end" AND stop."end" > trip.start ORDER BY stop.id
            """
        let exported = try await export("first")
        #expect(try rows("SELECT sum(stops) FROM trip", in: "first") != ["[sum(stops):0]"])
        let again = try await load(folder.file("van.gpx"), into: "second")
        #expect(again.last?.added == again.count - 1)
        for (second, first) in zip(try rows(trips, in: "second"), try rows(trips, in: "first")) {
            #expect(second == first)
        }
        #expect(try rows("SELECT count(*) FROM trip", in: "second") == rows("SELECT count(*) FROM trip", in: "first"))
        #expect(try rows(stops, in: "second") == rows(stops, in: "first"))
        #expect(try await export("second") == exported)
        #expect(try await load(folder.file("van.gpx"), into: "first").dropLast().allSatisfy { $0.outcome == "known" })
    }

    @Test func anEditedTripIsImportedAsEdited() async throws {
        _ = try await load("fixtures/canal-walk.gpx", into: "first")
        let id = try #require(try rows("SELECT id FROM trip", in: "first").first?.dropFirst(5).dropLast(2)).description
        let walk = id.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        for arguments in [
            ["split", walk, "--at", "2026-05-02T13:30:00Z"],
            ["edit", walk, "--remove-from", "2026-05-02T13:21:00Z", "--remove-until", "2026-05-02T13:22:00Z"],
        ] {
            #expect(try await Command.run(["trip"] + arguments + ["--store", folder.file("first")]).status == 0)
        }
        let path = folder.file("canal-walk.gpx")
        #expect(
            try await Command.run(
                "trip", "export", "--device", "canal-walk", "-o", path, "--store", folder.file("first")
            )
            .status == 0)
        #expect(try await load(path, into: "second").last?.added == 2)
        let numbers = "SELECT id, start, distance_m, stops, stopped_s, fixes, gaps_m FROM trip ORDER BY id"
        #expect(try rows(numbers, in: "second") == rows(numbers, in: "first"))
    }

    @Test func aTripThatOverlapsAnotherOfItsDeviceIsNotImported() async throws {
        let drive = try await load("fixtures/city-drive.gpx", "--device", "van", into: "store")
        #expect(drive.last?.added ?? 0 > 0)
        let before = try travels(in: "store")
        let text = String(decoding: try Fixture.data("city-drive.gpx"), as: UTF8.self)
        // The same drive without its first points, so that its trip begins at another time.
        let half = try await Command.run("trip", "list", "--json", "--store", folder.file("store"))
        let id = try #require(try half.decoded(as: Line.self).first?.id)
        let cut = try folder.file("cut.gpx", Self.withoutFirstPoints(200, text))
        let again = try await load(cut, "--device", "van", into: "store")
        #expect(again.first?.outcome == "overlapping")
        #expect(again.first?.with == id)
        #expect(again.last?.overlapping == again.count - 1)
        #expect(try travels(in: "store") == before)
        // Trips of another device do not overlap with it.
        #expect(try await load(cut, "--device", "bus", into: "store").last?.overlapping == 0)
    }

    private static func withoutFirstPoints(_ count: Int, _ gpx: String) -> String {
        var parts = gpx.components(separatedBy: "<trkpt")
        parts.removeSubrange(1...count)
        return parts.joined(separator: "<trkpt")
    }

    @Test func anImportChangesNeitherTheDevicesStateNorItsEvents() async throws {
        let walk = "fixtures/canal-walk.gpx"
        let options = ["--device", "van", "--sights", "fixtures/pass-by.sights.csv", "--json"]
        let drive = try await Command.run(
            ["replay", "fixtures/pass-by.gpx", "--store", folder.file("with")] + options)
        #expect(drive.status == 0)
        let state = try rows("SELECT * FROM device", in: "with")
        let events = try rows("SELECT * FROM event", in: "with")
        #expect(events.count > 3)
        #expect(try await load(walk, "--device", "van", into: "with").last?.added == 1)
        #expect(try rows("SELECT * FROM device", in: "with") == state)
        #expect(try rows("SELECT * FROM event", in: "with") == events)
        #expect(try rows("SELECT id FROM trip ORDER BY start", in: "with").count == 2)
    }

    @Test func aReplayAfterAnImportKeepsTheTripIdInItsEvents() async throws {
        let imported = try await load("fixtures/canal-walk.gpx", into: "store")
        let id = try #require(imported.first?.id)
        let replay = try await Command.run(
            "replay", "fixtures/canal-walk.gpx", "--store", folder.file("store"), "--json")
        #expect(replay.errors.isEmpty)
        #expect(replay.status == 0)
        let ends = try rows(
            "SELECT json_extract(body, '$.trip.id') FROM event WHERE type = 'trip.end'", in: "store")
        #expect(ends.count == 1)
        #expect(ends.allSatisfy { $0.contains(id) && !$0.contains("+1") })
        let points = try [id, id + "+1"].map { id in
            try rows("SELECT time, lat, lon FROM trace_degrees WHERE trip = '\(id)' ORDER BY time", in: "store")
        }
        #expect(!points[0].isEmpty)
        #expect(points[0] == points[1])
    }

    @Test func aRunningDaemonImportsRecordings() async throws {
        let daemon = try await RunningDaemon(in: try TemporaryFolder())
        func load() async throws -> [Line] {
            // The files are larger than one part, so that the import of a recording takes several calls.
            try await Command.run(
                "trip", "import", "fixtures/harbour-boat.nmea", "fixtures/canal-walk.gpx", "--json", "--socket",
                daemon.socket
            ).decoded(as: Line.self)
        }
        let first = try await load()
        #expect(first.map(\.outcome) == ["added", "added", nil])
        #expect(try await load().map(\.outcome) == ["known", "known", nil])
        _ = try await self.load("fixtures/harbour-boat.nmea", "fixtures/canal-walk.gpx", into: "store")
        for id in first.compactMap(\.id) {
            let formats = ["gpx", "csv"]
            for format in formats {
                let live = try await Command.run(
                    "trip", "export", id, "--format", format, "--simplify", "4", "--socket", daemon.socket)
                let stored = try await Command.run(
                    "trip", "export", id, "--format", format, "--simplify", "4", "--store", folder.file("store"))
                #expect(live.status == 0)
                #expect(live.output == stored.output)
            }
        }
    }

    @Test func nothingIsImportedFromADamagedFile() async throws {
        for files in [["fixtures/damaged.gpx"], ["fixtures/canal-walk.gpx", "fixtures/damaged.gpx"]] {
            let outcome = try await Command.run(["trip", "import"] + files + ["--store", folder.file("none")])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("fixtures/damaged.gpx: "))
            #expect(outcome.errors.contains("line "))
            #expect(outcome.output.isEmpty)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func aRecordingWithoutTimesIsRefusedWithTheReason() async throws {
        let text = String(decoding: try Fixture.data("pass-by.gpx"), as: UTF8.self)
        let timeless = try folder.file("timeless.gpx", text.replacing(/<time>[^<]*<\/time>/, with: ""))
        let outcome = try await Command.run(["trip", "import", timeless, "--store", folder.file("none")])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("none of its points has a time"))
        let dateless = try await Command.run(
            ["trip", "import", "fixtures/dateless.nmea", "--store", folder.file("none")])
        #expect(dateless.errors.contains("--date"))
        let pipe = try await Command.run(["trip", "import", "/dev/null", "--store", folder.file("none")])
        #expect(pipe.status == 1)
        #expect(try folder.names == ["timeless.gpx"])
        #expect(try await load("fixtures/dateless.nmea", "--date", "2026-05-06", into: "dated").last?.type == "summary")
    }
}
