import Positioning
import RPC
import Store
import Testing
import Tracking

@testable import Places
@testable import Service

/// A call that is refused, and why.
struct Refusal: Sendable, CustomTestStringConvertible {
    var method: String
    var parameters: JSONObject
    var code: RPCError.Code
    var field: String?

    init(_ method: String, _ parameters: JSONObject, _ code: RPCError.Code, _ field: String? = nil) {
        self.method = method
        self.parameters = parameters
        self.code = code
        self.field = field
    }

    var testDescription: String { "\(method) \(code.rawValue) \(field ?? "") \(parameters)" }
}

@Suite struct RefusalTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        core.present.place("gps0", at: fix(0))
        _ = try core.store.importSights([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)])
        try core.record("gps0", at: 0)
        try core.record("gps0", at: 100, isOpen: true)
    }

    private static let afterAnotherTrip = Cursor("trips.export", [1, 0, 1_000_000, "none"]).text
    private static let open: JSONValue = "gps0@2026-05-01T10:01:40.000Z"
    private static let ended: JSONValue = "gps0@2026-05-01T10:00:00.000Z"
    private static let long = JSONValue.string(String(repeating: "é", count: 600))

    @Test(arguments: [
        Refusal("sights.add", ["description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        Refusal("sights.add", ["title": "A", "lat": 1, "lon": 2], .invalidValue, "description"),
        Refusal("sights.add", ["title": "", "description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        Refusal("sights.add", ["title": " \n", "description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        Refusal("sights.add", ["title": long, "description": "A.", "lat": 1, "lon": 2], .invalidValue, "title"),
        Refusal("sights.add", ["title": "A", "description": "A.", "lat": 1], .invalidValue, "lon"),
        Refusal("sights.add", ["title": "A", "description": "A.", "lon": 1], .invalidValue, "lat"),
        Refusal("sights.add", ["title": "A", "description": "A.", "lat": 90.1, "lon": 2], .invalidValue, "lat"),
        Refusal("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": -181], .invalidValue, "lon"),
        Refusal(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "device": "gps0"], .invalidValue,
            "device"),
        Refusal(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "radius": 0], .invalidValue, "radius"),
        Refusal(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "radius": 100_001], .invalidValue,
            "radius"),
        Refusal(
            "sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "category": long], .invalidValue,
            "category"),
        Refusal("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "id": ""], .invalidValue, "id"),
        Refusal("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2, "id": "mill"], .conflict),
        Refusal("sights.add", ["title": "A", "description": "A.", "device": "gps9"], .notFound),
        Refusal("sights.get", ["id": "none"], .notFound),
        Refusal("sights.get", [:], .invalidValue, "id"),
        Refusal("sights.update", ["id": "none", "title": "A"], .notFound),
        Refusal("sights.update", ["id": "mill", "title": ""], .invalidValue, "title"),
        Refusal("sights.update", ["id": "mill", "title": "  "], .invalidValue, "title"),
        Refusal("sights.update", ["id": "mill", "lat": -91], .invalidValue, "lat"),
        Refusal("sights.update", ["id": "mill", "radius": 0], .invalidValue, "radius"),
        Refusal("sights.remove", ["id": "none"], .notFound),
        Refusal("sights.list", ["bbox": [1, 2, 3]], .invalidValue, "bbox"),
        Refusal("sights.list", ["bbox": [1, 3, 2, 2]], .invalidValue, "bbox"),
        Refusal("sights.list", ["bbox": [1, -91, 2, 2]], .invalidValue, "bbox"),
        Refusal("sights.list", ["limit": 0], .invalidValue, "limit"),
        Refusal("sights.list", ["limit": 1001], .invalidValue, "limit"),
        Refusal("sights.list", ["after": "x"], .invalidValue, "after"),
        Refusal("sights.nearest", ["lat": 1], .invalidValue, "lon"),
        Refusal("sights.nearest", ["lat": 1, "lon": 2, "device": "gps0"], .invalidValue, "device"),
        Refusal("sights.nearest", ["k": 0], .invalidValue, "k"),
        Refusal("sights.nearest", ["k": 1001], .invalidValue, "k"),
        Refusal("sights.nearest", ["device": "gps9"], .notFound),
        Refusal("sights.import", [:], .invalidValue, "sights"),
        Refusal("sights.import", ["sights": [["title": "A", "lat": 1]]], .invalidValue, "sights.lon"),
        Refusal("sights.import", ["sights": [["title": "A", "lat": 1, "lon": 2, "x": 1]]], .invalidValue, "sights.x"),
        Refusal(
            "sights.import", ["sights": [["title": "A", "lat": 1, "lon": 2, "radius": 0]]], .invalidValue,
            "sights.radius"),
        Refusal(
            "sights.import",
            [
                "sights": [
                    ["id": "a", "title": "A", "lat": 1, "lon": 2], ["id": "a", "title": "A", "lat": 1, "lon": 2],
                ]
            ], .invalidValue, "sights.id"),
        Refusal("devices.update", ["title": "A"], .invalidValue, "device"),
        Refusal("devices.update", ["device": "gps9", "title": "A"], .notFound),
        Refusal("devices.update", ["device": "gps0", "title": long], .invalidValue, "title"),
        Refusal("devices.update", ["device": "gps0", "primary": 1], .invalidValue, "primary"),
        Refusal("devices.update", ["device": "gps0", "primary": false], .conflict),
        Refusal("position.current", ["device": "gps9"], .notFound),
        Refusal("trips.list", ["device": "gps9"], .notFound),
        Refusal("trips.list", ["from": "yesterday"], .invalidValue, "from"),
        Refusal("trips.list", ["to": "2026-02-30T00:00:00Z"], .invalidValue, "to"),
        Refusal("trips.list", ["after": "5"], .invalidValue, "after"),
        Refusal("trips.list", ["limit": 1001], .invalidValue, "limit"),
        Refusal("trips.get", ["id": "none"], .notFound),
        Refusal("trips.current", ["device": "gps9"], .notFound),
        Refusal("trips.trace", ["id": "none"], .notFound),
        Refusal("trips.trace", ["id": ended, "after": "5"], .invalidValue, "after"),
        Refusal("trips.trace", ["id": ended, "limit": 10_001], .invalidValue, "limit"),
        Refusal("trips.export", ["ids": [ended]], .invalidValue, "format"),
        Refusal("trips.export", ["ids": [ended], "format": "pdf"], .invalidValue, "format"),
        Refusal("trips.export", ["ids": [ended, "none"], "format": "gpx"], .notFound),
        Refusal("trips.export", ["ids": [ended, open], "format": "gpx"], .conflict),
        Refusal("trips.export", ["ids": [], "format": "gpx"], .invalidValue, "ids"),
        Refusal("trips.export", ["ids": [ended], "from": "2026-05-01", "format": "gpx"], .invalidValue, "from"),
        Refusal(
            "trips.export", ["ids": [ended], "from": "2026-05-01T00:00:00Z", "format": "gpx"], .invalidValue, "ids"),
        Refusal("trips.export", ["from": "2027-01-01T00:00:00Z", "format": "kml"], .notFound),
        Refusal("trips.export", ["ids": [ended], "format": "csv", "after": "x"], .invalidValue, "after"),
        Refusal("trips.export", ["ids": [ended], "format": "csv", "after": .string(afterAnotherTrip)], .conflict),
        Refusal("trips.trace", ["id": ended, "tolerance": -1], .invalidValue, "tolerance"),
        Refusal("trips.import", ["device": "gps0"], .invalidValue, "points"),
        Refusal("trips.import", ["device": "gps0", "points": [], "part": 1], .conflict),
        Refusal("trips.remove", ["id": "none"], .notFound),
        Refusal("trips.remove", ["id": open], .conflict),
    ])
    func whatCannotBeIsRefusedByItsErrorAndField(_ refusal: Refusal) async throws {
        let error = try await core.error(refusal.method, refusal.parameters)
        #expect(error?.code == refusal.code)
        #expect(error?.data?["field"].text == refusal.field)
        #expect(core.present.takeChanges().isEmpty)
    }

    @Test(
        arguments: [
            ("sights.add", ["title": "A", "description": "A.", "lat": 1, "lon": 2]), ("sights.update", ["id": "mill"]),
            ("sights.remove", ["id": "mill"]), ("sights.import", ["sights": []]),
            ("devices.update", ["device": "gps0"]), ("trips.remove", ["id": ended]),
            ("trips.import", ["device": "gps0", "points": []]),
        ] as [(String, JSONObject)])
    func whoMayOnlyReadChangesNothing(_ method: String, _ parameters: JSONObject) async throws {
        #expect(try await core.error(method, parameters, isGuest: true)?.code == .notAllowed)
        #expect(try await core.error(method, parameters) == nil)
    }

    @Test func everyMethodIsInTheDocument() async throws {
        let document = try await core.call("rpc.discover")
        let names = document["methods"].elements.compactMap { $0["name"].text }
        #expect(Set(names) == Set(core.table.methods.map(\.name)))
        #expect(names.count > 100)
    }
}
