import FeatureSupport
import RPC

@testable import Notifications
@testable import Service

extension MethodCase {
    /// The cases of the notification centre.
    static let notifications: [MethodCase] = list + single + acting + rules

    private static let list: [MethodCase] = [
        .good(
            "notifications.list", as: .person("ada"), ["state": "new", "kind": "sight"],
            after: { core in
                _ = try await near(core)
                return [:]
            }),
        .bad(.notAllowed, nil, "notifications.list", as: .guest),
        .bad(.invalidValue, "after", "notifications.list", as: .person("ada"), ["after": "yesterday"]),
        .bad(.invalidValue, "state", "notifications.list", as: .person("ada"), ["state": "old"]),
        .bad(.invalidValue, "kind", "notifications.list", as: .person("ada"), ["kind": "weather"]),
        .bad(.invalidValue, "limit", "notifications.list", as: .person("ada"), ["limit": 201]),
        .good("notifications.badge", as: .person("ada")),
        .bad(.notAllowed, nil, "notifications.badge", as: .admin),
    ]

    private static let single: [MethodCase] = ["get", "open", "remove"].flatMap { verb -> [MethodCase] in
        [
            .good("notifications.\(verb)", as: .person("ada"), after: near),
            .bad(.notFound, nil, "notifications.\(verb)", as: .person("ada"), ["notification": "999"]),
            .bad(.notFound, nil, "notifications.\(verb)", as: .person("ada"), ["notification": "first"]),
            // Another person's notification is not found.
            .bad(.notFound, nil, "notifications.\(verb)", as: .person("bob"), after: near),
            .bad(.notAllowed, nil, "notifications.\(verb)", as: .admin, after: near),
            .bad(.invalidValue, "notification", "notifications.\(verb)", as: .person("ada")),
        ]
    }

    private static let acting: [MethodCase] = [
        .good("notifications.read", as: .person("ada"), after: near),
        .good("notifications.read", as: .person("ada"), ["all": true]),
        .bad(.notFound, nil, "notifications.read", as: .person("bob"), after: near),
        .bad(.invalidValue, "notification", "notifications.read", as: .person("ada"), ["all": false]),
        .bad(.invalidValue, "all", "notifications.read", as: .person("ada"), ["all": true], after: near),
        .bad(.notAllowed, nil, "notifications.read", as: .guest, ["all": true]),
        .good(
            "notifications.act", as: .person("ada"), after: { try await notice(in: $0, .open("https://example.org/")) }),
        .bad(.conflict, nil, "notifications.act", as: .person("ada"), after: near),
        .bad(.notFound, nil, "notifications.act", as: .person("bob"), after: near),
        .bad(
            .notFound, nil, "notifications.act", as: .person("ada"),
            after: { try await notice(in: $0, .call(method: "sights.get", parameters: #"{"id":"nowhere"}"#)) }),
        .bad(.notAllowed, nil, "notifications.act", as: .guest, after: near),
        // A button acts with the rights of its person, and with no others.
        .bad(
            .notAllowed, nil, "notifications.act", as: .person("ada"),
            after: { try await notice(in: $0, .call(method: "trips.remove", parameters: #"{"id":"x"}"#)) }),
    ]

    private static let rules: [MethodCase] = [
        .good("notifications.rules", as: .person("ada")),
        .bad(.notAllowed, nil, "notifications.rules", as: .admin),
        .good(
            "notifications.setRules", as: .person("ada"),
            ["kinds": ["sight"], "quiet": "22:00-07:00", "zone": "Europe/Amsterdam", "cool_down": 60]),
        .bad(.invalidValue, "kinds", "notifications.setRules", as: .person("ada"), ["kinds": ["weather"]]),
        .bad(.invalidValue, "quiet", "notifications.setRules", as: .person("ada"), ["quiet": "at night"]),
        .bad(.invalidValue, "quiet", "notifications.setRules", as: .person("ada"), ["quiet": "22:00-22:00"]),
        .bad(
            .invalidValue, "zone", "notifications.setRules", as: .person("ada"),
            ["quiet": "22:00-07:00", "zone": "Mars/Olympus"]),
        .bad(.invalidValue, "zone", "notifications.setRules", as: .person("ada"), ["zone": "+02:00"]),
        .bad(.invalidValue, "cool_down", "notifications.setRules", as: .person("ada"), ["cool_down": -1]),
        .bad(.notAllowed, nil, "notifications.setRules", as: .guest),
    ]

    /// Brings ada near the mill and returns her notification.
    private static let near: Preparation = { core in
        try await core.log(.enter, "mill")
        try await core.followers.catchUp()
        return ["notification": .string(try await core.newest(of: "ada"))]
    }

    /// Sends ada a notice with a button and returns it.
    private static func notice(
        in core: CoreFixture, _ action: NotificationDraft.Action
    ) async throws -> JSONObject {
        try await core.tell("ada", key: "notice", action)
        return ["notification": .string(try await core.newest(of: "ada"))]
    }
}
