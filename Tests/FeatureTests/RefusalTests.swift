import FeatureSupport
import Positioning
import RPC
import Store
import Testing
import Tracking

@testable import Service
@testable import Sights

@Suite struct RefusalTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        core.liveState.place("gps0", at: fix(0))
        _ = try core.store.importSights([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)])
        try core.record("gps0", at: 0)
        try core.record("gps0", at: 100, isOpen: true)
    }

    private static let afterAnotherTrip = Cursor("trips.export", [1, 0, 1_000_000, "none"]).text
    private static let open: JSONValue = "gps0@2026-05-01T10:01:40.000Z"
    private static let ended: JSONValue = "gps0@2026-05-01T10:00:00.000Z"
    private static let long = JSONValue.string(String(repeating: "é", count: 600))

    @Test(arguments: [
        RefusedCall("sights.add", ["description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        RefusedCall("sights.add", ["title": "", "description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        RefusedCall("sights.add", ["title": " \n", "description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        RefusedCall("sights.add", ["title": long, "description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        RefusedCall("sights.add", ["title": "A", "description": "A.", "lat": 1], .invalidValue, "lon"),
        RefusedCall("sights.add", ["title": "A", "description": "A.", "lon": 1], .invalidValue, "lat"),
        RefusedCall("sights.add", ["title": "A", "description": "A.", "lat": 90.1, "lon": 2], .invalidValue, "lat"),
        RefusedCall("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": -181], .invalidValue, "lon"),
        RefusedCall(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "device": "gps0"], .invalidValue,
            "device"),
        RefusedCall(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "radius": 0], .invalidValue, "radius"),
        RefusedCall(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "radius": 100_001], .invalidValue,
            "radius"),
        RefusedCall(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "category": long], .invalidValue,
            "category"),
        RefusedCall(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "id": ""], .invalidValue, "id"),
        RefusedCall("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "id": "mill"], .conflict),
        RefusedCall("sights.add", ["title": "A", "description": "A.", "device": "gps9"], .notFound),
        RefusedCall("sights.get", ["id": "none"], .notFound),
        RefusedCall("sights.get", [:], .invalidValue, "id"),
        RefusedCall("sights.update", ["id": "none", "title": "A"], .notFound),
        RefusedCall("sights.update", ["id": "mill", "title": ""], .invalidValue, "title"),
        RefusedCall("sights.update", ["id": "mill", "title": "  "], .invalidValue, "title"),
        RefusedCall("sights.update", ["id": "mill", "lat": -91], .invalidValue, "lat"),
        RefusedCall("sights.update", ["id": "mill", "radius": 0], .invalidValue, "radius"),
        RefusedCall("sights.remove", ["id": "none"], .notFound),
        RefusedCall("sights.list", ["bbox": [1, 2, 3]], .invalidValue, "bbox"),
        RefusedCall("sights.list", ["bbox": [1, 3, 2, 2]], .invalidValue, "bbox"),
        RefusedCall("sights.list", ["bbox": [1, -91, 2, 2]], .invalidValue, "bbox"),
        RefusedCall("sights.list", ["limit": 0], .invalidValue, "limit"),
        RefusedCall("sights.list", ["limit": 1001], .invalidValue, "limit"),
        RefusedCall("sights.list", ["after": "x"], .invalidValue, "after"),
        RefusedCall("sights.nearest", ["lat": 1], .invalidValue, "lon"),
        RefusedCall("sights.nearest", ["lat": 1, "lon": 2, "device": "gps0"], .invalidValue, "device"),
        RefusedCall("sights.nearest", ["k": 0], .invalidValue, "k"),
        RefusedCall("sights.nearest", ["k": 1001], .invalidValue, "k"),
        RefusedCall("sights.nearest", ["device": "gps9"], .notFound),
        RefusedCall("sights.import", [:], .invalidValue, "sights"),
        RefusedCall("sights.import", ["sights": [["title": "A", "lat": 1]]], .invalidValue, "sights.lon"),
        RefusedCall(
            "sights.import", ["sights": [["title": "A", "lat": 1, "lon": 2, "x": 1]]], .invalidValue, "sights.x"),
        RefusedCall(
            "sights.import", ["sights": [["title": "A", "lat": 1, "lon": 2, "radius": 0]]], .invalidValue,
            "sights.radius"),
        RefusedCall(
            "sights.import",
            [
                "sights": [
                    ["id": "a", "title": "A", "lat": 1, "lon": 2], ["id": "a", "title": "A", "lat": 1, "lon": 2],
                ]
            ], .invalidValue, "sights.id"),
        RefusedCall("devices.update", ["title": "A"], .invalidValue, "device"),
        RefusedCall("devices.update", ["device": "gps9", "title": "A"], .notFound),
        RefusedCall("devices.update", ["device": "gps0", "title": long], .invalidValue, "title"),
        RefusedCall("devices.update", ["device": "gps0", "primary": 1], .invalidValue, "primary"),
        RefusedCall("devices.update", ["device": "gps0", "primary": false], .conflict),
        RefusedCall("position.current", ["device": "gps9"], .notFound),
        RefusedCall("trips.list", ["device": "gps9"], .notFound),
        RefusedCall("trips.list", ["from": "yesterday"], .invalidValue, "from"),
        RefusedCall("trips.list", ["to": "2026-02-30T00:00:00Z"], .invalidValue, "to"),
        RefusedCall("trips.list", ["after": "5"], .invalidValue, "after"),
        RefusedCall("trips.list", ["limit": 1001], .invalidValue, "limit"),
        RefusedCall("trips.get", ["id": "none"], .notFound),
        RefusedCall("trips.current", ["device": "gps9"], .notFound),
        RefusedCall("trips.trace", ["id": "none"], .notFound),
        RefusedCall("trips.trace", ["id": ended, "after": "5"], .invalidValue, "after"),
        RefusedCall("trips.trace", ["id": ended, "limit": 10_001], .invalidValue, "limit"),
        RefusedCall("trips.export", ["ids": [ended]], .invalidValue, "format"),
        RefusedCall("trips.export", ["ids": [ended], "format": "pdf"], .invalidValue, "format"),
        RefusedCall("trips.export", ["ids": [ended, "none"], "format": "gpx"], .notFound),
        RefusedCall("trips.export", ["ids": [ended, open], "format": "gpx"], .conflict),
        RefusedCall("trips.export", ["ids": [], "format": "gpx"], .invalidValue, "ids"),
        RefusedCall("trips.export", ["ids": [ended], "from": "2026-05-01", "format": "gpx"], .invalidValue, "from"),
        RefusedCall(
            "trips.export", ["ids": [ended], "from": "2026-05-01T00:00:00Z", "format": "gpx"], .invalidValue, "ids"),
        RefusedCall("trips.export", ["from": "2027-01-01T00:00:00Z", "format": "kml"], .notFound),
        RefusedCall("trips.export", ["ids": [ended], "format": "csv", "after": "x"], .invalidValue, "after"),
        RefusedCall("trips.export", ["ids": [ended], "format": "csv", "after": .string(afterAnotherTrip)], .conflict),
        RefusedCall("trips.trace", ["id": ended, "tolerance": -1], .invalidValue, "tolerance"),
        RefusedCall("trips.import", ["device": "gps0"], .invalidValue, "points"),
        RefusedCall("trips.import", ["device": "gps0", "points": [], "part": 1], .conflict),
        RefusedCall("trips.remove", ["id": "none"], .notFound),
        RefusedCall("trips.remove", ["id": open], .conflict),
    ])
    func anInvalidCallIsRefusedWithItsErrorAndField(_ refusal: RefusedCall) async throws {
        let error = try await core.error(refusal.method, refusal.parameters)
        #expect(error?.code == refusal.code)
        #expect(error?.data?["field"].text == refusal.field)
        #expect(core.liveState.drainChanges().isEmpty)
    }

    @Test(
        arguments: [
            ("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2]), ("sights.update", ["id": "mill"]),
            ("sights.remove", ["id": "mill"]), ("sights.import", ["sights": []]),
            ("devices.update", ["device": "gps0"]), ("trips.remove", ["id": ended]),
            ("trips.import", ["device": "gps0", "points": []]),
        ] as [(String, JSONObject)])
    func aReadOnlyCallerCannotChangeAnything(_ method: String, _ parameters: JSONObject) async throws {
        #expect(try await core.error(method, parameters, isGuest: true)?.code == .notAllowed)
        #expect(try await core.error(method, parameters) == nil)
    }

    @Test func rpcDiscoverListsEveryMethod() async throws {
        let document = try await core.call("rpc.discover")
        let names = document["methods"].elements.compactMap { $0["name"].text }
        #expect(Set(names) == Set(core.table.methods.map(\.name)))
        #expect(names.count > 100)
    }
}
