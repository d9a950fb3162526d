import FeatureSupport
import GRDB
import Geodesy
import RPC
import TestSupport
import Testing
import Time
import Tracking

@testable import Reports
@testable import Service
@testable import Store

/// The heat map and a year as a whole, as callers see them.
@Suite struct HeatMethodTests {
    private let core: CoreFixture
    private static let day = 86_400.0
    private static let netherlands: JSONValue = [3.2, 50.7, 7.3, 53.6]

    init() throws {
        core = try CoreFixture()
        try core.store.write { try TripSums.setZone("UTC", in: $0) }
    }

    @Test func squaresCountTheTripsOfADeviceAndAYear() async throws {
        for number in 0..<3 { try core.record("gps0", at: Double(number) * Self.day, points: 30) }
        try core.record("van", at: 366 * Self.day, points: 30)
        try core.record("van", at: 367 * Self.day, isOpen: true)
        func most(_ more: JSONObject) async throws -> JSONValue? {
            var parameters = more
            parameters["bbox"] = Self.netherlands
            parameters["zoom"] = 9
            return try await core.call("history.heat", parameters, isGuest: true)["most"]
        }
        #expect(try await most([:]) == 4)
        #expect(try await most(["device": "van"]) == 1)
        #expect(try await most(["year": 2026]) == 3)
        #expect(try await most(["year": 2026, "device": "van"]) == 0)
        let answer = try await core.call("history.heat", ["bbox": Self.netherlands, "zoom": 20])
        #expect([13, 15].contains(answer["level"].number), "a window of a country has no squares of 76 m")
        #expect(answer["years"] == [2026, 2027] && answer["pending"] == 0)
        // Removing the trips removes the squares.
        for trip in try core.store.trips() where trip.summary.end != nil {
            try await core.call("trips.remove", ["id": .string(trip.summary.id)])
        }
        #expect(try await most([:]) == 0)
    }

    @Test func aYearTellsItsMonthsCountriesAndNewPlaces() async throws {
        try core.record("gps0", at: 0, points: 30)
        try core.record("van", at: 60, points: 30)
        try core.record("gps0", at: 40 * Self.day, points: 30)
        try core.record("gps0", at: 370 * Self.day, points: 30)
        let without = try await core.call("history.year", ["year": 2026], isGuest: true)
        #expect(without["countries"].elements.isEmpty)
        #expect(without["new_places"].elements.count == 1 && without["new_places"].elements.first?["name"] == nil)
        try await core.call("places.import", ["text": .string(MethodCase.utrecht)])
        let story = try await core.call("history.year", ["year": 2026], isGuest: true)
        #expect(story["trips"] == 3 && story["days"] == 2 && story["years"] == [2026, 2027])
        let trips: [Double?] = [0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]
        #expect(story["months"].elements.map { $0["trips"].number } == trips)
        let days = story["months"].elements.compactMap { $0["days"].number }
        #expect(days.reduce(0, +) == 2)
        #expect(story["longest"]?["day"] == "2026-05-01")
        #expect(story["countries"].elements.map { $0["code"].text } == ["NL"])
        #expect(story["new_places"].elements.map { $0["name"].text } == ["Utrecht"])
        #expect(story["squares"] == story["squares_new"] && story["bbox"].elements.count == 4)
        let van = try await core.call("history.year", ["year": 2026, "device": "van"])
        #expect(van["trips"] == 1)
        let next = try await core.call("history.year", ["year": 2027])
        #expect(next["trips"] == 1 && next["places"] == 1 && next["places_new"] == 0 && next["squares_new"] == 0)
        let before = try await core.call("history.year", ["year": 2025])
        #expect(before["trips"] == 0 && before["bbox"] == nil && before["longest"] == nil)
    }

    @Test func anOlderStoreIsCountedByTimedWork() async throws {
        for number in 0..<4 { try core.record("gps0", at: Double(number) * Self.day, points: 30) }
        try await core.store.write { try TripHeat.restart(in: $0) }
        let waiting = try await core.call("history.heat", ["bbox": Self.netherlands])
        #expect(waiting["pending"] == 4 && waiting["cells"].elements.isEmpty)
        let work = HeatBackfill()
        func due(_ now: Timestamp) async throws -> Timestamp? {
            try await core.store.read { try work.due(at: now, in: $0) }
        }
        #expect(try await due(moment(0)) == moment(0))
        try await core.store.write { db in
            var consequences = Consequences()
            try work.work(at: moment(0), in: db, &consequences)
        }
        #expect(try await due(moment(1)) == nil)
        let answer = try await core.call("history.heat", ["bbox": Self.netherlands])
        #expect(answer["pending"] == 0 && answer["most"] == 4)
    }

    /// The journeys of a device that always drives in the same town.
    private static func world(_ trips: Int) throws -> CoreFixture {
        let core = try CoreFixture()
        for number in 0..<trips { try core.record("gps0", at: Double(number) * day, points: 20) }
        return core
    }

    @Test(
        .slow,
        arguments: [
            ("history.heat", ["bbox": netherlands, "zoom": 12]), ("history.heat", ["bbox": [-180, -85, 180, 85]]),
            ("history.year", ["year": 2026]),
        ] as [(String, JSONObject)])
    func answersCostAtMostNLogN(_ method: String, _ parameters: JSONObject) async throws {
        var costs: [Int] = []
        for size in [50, 200] {
            let core = try Self.world(size)
            costs.append(try await core.steps { _ = try await core.call(method, parameters) })
        }
        #expect(costs[1] <= 6 * costs[0] + 2000, "\(costs)")
    }

    @Test(.slow) func endingATripCostsTheSameAfterManyTrips() async throws {
        var costs: [Int] = []
        for size in [50, 200] {
            let core = try Self.world(size)
            costs.append(try await core.steps { _ = try core.record("gps0", at: 900 * Self.day, points: 20) })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 500, "\(costs)")
    }
}
