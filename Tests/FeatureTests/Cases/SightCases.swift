import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import Tracking

@testable import Service

extension MethodCase {
    private static let draft: JSONObject = ["title": "Gate", "description": "A gate.", "lat": 1, "lon": 2]
    private static let long = JSONValue.string(String(repeating: "é", count: 600))
    private static let imports: JSONObject = ["sights": [["title": "A", "lat": 1, "lon": 2]]]

    private static let square: JSONValue = [
        "type": "Polygon", "coordinates": [[[4, 52], [5, 52], [5, 53], [4, 53], [4, 52]]],
    ]
    private static let line: JSONValue = ["type": "LineString", "coordinates": [[4, 52], [5, 53]]]
    private static let bow: JSONValue = [
        "type": "Polygon", "coordinates": [[[4, 52], [5, 53], [5, 52], [4, 53], [4, 52]]],
    ]

    private static func shaped(_ shape: JSONValue, _ more: JSONObject = [:]) -> JSONObject {
        var draft: JSONObject = ["title": "Gate", "description": "A gate.", "shape": shape]
        for name in more.names { draft[name] = more[name] }
        return draft
    }

    private static func draft(_ more: JSONObject) -> JSONObject {
        var draft = draft
        for name in more.names { draft[name] = more[name] }
        return draft
    }

    /// The cases of sights and their visits.
    static let sights: [MethodCase] = adding + changing + reading

    private static let adding: [MethodCase] = [
        .good("sights.add", as: .person("bob"), draft),
        .good("sights.add", as: .admin, draft),
        .good("sights.add", as: .person("ada"), ["title": "Gate", "description": "Here."]),
        .bad(.notAllowed, nil, "sights.add", as: .guest, draft),
        .bad(.notFound, nil, "sights.add", as: .person("bob"), ["title": "A", "description": "B", "device": "gps9"]),
        .bad(.conflict, nil, "sights.add", as: .person("bob"), draft(["id": "mill"])),
        .bad(.invalidValue, "title", "sights.add", as: .person("bob"), draft(["title": " \n"])),
        .bad(.invalidValue, "title", "sights.add", as: .person("bob"), draft(["title": "A\u{7}B"])),
        .bad(.invalidValue, "title", "sights.add", as: .person("bob"), draft(["title": long])),
        .bad(.invalidValue, "title", "sights.add", as: .person("bob"), draft(["title": 1])),
        .bad(.invalidValue, "description", "sights.add", as: .person("bob"), draft(["description": ""])),
        .bad(.invalidValue, "description", "sights.add", as: .person("bob"), draft(["description": "  "])),
        .bad(.invalidValue, "description", "sights.add", as: .person("bob"), ["title": "A", "lat": 1, "lon": 2]),
        .good("sights.add", as: .admin, ["title": "A", "lat": 1, "lon": 2]),
        .bad(.invalidValue, "category", "sights.add", as: .person("bob"), draft(["category": "a\nb"])),
        .bad(.invalidValue, "device", "sights.add", as: .person("bob"), draft(["device": "gps0"])),
        .bad(.unavailable, nil, "sights.add", as: .person("bob"), ["title": "A", "description": "B"]) { core in
            try await core.store.write { db in
                try Devices.add("spare", to: db)
                try db.execute(sql: "INSERT INTO carried SELECT 'spare', number FROM person WHERE id = 'bob'")
            }
            return [:]
        },
        .good("sights.add", as: .person("bob"), shaped(square)),
        .good("sights.add", as: .person("bob"), shaped(line, ["radius": 50])),
        .bad(.invalidValue, "shape", "sights.add", as: .person("bob"), shaped(line)),
        .bad(.invalidValue, "shape", "sights.add", as: .person("bob"), shaped(bow)),
        .bad(.invalidValue, "shape", "sights.add", as: .person("bob"), shaped(square, ["lat": 1, "lon": 2])),
        .bad(.invalidValue, "shape.type", "sights.add", as: .person("bob"), shaped(["type": "Circle"])),
        .good("sights.add", as: .person("bob"), draft(["speed_limit": 13.9, "devices": ["van", "bike"]])),
        .bad(.invalidValue, "speed_limit", "sights.add", as: .person("bob"), draft(["speed_limit": -1])),
        .bad(.invalidValue, "devices", "sights.add", as: .person("bob"), draft(["devices": "van"])),
        .good("sights.import", as: .admin, imports),
        .good("sights.import", as: .admin, ["sights": [["title": "A", "shape": square]]]),
        .bad(.invalidValue, "sights.shape", "sights.import", as: .admin, ["sights": [["title": "A", "shape": bow]]]),
        .bad(.notAllowed, nil, "sights.import", as: .person("ada"), imports),
        .bad(.invalidValue, "sights.lon", "sights.import", as: .admin, ["sights": [["title": "A", "lat": 1]]]),
    ]

    private static let changing: [MethodCase] = [
        .good("sights.update", as: .person("ada"), ["id": "mill", "title": "Our mill"]),
        .good("sights.update", as: .admin, ["id": "mill", "radius": 60]),
        .good("sights.update", as: .admin, ["id": "mill", "shape": square]),
        .good("sights.update", as: .admin, ["id": "mill", "speed_limit": 8, "devices": []]),
        .good("sights.update", as: .admin, ["id": "mill", "active": "Mo-Fr 08:00-17:00", "zone": "Europe/Amsterdam"]),
        .good("sights.update", as: .admin, ["id": "mill", "active": ""]),
        .good("sights.update", as: .admin, ["id": "mill", "alarm": true]),
        .bad(.invalidValue, "alarm", "sights.update", as: .admin, ["id": "mill", "alarm": "loud"]),
        .bad(.invalidValue, "active", "sights.update", as: .admin, ["id": "mill", "active": "always", "zone": "UTC"]),
        .bad(.invalidValue, "zone", "sights.update", as: .admin, ["id": "mill", "zone": "Nowhere/Atall"]),
        .bad(.invalidValue, "shape", "sights.update", as: .admin, ["id": "mill", "shape": square, "lat": 1]),
        .bad(.invalidValue, "shape", "sights.update", as: .admin, ["id": "mill", "shape": bow]),
        .bad(.notAllowed, nil, "sights.update", as: .guest, ["id": "mill", "title": "A"]),
        .bad(.notAllowed, nil, "sights.update", as: .person("bob"), ["id": "mill", "title": "A"]),
        .bad(.notFound, nil, "sights.update", as: .person("ada"), ["id": "none", "title": "A"]),
        .bad(.invalidValue, "title", "sights.update", as: .person("ada"), ["id": "mill", "title": " "]),
        .bad(.invalidValue, "description", "sights.update", as: .person("ada"), ["id": "mill", "description": ""]),
        .bad(.invalidValue, "radius", "sights.update", as: .person("ada"), ["id": "mill", "radius": 0]),
        .good("sights.remove", as: .person("ada"), ["id": "mill"]),
        .good("sights.remove", as: .admin, ["id": "mill"]),
        .bad(.notAllowed, nil, "sights.remove", as: .guest, ["id": "mill"]),
        .bad(.notAllowed, nil, "sights.remove", as: .person("bob"), ["id": "mill"]),
        .bad(.notFound, nil, "sights.remove", as: .person("ada"), ["id": "none"]),
    ]

    private static let reading: [MethodCase] = [
        .good("sights.get", as: .guest, ["id": "mill"]),
        .bad(.notFound, nil, "sights.get", as: .guest, ["id": "none"]),
        .good("sights.list", as: .guest, ["text": "mil"]),
        .good("sights.map", as: .guest, ["bbox": [4, 52, 5, 53]]),
        .good("sights.map", as: .guest, ["bbox": [170, -90, -170, 90], "limit": 1]),
        .bad(.invalidValue, "bbox", "sights.map", as: .guest),
        .bad(.invalidValue, "bbox", "sights.map", as: .guest, ["bbox": [4, 53, 5, 52]]),
        .bad(.invalidValue, "limit", "sights.map", as: .guest, ["bbox": [4, 52, 5, 53], "limit": 501]),
        .bad(.invalidValue, "after", "sights.list", as: .guest, ["after": "x"]),
        .bad(.invalidValue, "after", "sights.list", as: .guest, ["after": cursor("sights.visits", [1])]),
        .bad(.invalidValue, "after", "sights.list", as: .guest, ["after": cursor("sights.list", [])]),
        .bad(.invalidValue, "after", "sights.list", as: .guest, ["after": cursor("sights.list", [1]), "text": "mill"]),
        .bad(.invalidValue, "after", "sights.list", as: .guest, ["after": cursor("sights.list", [-2.5, 1])]),
        .bad(
            .invalidValue, "after", "sights.list", as: .guest,
            ["after": cursor("sights.list", ["a", 1]), "text": "mill"]),
        .good("sights.list", as: .guest, ["after": cursor("sights.list", [-1e300, .integer(.max)]), "text": "mill"]),
        .good("sights.list", as: .guest, ["after": cursor("sights.list", [.integer(.min)])]),
        .bad(.invalidValue, "bbox", "sights.list", as: .guest, ["bbox": [1, 3, 2, 2]]),
        .bad(.invalidValue, "text", "sights.list", as: .guest, ["text": long]),
        .good("sights.nearest", as: .person("bob")),
        .bad(.notFound, nil, "sights.nearest", as: .guest, ["device": "gps9"]),
        .bad(.invalidValue, "lon", "sights.nearest", as: .guest, ["lat": 1]),
        .bad(.unavailable, nil, "sights.nearest", as: .guest, ["device": "spare"]) { core in
            try await core.store.write { _ = try Devices.add("spare", to: $0) }
            return [:]
        },
        .good(
            "sights.ranking", as: .guest,
            ["period": "month", "at": "2026-05-01T00:00:00Z", "by": "visits", "text": "m"]),
        .bad(.invalidValue, "period", "sights.ranking", as: .guest, ["period": "week"]),
        .bad(.invalidValue, "at", "sights.ranking", as: .guest, ["period": "year", "at": "9999-01-01T00:00:00Z"]),
        .bad(.invalidValue, "at", "sights.ranking", as: .guest, ["at": "now"]),
        .bad(.invalidValue, "by", "sights.ranking", as: .guest, ["by": "name"]),
        .bad(.invalidValue, "after", "sights.ranking", as: .guest, ["after": "1/2"]),
        .bad(.invalidValue, "limit", "sights.ranking", as: .guest, ["limit": 201]),
        .good("sights.ratings", as: .guest, ["id": "mill"]),
        .bad(.notFound, nil, "sights.ratings", as: .guest, ["id": "none"]),
        .good("sights.visits", as: .guest, ["id": "mill"]),
        .bad(.notFound, nil, "sights.visits", as: .guest, ["id": "none"]),
        .bad(.invalidValue, "after", "sights.visits", as: .guest, ["id": "mill", "after": "5"]),
        .bad(
            .invalidValue, "after", "sights.visits", as: .guest, ["id": "mill", "after": cursor("sights.visits", [5])]),
        .good(
            "sights.visits", as: .guest,
            ["id": "mill", "after": cursor("sights.visits", [.integer(.min), .integer(.max)])]),
    ]

    private static func cursor(_ list: String, _ values: [JSONValue]) -> JSONValue {
        .string(Cursor(list, values).text)
    }
}
