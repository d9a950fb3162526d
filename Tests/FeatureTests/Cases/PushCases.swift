import FeatureSupport
import GRDB
import RPC
import Store
import Time

@testable import Service
@testable import WebPush

extension MethodCase {
    /// The cases of notifications in browsers.
    static let push: [MethodCase] = [
        .good("push.list", as: .person("ada")),
        .bad(.notAllowed, "push.list", as: .admin),
        .good("push.subscribe", as: .session("ada"), browser(), after: session),
        .bad(.conflict, "push.subscribe", as: .person("ada"), browser()),
        .bad(.conflict, "push.subscribe", as: .session("ada"), browser()),
        .bad(.notAllowed, "push.subscribe", as: .guest, browser()),
        .bad(
            .invalidValue, "endpoint", "push.subscribe", as: .session("ada"), browser(at: "https://a:b@example.org/"),
            after: session),
        .bad(
            .invalidValue, "p256dh", "push.subscribe", as: .session("ada"),
            [
                "endpoint": "https://push.example.org/", "p256dh": "AAAAAAAAAAAAAAAAAAAAAAAA",
                "auth": .string(fake.auth),
            ],
            after: session),
        .good("push.remove", as: .person("ada"), after: { try await subscribed($0, at: "https://push.example.org/") }),
        .bad(.notFound, "push.remove", as: .person("ada"), ["browser": "9"]),
        .bad(
            .notFound, "push.remove", as: .person("bob"),
            after: { try await subscribed($0, at: "https://push.example.org/") }),
        .good("push.test", as: .person("ada"), after: { try await subscribed($0, at: PushService().endpoint()) }),
        .bad(
            .conflict, "push.test", as: .person("ada"),
            after: { try await subscribed($0, at: PushService("410 Gone").endpoint()) }),
        .bad(.notFound, "push.test", as: .person("ada"), ["browser": "9"]),
    ]

    private static let fake = FakeBrowser()

    private static func browser(at endpoint: String = "https://push.example.org/1") -> JSONObject {
        ["endpoint": .string(endpoint), "p256dh": .string(fake.key), "auth": .string(fake.auth)]
    }

    /// Opens the session of ada.
    private static let session: Preparation = { core in
        try await core.store.write { [now = core.clock.time.milliseconds] db in
            try db.execute(
                sql: """
                    INSERT INTO session (number, token, person, made, used)
                    SELECT 1, randomblob(32), number, ?, ? FROM person WHERE id = 'ada'
                    """, arguments: [now, now])
        }
        return [:]
    }

    /// Notifies ada in a browser, and returns its id.
    private static func subscribed(_ core: CoreFixture, at endpoint: String) async throws -> JSONObject {
        _ = try await session(core)
        let answer = try await core.call(
            "push.subscribe", browser(at: endpoint), from: Caller.session("ada").connection)
        return ["browser": answer["id"] ?? .null]
    }
}
