import FeatureSupport
import GRDB
import RPC
import Store
import Tracking

@testable import Devices
@testable import Service

extension MethodCase {
    private static let long = JSONValue.string(String(repeating: "é", count: 600))
    private static let everybody = JSONValue.array((0...Passengers.maximumCount).map { .string("p\($0)") })

    /// Makes a group with the device.
    private static let vans: Preparation = { core in
        _ = try await core.call("groups.create", ["title": "Vans", "devices": ["gps0"]])
        return [:]
    }

    /// The cases of the device methods.
    static let devices: [MethodCase] = [
        .good("devices.list", as: .guest),
        .good("devices.list", as: .guest, ["limit": 1]),
        .bad(.invalidValue, "after", "devices.list", as: .guest, ["after": "x"]),
        .good("devices.update", as: .admin, ["device": "gps0", "title": "Van", "people": ["bob", "cai"]]),
        .bad(.notAllowed, nil, "devices.update", as: .person("ada"), ["device": "gps0", "title": "Mine"]),
        .bad(.notFound, nil, "devices.update", as: .admin, ["device": "gps9", "title": "Van"]),
        .good("devices.secret", as: .admin, ["device": "anna"]),
        .good("devices.secret", as: .admin, ["device": "anna", "code": true, "server": "https://van.example"]),
        .bad(.invalidValue, "server", "devices.secret", as: .admin, ["device": "anna", "server": "van.example"]),
        .bad(.notFound, nil, "devices.secret", as: .admin, ["device": "gps0", "remove": true]),
        .bad(.notAllowed, nil, "devices.secret", as: .person("ada"), ["device": "anna"]),
        .bad(.conflict, nil, "devices.update", as: .admin, ["device": "gps0", "primary": false]),
        .bad(.conflict, nil, "devices.update", as: .admin, ["device": "gps0", "regions": true]),
        .good("devices.update", as: .admin, ["device": "gps0", "speed_limit": 27.8]),
        .bad(.invalidValue, "speed_limit", "devices.update", as: .admin, ["device": "gps0", "speed_limit": -1]),
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
        .good("groups.list", as: .guest),
        .good("groups.create", as: .admin, ["title": "Vans", "devices": ["gps0"], "people": ["bob"]]),
        .bad(.conflict, nil, "groups.create", as: .admin, ["title": "Vans", "id": "vans"], after: vans),
        .bad(.invalidValue, "people", "groups.create", as: .admin, ["title": "Vans", "people": ["nobody"]]),
        .bad(.invalidValue, "title", "groups.create", as: .admin, ["title": " "]),
        .good("groups.update", as: .admin, ["id": "vans", "title": "All", "people": ["cai"]], after: vans),
        .bad(.notFound, nil, "groups.update", as: .admin, ["id": "vans"]),
        .bad(.invalidValue, "people", "groups.update", as: .admin, ["id": "vans", "people": ["nobody"]], after: vans),
        .bad(.notAllowed, nil, "groups.update", as: .person("ada"), ["id": "vans", "people": ["ada"]], after: vans),
        .good("groups.remove", as: .admin, ["id": "vans"], after: vans),
        .bad(.notFound, nil, "groups.remove", as: .admin, ["id": "vans"]),
        .bad(.conflict, nil, "groups.remove", as: .admin, ["id": "vans"]) { core in
            _ = try await vans(core)
            try await core.call("sights.update", ["id": "mill", "groups": ["vans"]])
            return [:]
        },
        .good("follow.create", as: .admin, ["device": "gps0"]),
        .good("follow.create", as: .person("ada"), ["device": "gps0"]),
        .bad(.notAllowed, nil, "follow.create", as: .person("bob"), ["device": "gps0"]),
        .bad(.notFound, nil, "follow.create", as: .admin, ["device": "gps9"]),
        .bad(
            .invalidValue, "until", "follow.create", as: .admin, ["device": "gps0", "until": "2026-06-01T00:00:00Z"]),
        .good("follow.list", as: .person("ada")),
        .good("follow.end", as: .admin) { core in
            ["number": try await core.call("follow.create", ["device": "gps0"])["number"] ?? .null]
        },
        .bad(.notFound, nil, "follow.end", as: .person("ada"), ["number": 1]) { core in
            _ = try await core.call("follow.create", ["device": "gps0"])
            return [:]
        },
        .good("follow.open", as: .guest) { core in
            ["link": try await core.call("follow.create", ["device": "gps0"])["link"] ?? .null]
        },
        .bad(.notFound, nil, "follow.open", as: .guest, ["link": "none"]),
        .good("anchors.get", as: .guest, ["device": "gps0"]),
        .bad(.notFound, nil, "anchors.get", as: .guest, ["device": "gps9"]),
        .good("anchors.auto", as: .admin, ["device": "gps0"]),
        .good("anchors.auto", as: .person("ada"), ["device": "gps0", "radius": 25]),
        .good("anchors.auto", as: .person("ada"), ["device": "gps0", "off": true]),
        .bad(.notAllowed, nil, "anchors.auto", as: .person("bob"), ["device": "gps0"]),
        .bad(.notFound, nil, "anchors.auto", as: .admin, ["device": "gps9"]),
        .bad(.invalidValue, "radius", "anchors.auto", as: .admin, ["device": "gps0", "radius": 0]),
        .good("anchors.acknowledge", as: .person("ada"), ["device": "gps0"]),
        .bad(.notAllowed, nil, "anchors.acknowledge", as: .person("bob"), ["device": "gps0"]),
        .bad(.notFound, nil, "anchors.acknowledge", as: .admin, ["device": "gps9"]),
        .good("anchors.raise", as: .admin, ["device": "gps0"]),
        .bad(.notAllowed, nil, "anchors.raise", as: .person("bob"), ["device": "gps0"]),
        .bad(.notFound, nil, "anchors.raise", as: .admin, ["device": "gps9"]),
        .good("position.current", as: .guest),
        .bad(.notFound, nil, "position.current", as: .guest, ["device": "gps9"]),
        .bad(.unavailable, nil, "position.current", as: .guest, ["device": "spare"]) { core in
            try await core.store.write { _ = try Devices.add("spare", to: $0) }
            return [:]
        },
    ]
}
