import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Service

@Suite struct TripEditingMethodTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    private static let first: JSONValue = "van@2026-05-01T10:00:00.000Z"
    private static let second: JSONValue = "van@2026-05-01T10:01:40.000Z"
    private static let other: JSONValue = "bike@2026-05-01T10:00:00.000Z"
    private static let open: JSONValue = "van@2026-05-01T10:03:20.000Z"

    private func record() throws {
        try core.record("van", at: 0, points: 10)
        try core.record("van", at: 100, points: 10)
        try core.record("van", at: 200, isOpen: true)
        try core.record("bike", at: 0, points: 10)
    }

    @Test func aStopThatNeverWasIsRemovedAndBroughtBack() async throws {
        try core.record("van", at: 0, points: 60)
        let stop = try core.stop("van", from: 10, to: 40)
        try await core.call("trips.recompute", ["ids": [Self.first], "apply": true])
        let before = try await seen(Self.first)
        #expect(before[0]["stops"].number == 1 && before[0]["stopped"].number == 30)
        #expect(try await core.error("stops.remove", ["id": .string(stop.id)], isGuest: true)?.code == .notAllowed)
        let answer = try await core.call("stops.remove", ["id": .string(stop.id)])
        #expect(answer["trips"].elements.map { $0["id"].text } == ["van@2026-05-01T10:00:00.000Z"])
        let trip = try await core.call("trips.get", ["id": Self.first])
        #expect(trip["stops"].number == 0 && trip["stopped"].number == 0 && trip["stop_list"].elements.isEmpty)
        #expect(try core.store.events(after: 0, limit: .max).last?.type == "trip.revised")
        // The view and the recomputation follow.
        #expect(try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM stops") } == 0)
        let recomputed = try await core.call("trips.recompute", ["ids": [Self.first]])
        #expect(recomputed["trips"].elements.isEmpty && recomputed["same"].number == 1)
        try await core.call("trips.undo", ["id": Self.first])
        #expect(try await seen(Self.first) == before)
        #expect(try await core.error("stops.remove", ["id": "none"])?.code == .notFound)
    }

    /// Returns everything that the methods show of a trip.
    private func seen(_ id: JSONValue) async throws -> [JSONValue] {
        [try await core.call("trips.get", ["id": id]), try await core.call("trips.trace", ["id": id])]
    }

    @Test(
        arguments: [
            ("trips.merge", ["id": first, "with": second]),
            ("trips.split", ["id": first, "at": "2026-05-01T10:00:04Z"]),
            ("trips.edit", ["id": first, "remove_point": "2026-05-01T10:00:04Z"]),
            (
                "trips.edit",
                ["id": first, "remove_from": "2026-05-01T10:00:04Z", "remove_until": "2026-05-01T10:00:06Z"]
            ),
        ] as [(String, JSONObject)])
    func anEditEmitsEventsAndItsUndoRestoresTheTrip(_ method: String, _ parameters: JSONObject) async throws {
        try record()
        let before = [try await seen(Self.first), try await seen(Self.second)]
        let list = try await core.call("trips.list")
        let answer = try await core.call(method, parameters)
        let changed = try #require(answer["trips"].elements.first { $0["id"] == Self.first })
        #expect(changed["revision"] == 1)
        let shown = try await core.call("trips.get", ["id": Self.first])
        #expect(changed["end"] == shown["end"] && changed["fixes"] == shown["fixes"])
        #expect(try await seen(Self.first) != before[0])
        let count = answer["trips"].elements.count + answer["gone"].elements.count
        #expect(core.liveState.told == (try core.store.events(after: 0, limit: .max)))
        #expect(core.liveState.told.map(\.type) == Array(repeating: "trip.revised", count: count))
        _ = try await core.call("trips.undo", ["id": Self.first])
        #expect([try await seen(Self.first), try await seen(Self.second)] == before)
        #expect(try await core.call("trips.list") == list)
        #expect(core.liveState.told.count == 2 * count)
        #expect(core.liveState.told == (try core.store.events(after: 0, limit: .max)))
    }

    @Test func anExportHasTheEditedTrip() async throws {
        try record()
        _ = try await core.call("trips.merge", ["id": Self.first, "with": Self.second])
        _ = try await core.call("trips.edit", ["id": Self.first, "remove_point": "2026-05-01T10:00:04Z"])
        let csv = try await core.call("trips.export", ["ids": [Self.first], "format": "csv"])
        let rows = csv["text"].text?.split(separator: "\n") ?? []
        #expect(rows.count == 1 + 19)
        #expect(try await core.error("trips.export", ["ids": [Self.second], "format": "csv"])?.code == .notFound)
        #expect(try await core.error("trips.get", ["id": Self.second])?.code == .notFound)
        #expect(try await core.call("trips.list", ["device": "van"])["trips"].elements.count == 2)
    }

    @Test func removingAMergedTripLeavesNothingOfIt() async throws {
        try record()
        _ = try await core.call("trips.merge", ["id": Self.first, "with": Self.second])
        _ = try await core.call("trips.remove", ["id": Self.first])
        #expect(
            try await core.call("trips.list", ["device": "van"])["trips"].elements.ids
                == [Self.open].compactMap { String(json: $0) })
        #expect(try await core.store.write { try Travels.sweep(limit: 1, in: $0) })
    }

    @Test(arguments: [
        RefusedCall("trips.merge", ["id": "none", "with": first], .notFound),
        RefusedCall("trips.merge", ["id": first, "with": "none"], .notFound),
        RefusedCall("trips.merge", ["id": first], .invalidValue, "with"),
        RefusedCall("trips.merge", ["id": first, "with": first], .invalidValue, "with"),
        RefusedCall("trips.merge", ["id": first, "with": other], .invalidValue, "with"),
        RefusedCall("trips.merge", ["id": second, "with": open], .conflict),
        RefusedCall("trips.split", ["id": "none", "at": "2026-05-01T10:00:04Z"], .notFound),
        RefusedCall("trips.split", ["id": first], .invalidValue, "at"),
        RefusedCall("trips.split", ["id": first, "at": "noon"], .invalidValue, "at"),
        RefusedCall("trips.split", ["id": first, "at": "2026-05-01T10:00:09Z"], .invalidValue, "at"),
        RefusedCall("trips.split", ["id": open, "at": "2026-05-01T10:03:21Z"], .conflict),
        RefusedCall("trips.edit", ["id": first], .invalidValue, "remove_from"),
        RefusedCall("trips.edit", ["id": first, "remove_from": "2026-05-01T10:00:04Z"], .invalidValue, "remove_until"),
        RefusedCall(
            "trips.edit", ["id": first, "remove_from": "2026-05-01T10:00:04Z", "remove_until": "2026-05-01T10:00:03Z"],
            .invalidValue, "remove_until"),
        RefusedCall(
            "trips.edit", ["id": first, "remove_from": "2026-05-01T10:00:04Z", "remove_point": "2026-05-01T10:00:04Z"],
            .invalidValue, "remove_point"),
        RefusedCall("trips.edit", ["id": first, "remove_point": "2026-05-01T10:00:04.5Z"], .notFound),
        RefusedCall(
            "trips.edit", ["id": first, "remove_from": "2026-05-01T10:00:00Z", "remove_until": "2026-05-01T10:00:09Z"],
            .conflict),
        RefusedCall("trips.edit", ["id": open, "remove_point": "2026-05-01T10:03:20Z"], .conflict),
        RefusedCall("trips.undo", ["id": "none"], .notFound),
        RefusedCall("trips.undo", ["id": first], .conflict),
        RefusedCall("trips.recompute", ["ids": ["none"]], .notFound),
        RefusedCall("trips.recompute", ["ids": [open]], .conflict),
        RefusedCall("trips.recompute", ["ids": []], .invalidValue, "ids"),
        RefusedCall("trips.recompute", ["ids": [first], "device": "van"], .invalidValue, "ids"),
        RefusedCall("trips.recompute", ["device": "none"], .notFound),
        RefusedCall("trips.recompute", ["after": "x"], .invalidValue, "after"),
    ])
    func anInvalidEditIsRefusedAndChangesNothing(_ refusal: RefusedCall) async throws {
        try record()
        let list = try await core.call("trips.list")
        let error = try await core.error(refusal.method, refusal.parameters)
        #expect(error?.code == refusal.code)
        #expect(error?.data?["field"].text == refusal.field)
        #expect(try await core.call("trips.list") == list)
        #expect(try core.store.events(after: 0, limit: 1).isEmpty)
    }

    @Test(
        arguments: [
            ("trips.merge", ["id": first, "with": second]),
            ("trips.split", ["id": first, "at": "2026-05-01T10:00:04Z"]),
            ("trips.edit", ["id": first, "remove_point": "2026-05-01T10:00:04Z"]), ("trips.undo", ["id": first]),
            ("trips.recompute", [:]),
        ] as [(String, JSONObject)])
    func aReadOnlyCallerCannotEditTrips(_ method: String, _ parameters: JSONObject) async throws {
        try record()
        #expect(try await core.error(method, parameters, isGuest: true)?.code == .notAllowed)
        #expect(try core.store.events(after: 0, limit: 1).isEmpty)
    }

    @Test func recomputingShowsTheDifferenceAndStoresItOnlyIfApplied() async throws {
        try record()
        // The fixture's distances do not match its points.
        let list = try await core.call("trips.list")
        let shown = try await core.call("trips.recompute")
        #expect(shown["trips"].elements.ids.count == 3)
        #expect(shown["same"] == 0 && shown["skipped"] == 1 && shown["applied"] == false)
        let row = try #require(shown["trips"].elements.first { $0["id"] == Self.first })
        #expect(row["stored"]?["distance"] == 1234.6)
        #expect(try #require(row["found"]?["distance"].number) < 1234)
        #expect(try await core.call("trips.list") == list)
        #expect(core.liveState.told.isEmpty)
        // Reading in pages gives the same.
        var after: JSONValue?
        var paged: [JSONValue] = []
        repeat {
            let page = try await core.call(
                "trips.recompute", JSONObject([("limit", .integer(1))] + (after.map { [("after", $0)] } ?? [])))
            paged += page["trips"].elements
            after = page["next"]
        } while after != nil
        #expect(paged == shown["trips"].elements)

        let applied = try await core.call("trips.recompute", ["ids": [Self.first], "apply": true])
        #expect(applied["trips"].elements == [row])
        #expect(core.liveState.told.map(\.subject) == ["trip/van@2026-05-01T10:00:00.000Z"])
        let trip = try await core.call("trips.get", ["id": Self.first])
        #expect(trip["distance"] == row["found"]?["distance"])
        #expect(trip["revision"] == 1)
        let again = try await core.call("trips.recompute", ["apply": true])
        #expect(again["trips"].elements.count == 2 && again["same"] == 1)
        #expect(try await core.call("trips.recompute")["same"] == 3)
    }

    @Test func aTripThatIsRemovedDuringTheCallIsSkipped() async throws {
        try record()
        // When the van's second trip is stored, its first one vanishes, which comes later in the page: newest first.
        try await core.store.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER vanishing AFTER UPDATE ON trip WHEN NEW.id = 'van@2026-05-01T10:01:40.000Z' BEGIN
                        UPDATE trip SET hidden = 1 WHERE id = 'van@2026-05-01T10:00:00.000Z';
                    END
                    """)
        }
        let applied = try await core.call("trips.recompute", ["apply": true])
        #expect(applied["trips"].elements.count == 2 && applied["same"] == 0 && applied["skipped"] == 2)
    }
}
