import FeatureSupport
import RPC

/// The cases of recorded trips and of explanations of events.
extension MethodCase {
    private static let first: JSONValue = "gps0@2026-05-01T10:00:00.000Z"
    private static let second: JSONValue = "gps0@2026-05-01T10:10:00.000Z"
    private static let noon: JSONValue = "2026-05-01T12:00:00Z"
    private static let within: JSONValue = "2026-05-01T10:00:10.500Z"

    /// Records two consecutive trips of gps0.
    private static let twoTrips: Preparation = { core in
        try core.record("gps0", at: 0, points: 30)
        try core.record("gps0", at: 600, points: 30)
        return [:]
    }

    /// Records an open trip.
    private static let openTrip: Preparation = { core in
        try core.record("gps0", at: 0, isOpen: true)
        return [:]
    }

    /// Records a trip and an open one after it.
    private static let thenOpen: Preparation = { core in
        try core.record("gps0", at: 0, points: 30)
        try core.record("gps0", at: 600, isOpen: true)
        return [:]
    }

    /// Records a trip with a stop.
    private static let withStop: Preparation = { core in
        try core.record("gps0", at: 0, points: 30)
        try core.stop("gps0", from: 5, to: 25)
        return [:]
    }

    static let trips: [MethodCase] = readingTrips + exportingTrips + editingTrips + explainingEvents

    private static let readingTrips: [MethodCase] = [
        .good("trips.list", as: .guest, ["device": "gps0"], after: twoTrips),
        .bad(.notFound, "trips.list", as: .guest, ["device": "gps9"]),
        .bad(.invalidValue, "from", "trips.list", as: .guest, ["from": "noon"]),
        .bad(.invalidValue, "after", "trips.list", as: .guest, ["after": "5"]),
        .good("trips.get", as: .guest, ["id": first], after: twoTrips),
        .bad(.notFound, "trips.get", as: .guest, ["id": "none"]),
        .good("trips.current", as: .guest),
        .bad(.notFound, "trips.current", as: .guest, ["device": "gps9"]),
        .good("trips.trace", as: .guest, ["id": first, "tolerance": 5], after: twoTrips),
        .bad(.notFound, "trips.trace", as: .guest, ["id": "none"]),
        .bad(.invalidValue, "after", "trips.trace", as: .guest, ["id": first, "after": "5"], after: twoTrips),
    ]

    private static let exportingTrips: [MethodCase] = [
        .good("trips.export", as: .guest, ["ids": [first], "format": "gpx"], after: twoTrips),
        .bad(.notFound, "trips.export", as: .guest, ["ids": ["none"], "format": "gpx"]),
        .bad(.conflict, "trips.export", as: .guest, ["ids": [first], "format": "gpx"], after: openTrip),
        .bad(
            .invalidValue, "ids", "trips.export", as: .guest, ["ids": [first], "from": noon, "format": "gpx"],
            after: twoTrips),
        .good("trips.import", as: .admin, ["device": "van", "points": [["time": noon, "lat": 1, "lon": 2]]]),
        .good(
            "trips.import", as: .admin,
            ["device": "van", "points": [["time": noon, "lat": 1, "lon": 2]], "sparse": true]),
        .good(
            "trips.import", as: .admin,
            [
                "device": "van", "points": [["time": noon, "lat": 1, "lon": 2]],
                "kinds": [["first": 0, "kind": "walking"]],
            ]),
        .bad(
            .invalidValue, "packed", "trips.import", as: .admin, ["device": "van", "points": [], "packed": "AAAA"]),
        .bad(.conflict, "trips.import", as: .admin, ["device": "van", "points": [], "part": 1]),
        .bad(
            .invalidValue, "points", "trips.import", as: .admin,
            ["device": "van", "points": [["time": "noon", "lat": 1, "lon": 2]]]),
        .good("trips.remove", as: .admin, ["id": first], after: twoTrips),
        .bad(.notFound, "trips.remove", as: .admin, ["id": "none"]),
        .bad(.conflict, "trips.remove", as: .admin, ["id": first], after: openTrip),
    ]

    private static let editingTrips: [MethodCase] = [
        .good("trips.merge", as: .admin, ["id": first, "with": second], after: twoTrips),
        .bad(.notFound, "trips.merge", as: .admin, ["id": first, "with": "none"], after: twoTrips),
        .bad(.conflict, "trips.merge", as: .admin, ["id": first, "with": second], after: thenOpen),
        .bad(.invalidValue, "with", "trips.merge", as: .admin, ["id": first, "with": first], after: twoTrips),
        .good("trips.split", as: .admin, ["id": first, "at": within], after: twoTrips),
        .bad(.notFound, "trips.split", as: .admin, ["id": "none", "at": within]),
        .bad(.conflict, "trips.split", as: .admin, ["id": first, "at": within], after: openTrip),
        .bad(.invalidValue, "at", "trips.split", as: .admin, ["id": first, "at": noon], after: twoTrips),
        .good(
            "trips.edit", as: .admin, ["id": first, "remove_point": "2026-05-01T10:00:10.000Z"], after: twoTrips),
        .bad(
            .notFound, "trips.edit", as: .admin, ["id": "none", "remove_point": "2026-05-01T10:00:10.000Z"]),
        .bad(
            .conflict, "trips.edit", as: .admin, ["id": first, "remove_point": "2026-05-01T10:00:01.000Z"],
            after: openTrip),
        .bad(.invalidValue, "remove_from", "trips.edit", as: .admin, ["id": first], after: twoTrips),
        .good("stops.remove", as: .admin, ["id": "gps0@2026-05-01T10:00:05.000Z"], after: withStop),
        .bad(.notFound, "stops.remove", as: .admin, ["id": "none"], after: withStop),
        .bad(.conflict, "stops.remove", as: .admin, ["id": "gps0@2026-05-01T10:00:05.000Z"]) { core in
            try core.stop("gps0", from: 5, to: nil)
            return [:]
        },
        .good("trips.undo", as: .admin, ["id": first]) { core in
            _ = try await twoTrips(core)
            try await core.call("trips.split", ["id": first, "at": within])
            return [:]
        },
        .bad(.notFound, "trips.undo", as: .admin, ["id": "none"]),
        .bad(.conflict, "trips.undo", as: .admin, ["id": first], after: twoTrips),
        .bad(.invalidValue, "id", "trips.undo", as: .admin),
        .good("trips.recompute", as: .admin, [:], after: twoTrips),
        .bad(.notFound, "trips.recompute", as: .admin, ["ids": ["none"]]),
        .bad(.conflict, "trips.recompute", as: .admin, ["ids": [first]], after: openTrip),
        .bad(.invalidValue, "ids", "trips.recompute", as: .admin, ["ids": [first], "from": noon], after: twoTrips),
    ]

    private static let explainingEvents: [MethodCase] = [
        .good("geofences.explain", as: .guest, ["geofence": "sight/mill", "time": within], after: twoTrips),
        .bad(.notFound, "geofences.explain", as: .guest, ["geofence": "none", "time": within], after: twoTrips),
        .bad(.invalidValue, "time", "geofences.explain", as: .guest, ["geofence": "mill", "time": "noon"]),
    ]
}
