#if Companion
import Callers
import Foundation
import GRDB
import Geodesy
import Logging
import RPC
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Daemon
@testable import EventStream
@testable import Notifications
@testable import Sights
@testable import Service

/// No method shows what the caller may not see.
///
/// The test calls all methods with everything that can be named, as each kind of caller, and searches the answers for
/// what belongs to others.
@Suite(.slow) struct PrivacyWalkTests {
    /// The callers.
    enum Walker: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case nobody, stranger = "cai", friend = "bob", owner = "ada", admin
        /// A signed-in administrator at the web server's door.
        case browserAdmin = "fay"

        var testDescription: String { rawValue }

        /// A new connection of the caller.
        var connection: Principal {
            let rights: Set<AccessRight> = self == .admin ? [.read, .change] : [.read]
            let administrators = Administrators()
            administrators.insert(Walker.browserAdmin.rawValue)
            let connection =
                self == .browserAdmin
                ? Principal(number: 1, origin: .address(-2), rights: rights, administrators: administrators)
                : Principal(number: 1, origin: .user(1000), rights: rights)
            if ![.nobody, .admin].contains(self) { connection.identity = .init(person: rawValue) }
            return connection
        }
    }

    /// The texts in the store, and who may see them.
    private static let secrets: [(text: String, seenBy: Set<Walker>)] = [
        // An administrator sees the recipients of waiting mails.
        ("ada.secret@example.org", [.owner, .friend, .admin, .browserAdmin]),
        ("+31 6 5550101", [.owner]),
        ("1815-12-10", [.owner]),
        ("$scrypt$", []),
        ("for-ada-alone", [.owner]),
        ("from-bob-to-ada", [.owner, .friend]),
        ("hidden-words", [.friend, .admin, .browserAdmin]),
        ("mailed-secret", []),
        ("post-for-friends", [.owner, .friend]),
        ("coat-for-friends", [.owner, .friend]),
        ("flagged-post-words", [.friend, .admin, .browserAdmin]),
        ("coat-on-a-list", [.owner, .friend, .stranger, .admin, .browserAdmin, .nobody]),
    ]

    /// The values for parameters, by name; for other parameters the declaration gives a sample.
    static let values: [String: [JSONValue]] = [
        "person": ["ada", "bob"], "to": ["ada"], "account": ["ada", "ada.secret@example.org"],
        "subject": ["sight/mill", "person/ada", "person/bob", "photo/1", "post/1", "post/2", "post/3", "product/1"],
        "post": ["1", "2", "3", "4"], "product": ["1", "2"], "lat": [52], "lon": [5], "sight": ["mill"],
        "id": ["mill", "1", "2", "gps0@2026-05-01T10:00:00.000Z"], "ids": [["gps0@2026-05-01T10:00:00.000Z"]],
        "with": ["gps0@2026-05-01T10:10:00.000Z"], "at": ["2026-05-01T10:00:10Z"], "review": ["1", "2"],
        "notification": ["1", "2", "3"], "suggestion": ["1", "2"], "photo": ["1"], "upload": ["1"],
        "device": ["gps0"], "geofence": ["sight/mill"], "time": ["2026-05-01T10:00:10Z"], "format": ["csv"],
        "email": ["new@example.org"], "token": ["none"], "ticket": ["none"], "code": ["000000"],
        "sha256": [.string(String(repeating: "0", count: 64))], "data": ["AAAA"], "size": [16], "offset": [0],
        "subscription": ["s1"], "points": [[]], "people": [["bob"]], "sights": [[]],
        "password": ["some password"], "new": ["some password"], "again": ["some password"],
        "first_name": ["Eve"], "last_name": ["Test"], "terms": [true], "text": ["ada", "secret"],
        "after": [0], "box": ["received", "sent"], "types": [["notification"], ["*"]],
    ]

    /// Optional parameters that are given values too.
    static let optional: Set<String> = [
        "person", "subject", "text", "device", "types", "id", "notification", "after", "box", "product", "lat", "lon",
    ]

    @Test(arguments: Walker.allCases) func noMethodShowsWhatTheCallerMayNotSee(_ walker: Walker) async throws {
        let reported = Mutex("")
        let (table, _) = try await Self.world { _, error in reported.withLock { $0 += "\(error)" } }
        let connection = walker.connection
        let forbidden = Self.secrets.filter { !$0.seenBy.contains(walker) }.map(\.text)
        let expected = Self.secrets.filter { $0.seenBy.contains(walker) }.map(\.text)
        var seen: Set<String> = []
        var walked = 0
        // Methods that only read come first, because the others change the world.
        let methods = table.methods.sorted { !Self.changes($0) && Self.changes($1) }
        for method in methods {
            for parameters in Self.parameters(of: method) {
                let request = Request(id: .integer(1), method: method.name, parameters: .named(parameters))
                let text: String
                switch await table.dispatch(request, from: connection) {
                case .success(let answer): text = String(decoding: answer.bytes, as: UTF8.self)
                case .failure(let error):
                    text =
                        error.message + (error.data.map { String(decoding: JSONText($0).bytes, as: UTF8.self) } ?? "")
                }
                walked += 1
                // A value that the caller gives may come back.
                let given = String(decoding: JSONText(.object(parameters)).bytes, as: UTF8.self)
                for secret in forbidden where text.contains(secret) && !given.contains(secret) {
                    Issue.record("\(walker.rawValue) sees \(secret) by \(method.name) \(given)")
                }
                seen.formUnion(expected.filter { text.contains($0) })
            }
        }
        #expect(walked > 100)
        #expect(Set(expected) == seen, "what \(walker.rawValue) may see must be somewhere")
        for secret in Self.secrets.map(\.text) { #expect(!reported.withLock { $0.contains(secret) }) }
    }

    /// Returns whether a method may change what the others show.
    static func changes(_ method: Method<Principal>) -> Bool {
        let looks: Set<String> = [
            "list", "get", "search", "nearest", "ranking", "ratings", "visits", "summary", "mine", "profile", "whoami",
            "sessions", "following", "followers", "suggested", "requests", "badge", "rules", "current", "trace",
            "export", "explain", "info", "stats", "discover", "read", "share", "help", "invitation", "flagged",
            "feed", "here",
        ]
        let verb = String(method.name.drop { $0 != "." }.dropFirst())
        return !looks.contains(verb) || method.name == "notifications.read"
    }

    /// Returns up to 64 parameter sets with which to call a method, made of values by the names of parameters.
    static func parameters(
        of method: Method<Principal>, from values: [String: [JSONValue]] = values,
        optional: Set<String> = optional
    ) -> [JSONObject] {
        var all: [JSONObject] = [[:]]
        for field in method.parameters where field.isRequired || optional.contains(field.name) {
            let fitting = (values[field.name] ?? []).filter { field.schema.fault(in: $0) == nil }
            let choices = fitting.isEmpty ? [sample(of: field.schema)] : fitting
            all = all.flatMap { parameters in
                var variants = choices.map { choice in
                    var parameters = parameters
                    parameters[field.name] = choice
                    return parameters
                }
                if !field.isRequired { variants.append(parameters) }
                return variants
            }
            // The bound matters for methods with many parameters.
            all = Array(all.prefix(64))
        }
        return all
    }

    /// Returns a value that fits a schema, where only the type matters.
    private static func sample(of schema: Schema) -> JSONValue {
        let words = schema.placeholder.split(separator: "|").map(String.init)
        for candidate in [.string(words[0]), true, 1, [], [:], "x"] as [JSONValue]
        where schema.fault(in: candidate) == nil { return candidate }
        return "x"
    }

    /// Makes a store in which Ada, whose friend is Bob, has something of every kind.
    private static func world(
        report: @escaping MethodTable<Principal>.FailureReport
    ) async throws -> (MethodTable<Principal>, LocationDatabase) {
        let store = try Stores.temporary()
        let hub = try await EventHub(journal: StoreJournal(store: store))
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(), logger: Logger(label: "test"))
        let features = Features(store: store, liveState: pipeline)
        let table = DaemonServers.methods(
            pipeline, hub: hub, features: features, connections: { 0 }, reload: { [] }, report: report)
        let now = Timestamp.now()
        try await store.write { db in
            for (id, email) in [
                ("ada", "ada.secret@example.org"), ("bob", "b@example.org"), ("cai", "c@example.org"),
                ("dan", "d@example.org"), ("fay", "f@example.org"),
            ] {
                try db.execute(
                    sql: """
                        INSERT INTO person (id, first_name, last_name, email, joined, proven, password, phone, born)
                        VALUES (?, ?, 'Test', ?, 1, 1, '$scrypt$ln=1,r=1,p=1$AAAA$AAAA', ?, ?)
                        """,
                    arguments: [
                        id, id, email, id == "ada" ? "+31 6 5550101" : nil, id == "ada" ? "1815-12-10" : nil,
                    ])
            }
            for (one, other) in [("ada", "bob"), ("bob", "ada")] {
                try db.execute(
                    sql: """
                        INSERT INTO friend SELECT a.number, b.number, 1 FROM person a, person b WHERE a.id = ? AND b.id = ?
                        """, arguments: [one, other])
            }
            let mill = Sight(
                id: "mill", title: "Mill", place: Coordinate(latitude: 52, longitude: 5).known, information: "Old.",
                owner: "ada")
            _ = try SightStore.put([mill], in: db)
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
        }
        try await features.context.editor.change { db, consequences in
            try Notifications.add(
                NotificationDraft(
                    to: "ada", .notice, at: now, key: "secret", text: "for-ada-alone",
                    destination: SubjectID(kind: "sight", id: "mill").destination), in: db, &consequences)
            try features.accounts.outbox.add(
                Mail(to: "ada.secret@example.org", name: "Ada", subject: "A code", body: "mailed-secret"), at: now,
                in: db)
        }
        func call(_ person: Walker, _ method: String, _ parameters: JSONObject) async throws {
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            _ = try await table.dispatch(request, from: person.connection).get()
        }
        try await call(.friend, "suggestions.send", ["subject": "sight/mill", "to": "ada", "text": "from-bob-to-ada"])
        try await call(.friend, "reviews.put", ["subject": "sight/mill", "rating": 1, "text": "hidden-words"])
        try await call(.admin, "reviews.hide", ["review": "1"])
        let place: JSONObject = ["lat": 52, "lon": 5]
        func post(_ who: Walker, _ method: String, _ more: JSONObject) async throws {
            var parameters = place
            for name in more.names { parameters[name] = more[name] }
            try await call(who, method, parameters)
        }
        func coat(_ name: String) -> JSONObject {
            ["name": .string(name), "brand": "Burberry", "price": "1", "currency": "EUR"]
        }
        try await post(.owner, "posts.add", ["text": "post-for-friends", "level": "friends"])
        var secret = coat("coat-for-friends")
        secret["level"] = "friends"
        try await post(.owner, "posts.addProduct", secret)
        try await post(.friend, "posts.add", ["text": "flagged-post-words"])
        try await call(.admin, "subjects.hide", ["subject": "post/3"])
        try await post(.friend, "posts.addProduct", coat("coat-on-a-list"))
        try await call(.owner, "shopping.add", ["product": "2"])
        return (table, store)
    }
}
#endif
