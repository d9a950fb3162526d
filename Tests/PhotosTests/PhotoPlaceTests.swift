import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Tracking

@testable import Service
@testable import SocketServer

@Suite struct PhotoPlaceTests {
    private let core: CoreFixture

    init() async throws { core = try await MethodCase.world() }

    /// Adds a photo that ada took that many seconds after 10:00.
    private func photo(_ seconds: Int, hasPlace: Bool = true) async throws -> JSONValue {
        let clock = String(moment(Double(seconds)).description.prefix(19)).replacing("-", with: ":").replacing(
            "T", with: " ")
        var notes = TestPicture.notes
        notes.clock = clock
        notes.zone = "+00:00"
        if !hasPlace { notes.latitude = nil }
        return try await core.photo(TestPicture.jpeg(notes: notes), as: "ada")
    }

    private static let ofCamera = 52 + 22.0 / 60 + 12.0 / 3600

    @Test func aPhotoIsPlacedAtTheTripPointNearestInTime() async throws {
        try core.record("gps0", at: 0, points: 10)
        for (seconds, index) in [(4, 4), (0, 0), (9, 9), (-5, 0), (300, 9), (-900, 0)] {
            let photo = try await photo(seconds)
            #expect(photo["lat"].number == 52.37 + Double(index) * 0.0001, "\(seconds)")
            #expect(photo["trip"] == "gps0@2026-05-01T10:00:00.000Z")
        }
    }

    @Test func farFromAnyTripAPhotoHasThePlaceOfItsMetadata() async throws {
        try core.record("gps0", at: 0, points: 10)
        for seconds in [1000, -1000] {
            let photo = try await photo(seconds)
            #expect(abs((photo["lat"].number ?? 0) - Self.ofCamera) < 1e-6)
            #expect(photo["trip"] == nil)
            #expect(try await self.photo(seconds, hasPlace: false)["lat"] == nil)
        }
    }

    @Test func aPhotoTakenDuringARestIsPlacedThere() async throws {
        // Two minutes of driving, an hour of rest, and one more point.
        let points = (0..<120).map { fix(Double($0), north: Int32($0) * 1000) } + [fix(3800, north: 500_000)]
        try await store(points, device: "gps0")
        #expect(try await photo(119 + 1700)["lat"] == 52.3819)
        #expect(try await photo(119 + 1900)["lat"] == 52.42)
    }

    @Test func everyTimeOfATripFindsItsNearestPoint() async throws {
        var random = SeededGenerator(seed: 64)
        var time = 0.0
        let points = (0..<200).map { index in
            time += Double.random(in: 0..<1, using: &random) < 0.1 ? .random(in: 50...1500, using: &random) : 3
            return fix(time.rounded(), north: Int32(index) * 1000)
        }
        try await store(points, device: "gps0")
        let last = Int(time)
        for _ in 0..<25 {
            let seconds = Int.random(in: 0...last, using: &random)
            let found = try await photo(seconds)["lat"].number
            let nearest = points.map { abs(($0.time ?? moment(0)).seconds(since: moment(Double(seconds)))) }.min()
            let allowed = points.filter {
                abs(($0.time ?? moment(0)).seconds(since: moment(Double(seconds)))) == nearest
            }.map(\.coordinate.latitude)
            #expect(allowed.contains { abs($0 - (found ?? 0)) < 1e-9 }, "\(seconds)")
        }
    }

    @Test func onlyDevicesThatCarryThePhotographerCount() async throws {
        try core.record("boat", at: 0, points: 10)
        #expect(try await photo(4)["trip"] == nil)
        try core.record("gps0", at: 30, points: 10)
        #expect(try await photo(4)["trip"] == "gps0@2026-05-01T10:00:30.000Z")
        // As soon as the boat carries her, too, the nearer trip counts.
        try await core.store.write { db in
            try db.execute(sql: "INSERT INTO carried SELECT 'boat', number FROM person WHERE id = 'ada'")
        }
        #expect(try await photo(5)["trip"] == "boat@2026-05-01T10:00:00.000Z")
    }

    @Test func othersReceiveThePlaceOfTheMetadataButNotOfTheTrace() async throws {
        try core.record("gps0", at: 0, points: 10)
        for hasPlace in [true, false] {
            let own = try await photo(4, hasPlace: hasPlace)
            #expect(own["trip"] != nil)
            let id = try #require(own["id"])
            try await core.call(as: "ada", "photos.update", ["photo": id, "keep_metadata": true])
            for connection in [CoreFixture.connection(as: "bob"), CoreFixture.guest, CoreFixture.admin] {
                let shown = try await core.call("photos.get", ["photo": id], from: connection)
                #expect(shown["taken"] != nil && shown["trip"] == nil)
                #expect(shown["lat"].number.map { abs($0 - Self.ofCamera) < 1e-6 } == (hasPlace ? true : nil))
            }
        }
    }

    @Test func listingPhotosCostsTheSameHoweverLongTheTrip() async throws {
        let statements = Mutex<[String]>([])
        var counts: [Int] = []
        for length in [100, 400] {
            let core = try await MethodCase.world()
            try core.record("gps0", at: 0, points: length)
            for width in 1...10 {
                var notes = TestPicture.notes
                notes.zone = "+00:00"
                notes.clock = "2026:05:01 10:0\(width % 2):0\(width - 1)"
                try await core.photo(TestPicture.png(width: width, notes: notes), as: "ada")
            }
            try await core.store.write { db in
                db.trace { event in
                    guard case .statement(let statement) = event else { return }
                    statements.withLock { $0.append(statement.sql) }
                }
            }
            statements.withLock { $0 = [] }
            let list = try await core.call(as: "ada", "photos.list", ["subject": "sight/mill"])["photos"].elements
            #expect(list.count == 10 && list.allSatisfy { $0["trip"] != nil })
            let seen = statements.withLock { $0 }
            #expect(seen.filter { $0.contains("FROM trace") }.allSatisfy { $0.hasSuffix("LIMIT 1") })
            counts.append(seen.count)
        }
        #expect(counts[0] == counts[1])
    }

    /// Stores a trip with these points.
    private func store(_ points: [Fix], device: String) async throws {
        let start = try #require(points.first?.time)
        var trip = TripSummary(device: device, start: start)
        var pending = PendingCommit()
        pending.changes[device] = [.tripBegan(trip)] + points.map { .point($0, gap: $0 == points.first) }
        trip.end = points.last?.time
        trip.fixes = points.count
        pending.changes[device]?.append(.tripEnded(trip))
        try commit(pending)
    }

    private func commit(_ pending: PendingCommit) throws { _ = try core.store.commit(pending) }
}
