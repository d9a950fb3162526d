import FeatureSupport
import RPC
import Testing

@testable import Service

extension MethodCase {
    /// The cases of places by name.
    static let places: [MethodCase] = [
        .good("places.search", as: .guest, ["text": "utr", "lat": 52, "lon": 5], after: gazetteer),
        .good("places.search", as: .guest, ["text": "mil"]),
        .bad(.invalidValue, "text", "places.search", as: .guest, ["text": ""]),
        .bad(.invalidValue, "lon", "places.search", as: .guest, ["text": "utr", "lat": 52]),
        .bad(.invalidValue, "after", "places.search", as: .guest, ["text": "utr", "after": "x"]),
        .bad(
            .invalidValue, "after", "places.search", as: .guest,
            ["text": "utr", "after": .string(Cursor("places.search", [1]).text)]),
        .bad(.invalidValue, "limit", "places.search", as: .guest, ["text": "utr", "limit": 201]),
        .good("places.at", as: .guest, ["lat": 52, "lon": 5], after: gazetteer),
        .good("places.at", as: .guest, ["lat": -90, "lon": 180], after: gazetteer),
        .bad(.invalidValue, "lat", "places.at", as: .guest),
        .bad(.invalidValue, "lon", "places.at", as: .guest, ["lat": 52]),
        .good("places.import", as: .admin, ["text": .string(utrecht)]),
        .bad(.notAllowed, "places.import", as: .person("ada"), ["text": .string(utrecht)]),
        .bad(.invalidValue, "text", "places.import", as: .admin, ["text": "Utrecht\n"]),
        .bad(.conflict, "places.import", as: .admin, ["text": .string(utrecht), "part": 2]),
    ]

    private static let gazetteer: Preparation = { core in
        try await core.call("places.import", ["text": .string(utrecht)])
        return [:]
    }
}
