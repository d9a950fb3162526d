import GRDB
import RPC
import Store
import Tracking

@testable import Places
@testable import Service

extension MethodCase {
    private static let long = JSONValue.string(String(repeating: "é", count: 600))
    private static let everybody = JSONValue.array((0...Passengers.maximumCount).map { .string("p\($0)") })

    /// The cases of the device methods.
    static let devices: [MethodCase] = [
        .good("devices.list", as: .guest),
        .good("devices.update", as: .admin, ["device": "gps0", "title": "Van", "people": ["bob", "cai"]]),
        .bad(.notAllowed, nil, "devices.update", as: .person("ada"), ["device": "gps0", "title": "Mine"]),
        .bad(.notFound, nil, "devices.update", as: .admin, ["device": "gps9", "title": "Van"]),
        .good("devices.secret", as: .admin, ["device": "anna"]),
        .good("devices.secret", as: .admin, ["device": "anna", "code": true, "server": "https://van.example"]),
        .bad(.invalidValue, "server", "devices.secret", as: .admin, ["device": "anna", "server": "van.example"]),
        .bad(.notFound, nil, "devices.secret", as: .admin, ["device": "gps0", "remove": true]),
        .bad(.notAllowed, nil, "devices.secret", as: .person("ada"), ["device": "anna"]),
        .bad(.conflict, nil, "devices.update", as: .admin, ["device": "gps0", "primary": false]),
        .bad(.invalidValue, "title", "devices.update", as: .admin, ["device": "gps0", "title": long]),
        .bad(.invalidValue, "people", "devices.update", as: .admin, ["device": "gps0", "people": ["ada", "nobody"]]),
        .bad(.invalidValue, "people", "devices.update", as: .admin, ["device": "gps0", "people": everybody]),
        .good("devices.join", as: .person("bob"), ["device": "gps0"]),
        .bad(.notAllowed, nil, "devices.join", as: .admin, ["device": "gps0"]),
        .bad(.notFound, nil, "devices.join", as: .person("bob"), ["device": "gps9"]),
        .bad(.conflict, nil, "devices.join", as: .person("bob"), ["device": "gps0"]) { core in
            try await core.store.write { db in
                for number in 1...Passengers.maximumCount {
                    try db.execute(
                        sql: """
                            INSERT INTO person (number, id, first_name, last_name, email, joined, proven)
                            VALUES (?, ?, 'P', '', ?, 0, 0)
                            """, arguments: [1000 + number, "p\(number)", "p\(number)@example.org"])
                    try db.execute(sql: "INSERT INTO carried VALUES ('gps0', ?)", arguments: [1000 + number])
                }
            }
            return [:]
        },
        .good("devices.leave", as: .person("ada"), ["device": "gps0"]),
        .good("devices.leave", as: .person("bob"), ["device": "gps0"]),
        .bad(.notAllowed, nil, "devices.leave", as: .guest, ["device": "gps0"]),
        .bad(.notFound, nil, "devices.leave", as: .person("ada"), ["device": "gps9"]),
        .good("position.current", as: .guest),
        .bad(.notFound, nil, "position.current", as: .guest, ["device": "gps9"]),
        .bad(.unavailable, nil, "position.current", as: .guest, ["device": "spare"]) { core in
            try await core.store.write { _ = try Devices.add("spare", to: $0) }
            return [:]
        },
    ]
}
