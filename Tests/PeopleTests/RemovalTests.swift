import FeatureSupport
import GRDB
import RPC
import Schemas
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Notifications
@testable import People
@testable import Service

@Suite struct RemovalTests {
    private static let first = "Zephyrine"
    private static let last = "Quillfeather"
    /// Texts that the person entered.
    ///
    /// None of them may be found after the removal.
    private static let secrets = [
        first, last, "zq@example.org", "old.zq@example.org", "wished.zq@example.org", "wrong.zq@example.org",
        "+31 20 555 0177", "1987-03-21", "https://quill.example", "You must see this", "Not worth the detour",
        "Zingara cape", "What a cape", "zq.shop.example",
    ]

    /// Returns the tables and columns of a store that contain a text.
    private static func places(of text: String, in store: LocationDatabase) throws -> [String] {
        try store.read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            return try tables.flatMap { table in
                try db.columns(in: table).map(\.name).filter { column in
                    let found = try Int.fetchOne(
                        db,
                        sql: """
                            SELECT count(*) FROM "\(table)"
                            WHERE instr(lower(CAST("\(column)" AS TEXT)), lower(?)) > 0
                            """, arguments: [text])
                    return found ?? 0 > 0
                }.map { "\(table).\($0)" }
            }
        }
    }

    @Test(.slow) func removingAnAccountRemovesAllTextsOfThePerson() async throws {
        let core = try CoreFixture()
        try core.people("bob", "cai")
        try await core.call("sights.add", ["title": "Mill", "description": "Old.", "lat": 1, "lon": 2])
        let guest = CoreFixture.connection()
        let ticket = try await core.call(
            "people.signUp",
            [
                "first_name": .string(Self.first), "last_name": .string(Self.last), "username": "quillz",
                "email": "wrong.zq@example.org", "email_again": "wrong.zq@example.org", "terms": true,
            ], from: guest)["ticket"]
        try await core.call(
            "people.correct", ["ticket": try #require(ticket), "email": "old.zq@example.org"], from: guest)
        try await core.call(
            "people.prove",
            ["ticket": try #require(ticket), "code": .string(try core.code(to: "old.zq@example.org"))], from: guest)
        try await core.call(
            as: "quillz", "people.update",
            ["phone": "+31 20 555 0177", "born": "1987-03-21", "website": "https://quill.example"])
        try await core.call(as: "quillz", "people.changeEmail", ["email": "zq@example.org"])
        try await core.call(as: "quillz", "people.proveEmail", ["code": .string(try core.code(to: "zq@example.org"))])
        try await core.call(as: "quillz", "people.changeEmail", ["email": "wished.zq@example.org"])
        try await core.call("people.sendCode", ["account": "quillz"], from: guest)
        // Some mails are sent, some are waiting.
        try await core.store.write { db in
            try db.execute(sql: "UPDATE mail SET body = NULL, next = NULL, sent = 1 WHERE number % 2 = 0")
        }
        try await core.call(as: "quillz", "friends.request", ["person": "bob"])
        try await core.call(as: "cai", "friends.request", ["person": "quillz"])
        try await core.call(as: "quillz", "friends.confirm", ["person": "cai"])
        try await core.call(as: "bob", "people.follow", ["person": "quillz"])
        try await core.call(
            as: "quillz", "suggestions.send", ["subject": "sight/mill", "to": "cai", "text": "You must see this!"])
        try await core.call(as: "bob", "reviews.put", ["subject": "sight/mill", "rating": 4, "text": "Fine."])
        try await core.call(
            as: "quillz", "reviews.put", ["subject": "sight/mill", "rating": 1, "text": "Not worth the detour."])
        try await core.call(as: "quillz", "reactions.set", ["subject": "sight/mill", "kind": "heart", "on": true])
        try await core.call(as: "bob", "reactions.set", ["subject": "sight/mill", "kind": "heart", "on": true])
        let post = try await core.call(
            as: "quillz", "posts.addProduct",
            [
                "name": "Zingara cape", "brand": "Bally", "price": "12.30", "currency": "EUR", "lat": 52, "lon": 5,
                "link": "https://zq.shop.example/cape", "text": "What a cape!",
            ])
        let product = try #require(post["product"]?["id"])
        try await core.call(as: "cai", "people.follow", ["person": "bob"])
        try await core.call(
            as: "cai", "suggestions.send",
            ["subject": .string("product/\(try #require(String(json: product)))"), "to": "bob"])
        try await core.call(as: "cai", "products.mail", ["product": product])
        try await core.store.write { try $0.execute(sql: "DELETE FROM mail WHERE recipient = 'cai@example.org'") }
        try await core.call(as: "cai", "shopping.add", ["product": product])
        try await core.tell("bob", key: "other", text: "Something else.")
        let isThere = try Self.secrets.filter { try !Self.places(of: $0, in: core.store).isEmpty }
        // Addresses that are no longer or never were the person's are deleted already.
        #expect(isThere == Self.secrets.filter { !["wrong.zq@example.org", "old.zq@example.org"].contains($0) })

        try await core.call(as: "quillz", "people.remove")

        for secret in Self.secrets {
            let places = try Self.places(of: secret, in: core.store)
            #expect(places == [], "\(secret)")
        }
        // The log keeps the username, which is never given to anybody else, and no other text of the person.
        #expect(
            try Self.places(of: "quillz", in: core.store).allSatisfy {
                ["event.body", "event.recipient", "former_person.id"].contains($0)
            })
        #expect(
            core.liveState.told.contains {
                String(decoding: $0.line, as: UTF8.self).contains("<b>quillz</b> asks to be")
            }
        )
        // What belongs to others is kept.
        let texts = try await core.texts(of: "bob")
        #expect(texts.contains("Something else."))
        #expect(texts.count == 2)
        #expect(try await core.badge(of: "bob") == 2)
        #expect(try await core.badge(of: "cai") == 0)
        let summary = try await core.call("reviews.summary", ["subject": "sight/mill"])
        #expect(summary["count"] == 1 && summary["mean"] == 4)
        #expect(try await core.call("reactions.get", ["subject": "sight/mill"])["hearts"] == 1)
        #expect(try await core.call(as: "bob", "people.following")["count"] == 0)
        #expect(try await core.call(as: "cai", "friends.list")["count"] == 0)
    }

    @Test func `a sent mail has no name`() async throws {
        let folder = try TemporaryFolder()
        var settings = AccountSettings()
        settings.mailFile = folder.file("mails")
        let core = try CoreFixture(accounts: settings)
        try core.people("ada")
        try await core.call("people.sendCode", ["account": "ada"])
        try await MailDelivery(core.context, core.features.accounts).deliver()
        let names = try await core.store.read { try String.fetchAll($0, sql: "SELECT name FROM mail") }
        #expect(names == [""])
    }

    @Test func `notifications of an older store are removed with their author`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.sqlite")
        let before = FeatureList.standard.migrations.prefix { $0.name != NotificationSchema.authorMigration.name }
        let old = try LocationDatabase.open(at: path, migrations: Array(before))
        try await old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven) VALUES
                        ('ada', 'Ada', 'T', 'a@example.org', 0, 0), ('bob', 'Bob', 'T', 'b@example.org', 0, 0);
                    INSERT INTO subject VALUES (1, 'sight/mill');
                    INSERT INTO suggestion (number, sender, recipient, subject, time) VALUES (7, 1, 2, 1, 0);
                    INSERT INTO notification (person, key, kind, time, text, destination, silent) VALUES
                        (2, 'friend-request/ada/x', 'friend', 0, 'Ada T asks', 'waymark://person/ada', 0),
                        (2, 'friend-request/evangeline/x', 'friend', 0, 'Evangeline T asks', 'waymark://person/evangeline', 0),
                        (2, 'suggestion/7', 'suggestion', 0, 'Ada T suggests', 'waymark://sight/mill', 0),
                        (2, 'suggestion/7/near', 'suggestion', 0, 'Ada T suggested', 'waymark://sight/mill', 0),
                        (2, 'suggestion/6', 'suggestion', 0, 'Evangeline T suggests', 'waymark://sight/mill', 0),
                        (2, 'event/1', 'sight', 0, 'Mill is near', 'waymark://sight/mill', 0);
                    INSERT INTO mail (recipient, name, subject, made, until, sent) VALUES ('x', 'Evangeline', 'Code', 0, 0, 1);
                    """)
        }
        try old.close()
        let store = try LocationDatabase.open(at: path, migrations: FeatureList.standard.migrations)
        let keys = try await store.read { try String.fetchAll($0, sql: "SELECT key FROM notification ORDER BY number") }
        #expect(keys == ["friend-request/ada/x", "suggestion/7", "suggestion/7/near", "event/1"])
        #expect(try Self.places(of: "Evangeline", in: store) == [])
        try await store.write { try People.remove(People.get("ada", in: $0), in: $0) }
        #expect(try Self.places(of: "Ada T", in: store) == [])
        #expect(try await store.read { try String.fetchAll($0, sql: "SELECT key FROM notification") } == ["event/1"])
    }
}
