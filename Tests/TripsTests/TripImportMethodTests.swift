import Callers
import FeatureSupport
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Service
@testable import Trips

@Suite struct TripImportMethodTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    /// Returns a drive to the north, one point a second.
    private static func drive(from start: String, seconds: Range<Int>) throws -> [JSONValue] {
        let begin = try #require(Timestamp(rfc3339: start))
        return seconds.map { second in
            [
                "time": .string(begin.advanced(byMilliseconds: Int64(second) * 1000).description),
                "lat": .number(Double(500_000_000 + second * 1500) / 1e7), "lon": 5, "speed": 16.7,
            ]
        }
    }

    private func part(
        _ points: [JSONValue], device: String = "van", _ number: Int = 0, more: Bool = false
    ) -> JSONObject {
        ["device": .string(device), "points": .array(points), "part": .integer(Int64(number)), "more": .bool(more)]
    }

    @Test func aRecordingImportedInPartsGivesTheSameTrip() async throws {
        let drive = try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<300)
        let whole = try await core.call("trips.import", part(drive))
        let trip = try #require(whole["trips"].elements.first)
        #expect(trip["outcome"] == "added")
        #expect(trip["fixes"] == 300)
        #expect(whole["read"] == 300)

        let other = try CoreFixture()
        for (number, start) in stride(from: 0, to: 300, by: 70).enumerated() {
            let points = Array(drive[start..<min(start + 70, 300)])
            let answer = try await other.call("trips.import", part(points, number, more: start + 70 < 300))
            #expect(answer["trips"].elements == (start + 70 < 300 ? [] : [trip]))
        }
        let id = try #require(trip["id"])
        let trace: JSONObject = ["id": id, "limit": 1000]
        let (one, two) = (try await core.call("trips.trace", trace), try await other.call("trips.trace", trace))
        #expect(one == two)
        #expect(one["points"].elements.count == 300)
        let lastEvent = try await core.store.read { try EventLog.extent(in: $0).last }
        #expect(lastEvent == 0)
    }

    @Test func packedPointsGiveTheTripOfTheSamePoints() async throws {
        let drive = try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<300)
        var packed = PackedPoints()
        for point in drive {
            let time = try #require(point["time"].flatMap { String(json: $0) }.flatMap { Timestamp(rfc3339: $0) })
            let latitude = try #require(point["lat"].flatMap { Double(json: $0) })
            var fix = Fix(time: time, coordinate: try #require(Coordinate(latitude: latitude, longitude: 5)))
            fix.speed = .metersPerSecond(16.7)
            packed.append(fix, gap: false)
        }
        let points = try await core.call("trips.import", part(drive))
        let other = try CoreFixture()
        let same = try await other.call(
            "trips.import", ["device": "van", "points": [], "packed": .string(packed.base64)])
        #expect(same == points)
        for wrong in ["AAAA", "%", String(packed.base64.dropLast(4))] {
            let parameters: JSONObject = ["device": "van", "points": [], "packed": .string(wrong)]
            #expect(try await other.error("trips.import", parameters)?.code == .invalidValue)
        }
        let both: JSONObject = ["device": "van", "points": [drive[0]], "packed": ""]
        #expect(try await other.error("trips.import", both)?.code == .invalidValue)
    }

    @Test func aTripKeepsTheKindOfItsLongestPart() async throws {
        let drive = try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<300)
        var parameters = part(drive)
        parameters["kinds"] = [
            ["first": 10, "kind": "walking"], ["first": 100, "kind": "driving"], ["first": 250],
        ]
        let answer = try await core.call("trips.import", parameters)
        #expect(answer["trips"].elements.first?["kind"] == "driving")
        let id = try #require(answer["trips"].elements.first?["id"])
        #expect(try await core.call("trips.get", ["id": id])["kind"] == "driving")
        for (format, text) in [
            ("gpx", "<type>driving</type>"), ("geojson", "\"kind\":\"driving\""), ("csv", ",segment,kind\n"),
        ] {
            let export = try await core.call("trips.export", ["ids": [id], "format": .string(format)])
            #expect(export["text"].flatMap { String(json: $0) }?.contains(text) == true)
        }
        let unordered: JSONObject = [
            "device": "van", "points": [drive[0]], "kinds": [["first": 1], ["first": 0]],
        ]
        #expect(try await core.error("trips.import", unordered)?.code == .invalidValue)
    }

    @Test func partsMustBeConsecutive() async throws {
        let drive = try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<100)
        #expect(try await core.error("trips.import", part(drive, 1))?.code == .conflict)
        _ = try await core.call("trips.import", part(drive, 0, more: true))
        #expect(try await core.error("trips.import", part(drive, 2))?.code == .conflict)
        #expect(try await core.error("trips.import", part(drive, device: "bus", 1))?.code == .conflict)
        // A new import may always start, and a finished one cannot continue.
        _ = try await core.call("trips.import", part(drive, 0))
        #expect(try await core.error("trips.import", part(drive, 1))?.code == .conflict)
    }

    @Test func aTripImportedWithStopsIsKeptUnchanged() async throws {
        // No rule finds a trip or a stop in so few points.
        let drive =
            try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<3)
            + Self.drive(from: "2024-01-01T10:04:00Z", seconds: 3..<5)
        func stop(_ start: String, _ end: String) -> JSONValue {
            ["start": .string("2024-01-01T\(start)Z"), "end": .string("2024-01-01T\(end)Z"), "lat": 50, "lon": 5]
        }
        var first = part(Array(drive[..<2]), more: true)
        // The second stop does not belong to this trip.
        first["stops"] = [stop("10:00:02", "10:04:03"), stop("09:00:00", "09:10:00")]
        #expect(try await core.call("trips.import", first)["trips"].elements == [])
        let answer = try await core.call("trips.import", part(Array(drive[2...] + drive[..<1]), 1))
        #expect(answer["stops"] == 1)
        #expect(answer["read"] == 6)
        #expect(answer["rejected"] == ["late": 1])
        let trip = try #require(answer["trips"].elements.first)
        #expect(trip["id"] == "van@2024-01-01T10:00:00.000Z")
        #expect(trip["stopped"] == 241)
        #expect(trip["stops"] == 1)
        #expect(trip["fixes"] == 5)
        #expect(trip["distance"].number.map { abs($0 - 66.7) < 0.5 } == true)
        for bad in [stop("10:04:03", "10:00:02"), ["start": "2024-01-01T10:00:00Z"]] {
            first["stops"] = [bad]
            #expect(try await core.error("trips.import", first)?.code == .invalidValue)
        }
    }

    @Test func onlyOneRecordingIsImportedAtATime() async throws {
        let drive = try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<100)
        _ = try await core.call("trips.import", part(drive, 0, more: true))
        let stranger = Principal(
            number: 2, origin: .user(1000), rights: [.read, .change])
        func ask() async -> RPCError.Code? {
            let request = Request(
                id: .integer(1), method: "trips.import", parameters: .named(part(drive, device: "bus")))
            guard case .failure(let error) = await core.table.dispatch(request, from: stranger) else { return nil }
            return error.code
        }
        #expect(await ask() == .unavailable)
        _ = try await core.call("trips.import", part([], 1))
        #expect(await ask() == nil)
    }

    @Test func badPointsAreRefused() async throws {
        for point: JSONValue in [
            ["lat": 1, "lon": 1], ["time": "yesterday", "lat": 1, "lon": 1],
            ["time": "2024-01-01T10:00:00Z", "lat": 91, "lon": 1],
        ] {
            #expect(try await core.error("trips.import", part([point]))?.code == .invalidValue)
        }
        #expect(try await core.error("trips.import", part([]), isGuest: true)?.code == .notAllowed)
    }

    @Test func anImportThatOverlapsAnOpenTripIsNotAdded() async throws {
        let open = try core.record("van", at: 0, isOpen: true)
        let before = try core.store.trip(id: open.id)
        func outcome(_ start: Timestamp) async throws -> JSONValue? {
            let drive = try Self.drive(from: start.description, seconds: 0..<100)
            return try await core.call("trips.import", part(drive))["trips"].elements.first?["outcome"]
        }
        #expect(try await outcome(open.start.advanced(byMilliseconds: 3_600_000)) == "overlapping")
        #expect(try await outcome(open.start.advanced(byMilliseconds: -50_000)) == "overlapping")
        #expect(try await outcome(open.start.advanced(byMilliseconds: -3_600_000)) == "added")
        #expect(try core.store.trip(id: open.id) == before)
    }

    @Test func pagesOfASimplifiedTraceJoinIntoTheWhole() async throws {
        // A zigzag of which only the turns are needed.
        let points: [JSONValue] = (0..<400).map { second in
            let aside = abs(second % 80 - 40) * 1500
            return [
                "time": .string(Timestamp(milliseconds: Int64(second) * 1000).description),
                "lat": .number(Double(500_000_000 + second * 1500) / 1e7), "lon": .number(Double(aside) / 1e7),
            ]
        }
        let answer = try await core.call("trips.import", part(points))
        let id = try #require(answer["trips"].elements.first?["id"])
        let all = try await core.pages("trips.trace", ["id": id], of: "points").flatMap { $0 }
        #expect(all.count == 400)
        let whole = try await core.pages("trips.trace", ["id": id, "tolerance": 5], of: "points").flatMap { $0 }
        #expect((10...14).contains(whole.count))
        #expect(whole.first == all.first)
        #expect(whole.last == all.last)
        for limit in 1...4 {
            let pages = try await core.pages(
                "trips.trace", ["id": id, "tolerance": 5, "limit": .integer(Int64(limit))], of: "points")
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
            #expect(pages.flatMap { $0 } == whole)
        }
        let csv = try await core.call("trips.export", ["ids": [id], "format": "csv", "tolerance": 5])["text"].text
        #expect(csv?.split(separator: "\n").count == whole.count + 1)
        #expect(try await core.error("trips.trace", ["id": id, "tolerance": -1])?.code == .invalidValue)
    }

    @Test func altitudesBeyondAnyOnEarthAreRefused() async throws {
        for altitude in [1e308, -1e308, 50_000_001] {
            var drive = try Self.drive(from: "2024-01-01T10:00:00Z", seconds: 0..<2)
            guard case .object(var point) = drive[1] else { continue }
            point["alt"] = .number(altitude)
            drive[1] = .object(point)
            let error = try await core.error("trips.import", part(drive))
            #expect(error?.message.contains("must be from -100000 to 50000000") == true)
        }
    }

    /// The trip has the greatest climbs between kept points, and its times are the last representable ones.
    @Test func theMostExtremeAcceptedTripCanBeEdited() async throws {
        let points: [JSONValue] = try Self.drive(from: "9999-12-31T23:55:00Z", seconds: 0..<299).enumerated().map {
            guard case .object(var point) = $1 else { return $1 }
            point["alt"] = .number($0 % 2 == 0 ? -100_000 : 1_000_000)
            point["accuracy"] = -1
            point["track"] = -360
            return .object(point)
        }
        let id = try #require(try await core.call("trips.import", part(points))["trips"].elements.first?["id"])
        _ = try await core.call("trips.recompute", ["ids": [id], "apply": true])
        _ = try await core.call("trips.split", ["id": id, "at": "9999-12-31T23:57:00Z"])
        _ = try await core.call("trips.undo", ["id": id])
        _ = try await core.call("trips.edit", ["id": id, "remove_point": "9999-12-31T23:57:00Z"])
        let trip = try await core.call("trips.get", ["id": id])
        #expect(trip["climb"].number.map { $0 > 1e6 && $0.isFinite } == true)
    }
}
