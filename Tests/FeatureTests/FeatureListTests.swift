import EventStream
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Service

/// A feature that exists in these tests alone: adding it takes its value, and no other file.
@Suite struct FeatureListTests {
    /// Postcards: a table, a kind of subject, methods, and one that is written at each sight that a device enters.
    private static let postcards: Feature = {
        var feature = Feature { context, _ in
            [
                .stored("postcards.count", "How many there are.", result: .integer, right: .read) { _ in
                    let count = try await context.store.read {
                        try Int.fetchOne($0, sql: "SELECT count(*) FROM postcard")
                    }
                    return JSONText(.integer(Int64(count ?? 0)))
                },
                .stored("postcards.write", "Writes one.", result: .boolean, right: .person) { call in
                    let (person, now) = (try call.person(), context.now())
                    try await context.editor.change { db, consequences in
                        try db.execute(sql: "INSERT INTO postcard (text) VALUES ('Greetings')")
                        consequences.notifications.append(
                            NotificationDraft(
                                to: person, .notice, at: now, key: "postcard", text: "Your postcard is written.",
                                destination: "waymark://postcard/1"))
                    }
                    return JSONText(true)
                },
            ]
        }
        feature.migrations = [
            StoreMigration(name: "tests.postcards.1", sql: "CREATE TABLE postcard (text TEXT NOT NULL) STRICT")
        ]
        feature.subjects = [PostcardSubject()]
        feature.consumers = { _ in [PostcardConsumer()] }
        return feature
    }()

    private struct PostcardSubject: SubjectKind {
        let name = "postcard"

        func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
            try String.fetchOne(db, sql: "SELECT text FROM postcard WHERE rowid = ?", arguments: [Int64(id)]).map {
                Subject(id: SubjectID(kind: name, id: id), title: $0, owner: nil)
            }
        }
    }

    private struct PostcardConsumer: LogConsumer {
        let name = "postcards"

        func concerns(_ event: StoredEvent) -> Bool { event.type == "geofence.enter" }

        func take(_ event: StoredEvent, in db: Database, _ consequences: inout Consequences) throws {
            try db.execute(sql: "INSERT INTO postcard (text) VALUES ('From ' || ?)", arguments: [event.subject])
        }
    }

    @Test func aFeatureIsAddedByItsValueAlone() async throws {
        let store = try LocationDatabase.temporary(migrations: Features.migrations + Self.postcards.migrations)
        let features = Features(store: store, present: FakePresent(), more: [Self.postcards]) { moment(0) }
        var table = MethodTable<Principal>(title: "Test", version: "1") { Issue.record("\($0) failed: \($1)") }
        table.add(features.methods)
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven)
                    VALUES ('ada', 'Ada', 'Test', 'ada@example.org', 1, 1)
                    """)
        }
        let ada = CoreFixture.connection(as: "ada")
        func call(_ method: String, _ parameters: JSONObject = [:]) async throws -> JSONValue {
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            let answer = try await table.dispatch(request, from: ada).get()
            return try JSONValue(parsing: answer.bytes.span)
        }
        #expect(try await call("postcards.write") == true)
        #expect(try await call("postcards.count") == 1)
        // It can be reacted to, and its notification is in the centre.
        #expect(try await call("subjects.share", ["subject": "postcard/1"])["title"] == "Greetings")
        let notified = try await call("notifications.list")
        #expect(notified["notifications"].elements.first?["destination"] == "waymark://postcard/1")
        // It works through the log.
        try await features.context.editor.change { _, consequences in
            consequences.events.append(
                EventRecord(
                    time: moment(1), type: "geofence.enter", device: "gps0", subject: "sight/mill", recipient: nil,
                    members: []))
        }
        try await LogConsumers(features.context, features.consumers).catchUp()
        #expect(try await call("postcards.count") == 2)
    }
}
