import Foundation
import TestSupport
import Testing

/// Recordings of which points used to disappear without a word.
@Suite(.slow) struct LostPointsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Summary: Decodable {
        var type: String
        var added: Int?
        var files: [File]?
        var read: Int
        var kept: Int?
        var accepted: Int?
        var rejected: [String: Int]
        var firstRejected: First?
        var notices: [Notice]?

        private enum CodingKeys: String, CodingKey {
            case type, added, files, read, kept, accepted, rejected, notices
            case firstRejected = "first_rejected"
        }

        struct File: Decodable { var file: String }

        struct First: Decodable {
            var file: String?
            var reason: String
            var time: String?
            var point: Int?
            var line: Int?
        }

        struct Notice: Decodable {
            var file: String
            var text: String
        }
    }

    private struct Trip: Decodable {
        var id: String
        var distance: Double
        var bridged: Double
    }

    private static func clock(_ second: Int) -> String {
        [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Returns a track of a rest, a drive at 20 m/s to the north, and a rest.
    private static func drive(
        _ day: Int, every: Int = 10, hours: Int = 1, extra: String = "", north: Double = 52
    ) -> String {
        let rest = 1800 / every
        let steps = hours * 3600 / every
        let points = (0..<rest + steps + rest).map { step in
            let way = Double(min(max(step - rest, 0), steps) * every) * 20 / 111_195
            return """
                <trkpt lat="\(north + way)" lon="4.5"><time>2026-05-0\(day)T\(clock(28_800 + step * every))Z</time>\(extra)</trkpt>
                """
        }
        return "<trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk>"
    }

    private func file(_ tracks: String..., creator: String = "test") throws -> String {
        try folder.file("drive.gpx", "<gpx version=\"1.1\" creator=\"\(creator)\">\(tracks.joined())</gpx>")
    }

    private func load(
        _ file: String, status: Int32 = 0
    ) async throws -> (trips: [Trip], summary: Summary, errors: String) {
        let outcome = try await Command.run("trip", "import", file, "--json", "--store", folder.file("store"))
        #expect(outcome.status == status)
        let lines = outcome.lines
        let trips = try lines.dropLast().map { try JSONDecoder().decode(Trip.self, from: Data($0.utf8)) }
        let last = try #require(lines.last)
        return (trips, try JSONDecoder().decode(Summary.self, from: Data(last.utf8)), outcome.errors)
    }

    @Test func tracksNewestFirstAreThreeTrips() async throws {
        let path = try file(Self.drive(3), Self.drive(2, north: 51), Self.drive(1, north: 50))
        let (trips, summary, errors) = try await load(path)
        #expect(trips.count == 3 && summary.added == 3)
        #expect(summary.kept == summary.read && summary.rejected.isEmpty && summary.files?.count == 1)
        #expect(errors.contains("its points were sorted"))
        #expect(summary.notices?.count == 1)

        let replay = try await Command.run("replay", path, "--json", "--summary")
        #expect(replay.errors.contains("--sort sorts them") && replay.errors.contains("late"))
        let sorted = try await Command.run("replay", path, "--sort", "--json", "--summary")
        #expect(sorted.errors.isEmpty)
        #expect(sorted.lines.count { $0.contains("\"trip.end\"") && !$0.contains("summary") } == 3)
    }

    @Test func twoDevicesInOneFileAreTwoDevices() async throws {
        let (trips, summary, errors) = try await load(try file(Self.drive(1), Self.drive(1, every: 20, north: 48)))
        #expect(trips.map { $0.id.prefix { $0 != "@" } } == ["drive", "drive-2"])
        #expect(summary.kept == summary.read)
        #expect(errors.contains("two devices"))
    }

    @Test func theSameJourneyTwiceIsOneTrip() async throws {
        let (trips, summary, errors) = try await load(try file(Self.drive(1), Self.drive(1)))
        #expect(trips.count == 1)
        #expect(summary.rejected["duplicate"] == summary.read / 2)
        #expect(errors.contains("the same journey"))
    }

    @Test func onePointDatedAheadCostsOnlyItself() async throws {
        let path = try file(Self.drive(1).replacing("2026-05-01T08:40:00Z", with: "2043-05-01T08:40:00Z"))
        let (trips, summary, _) = try await load(path)
        #expect(trips.count == 1)
        #expect(summary.rejected == ["future": 1])
        // Half an hour of rest and ten minutes, a point each ten seconds; all but the first have a line of their own.
        let first = try #require(summary.firstRejected)
        #expect(first.file == path && first.reason == "future" && first.time == "2043-05-01T08:40:00.000Z")
        #expect(first.point == 241 && first.line == 241)
        let replay = try await Command.run("replay", path, "--json", "--summary")
        let last = try #require(replay.lines.last)
        let told = try JSONDecoder().decode(Summary.self, from: Data(last.utf8))
        #expect(told.rejected == ["future": 1])
        #expect(told.firstRejected?.point == 241 && told.firstRejected?.line == 241)
    }

    @Test func accuraciesInMetresCostNoPoint() async throws {
        let (trips, summary, errors) = try await load(
            try file(Self.drive(1, extra: "<hdop>12</hdop>"), creator: "OsmAnd"))
        #expect(trips.count == 1 && summary.kept == summary.read)
        #expect(errors.contains("because OsmAnd wrote it"))
    }

    @Test(arguments: [840, 1200, 3600]) func pointsFarApartMakeATrip(every: Int) async throws {
        let (trips, summary, errors) = try await load(try file(Self.drive(1, every: every, hours: 9)))
        let trip = try #require(trips.first)
        #expect(trips.count == 1)
        // Some of the way may lie beyond the last point that moved.
        #expect(trip.distance > 500_000 && trip.distance <= 650_000)
        #expect(abs(trip.bridged - trip.distance) < 1)
        #expect(summary.kept == summary.read)
        #expect(errors.contains("straight lines"))
    }

    @Test func whereNothingCameOfAFileItSaysWhy() async throws {
        let rejected = try await load(
            try file(
                Self.drive(1, extra: "<hdop>0.5</hdop>", north: 0).replacing(
                    "<hdop>0.5</hdop>", with: "<extensions><accuracy>900</accuracy></extensions>")), status: 1)
        #expect(rejected.trips.isEmpty && rejected.summary.kept == 0)
        #expect(rejected.errors.contains("nothing came of it: all "))
        #expect(
            rejected.errors.contains(
                "accuracy (an accuracy worse than 200 m); the first is point 1 in line 1, of 2026-05-01T08:00:00.000Z"))
        let replay = try await Command.run("replay", folder.file("drive.gpx"))
        #expect(replay.status == 1)
        #expect(replay.errors.contains("nothing came of it: all "))
        let short = try await load(
            try folder.file(
                "drive.gpx",
                "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>"
            ), status: 1)
        #expect(
            short.errors.contains(
                "in its 1 point the device neither moved far enough for a trip nor stayed long enough for a stop"))
    }
}
