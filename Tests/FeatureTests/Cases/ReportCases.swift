import FeatureSupport
import GRDB
import RPC

@testable import Reports
@testable import Store

/// The cases of sums of trips and of the logbook.
extension MethodCase {
    private static let trip: JSONValue = "gps0@2026-05-01T10:00:00.000Z"

    private static let oneTrip: Preparation = { core in
        try core.record("gps0", at: 0, points: 30)
        return [:]
    }

    static let reports: [MethodCase] = [
        .good("reports.summary", as: .guest, [:], after: oneTrip),
        .good(
            "reports.summary", as: .guest,
            ["period": "day", "from": "2026-05-01", "to": "2026-05-01", "device": "gps0", "limit": 1], after: oneTrip),
        .bad(.notFound, "reports.summary", as: .guest, ["device": "gps9"]),
        .bad(.invalidValue, "from", "reports.summary", as: .guest, ["from": "2026-02-30"]),
        .bad(.invalidValue, "to", "reports.summary", as: .guest, ["from": "2026-05-02", "to": "2026-05-01"]),
        .bad(.invalidValue, "after", "reports.summary", as: .guest, ["after": "5"]),
        .good("history.day", as: .guest, ["day": "2026-05-01", "device": "gps0"], after: oneTrip),
        .bad(.notFound, "history.day", as: .guest, ["day": "2026-05-01", "device": "gps9"]),
        .bad(.invalidValue, "day", "history.day", as: .guest, ["day": "2026-13-01"]),
        .good("history.near", as: .guest, ["lat": 52.37, "lon": 4.89], after: oneTrip),
        .bad(.notFound, "history.near", as: .guest, ["lat": 52.37, "lon": 4.89, "device": "gps9"]),
        .bad(.invalidValue, "radius", "history.near", as: .guest, ["lat": 52.37, "lon": 4.89, "radius": 0]),
        .good(
            "history.heat", as: .guest, ["bbox": [4, 52, 5, 53], "zoom": 12, "device": "gps0", "year": 2026],
            after: oneTrip),
        .bad(.notFound, "history.heat", as: .guest, ["bbox": [4, 52, 5, 53], "device": "gps9"]),
        .bad(.invalidValue, "bbox", "history.heat", as: .guest, ["bbox": [4, 53, 5, 52]]),
        .good("history.year", as: .guest, ["year": 2026, "device": "gps0"], after: oneTrip),
        .bad(.notFound, "history.year", as: .guest, ["year": 2026, "device": "gps9"]),
        .bad(.invalidValue, "year", "history.year", as: .guest, ["year": 0]),
        .good("logbook.list", as: .guest, ["device": "gps0"], after: oneTrip),
        .bad(.notFound, "logbook.list", as: .guest, ["device": "gps9"]),
        .bad(.invalidValue, "after", "logbook.list", as: .guest, ["after": "5"]),
        .good(
            "logbook.set", as: .admin, ["id": trip, "purpose": "business", "reason": "Customer", "driver": "Ada"],
            after: oneTrip),
        .good("logbook.set", as: .admin, ["id": trip, "username": "bob"], after: oneTrip),
        .bad(.invalidValue, "username", "logbook.set", as: .admin, ["id": trip, "username": "nobody"], after: oneTrip),
        .bad(.notFound, "logbook.set", as: .admin, ["id": "none", "purpose": "business"]),
        .bad(.conflict, "logbook.set", as: .admin, ["id": trip, "purpose": "business"]) { core in
            try core.record("gps0", at: 0, isOpen: true)
            return [:]
        },
        .good("logbook.places", as: .admin),
        .good("logbook.setPlace", as: .admin, ["sight": "mill", "role": "home"]),
        .bad(.notFound, "logbook.setPlace", as: .admin, ["sight": "none", "role": "home"]),
        .bad(.conflict, "logbook.setPlace", as: .admin, ["sight": "mill", "role": "work"]) { core in
            try await core.store.write { db in
                for number in 1...LogbookRules.mostPlaces {
                    try db.execute(
                        sql: """
                            INSERT INTO sight (id, title, lat_e7, lon_e7, radius_m, revision) VALUES (?, 'Lock', 0, 0, 1, 1);
                            INSERT INTO logbook_place SELECT number, 'business' FROM sight WHERE id = ?
                            """, arguments: ["lock-\(number)", "lock-\(number)"])
                }
            }
            return [:]
        },
        .good("logbook.apply", as: .admin, ["device": "gps0"], after: oneTrip),
        .bad(.notFound, "logbook.apply", as: .admin, ["device": "gps9"]),
        .bad(.invalidValue, "after", "logbook.apply", as: .admin, ["after": "5"]),
        .bad(.invalidValue, "driver", "logbook.set", as: .admin, ["id": trip, "driver": "A\u{7}"], after: oneTrip),
    ]
}
