import Callers
import FeatureSupport
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Service

/// A feature that exists only in these tests: one value adds it, without a change to another file.
@Suite struct FeatureListTests {
    /// Postcards: a table, a kind of subject, methods, and a log consumer that writes a postcard at each sight that a
    /// device enters.
    private static let postcards: Feature = {
        var feature = Feature { context, _ in
            [
                .stored("postcards.count", "How many there are.", answers: .integer, right: .read) { _ in
                    try await context.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM postcard") ?? 0 }
                },
                .stored(
                    "postcards.write", "Writes one.", Parameter<String>.required("text", .string, "What it says."),
                    answers: .boolean, right: .person
                ) { call, text in
                    let (person, now) = (try call.person(), context.now())
                    try await context.editor.change { db, consequences in
                        try db.execute(sql: "INSERT INTO postcard (text) VALUES (?)", arguments: [text])
                        consequences.notifications.append(
                            NotificationDraft(
                                to: person, .post, at: now, key: "postcard", text: "Your postcard is written.",
                                destination: "waymark://postcard/1"))
                        let geofence = try #require(try Letterboxes().geofence("1", in: db))
                        let revision = try GeofenceRevision.next(in: db)
                        consequences.geofences = [.watched(geofence, revision: revision)]
                    }
                    return true
                },
            ]
        }
        feature.migrations = [
            StoreMigration(name: "tests.postcards.1", sql: "CREATE TABLE postcard (text TEXT NOT NULL) STRICT")
        ]
        feature.subjects = [PostcardSubject()]
        feature.geofences = [Letterboxes()]
        feature.notifications = [.post]
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

        func concerns(_ event: EventRecord) -> Bool { event.type == "geofence.enter" }

        func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
            try db.execute(sql: "INSERT INTO postcard (text) VALUES ('From ' || ?)", arguments: [event.subject])
        }
    }

    /// The letterbox of each postcard, at 52° N 5° E.
    private struct Letterboxes: GeofenceSource {
        let kind = Geofence.Kind(rawValue: "postcard")
        let notification: NotificationDraft.Kind? = .post

        func count(in db: Database) throws -> Int {
            try Int.fetchOne(db, sql: "SELECT count(*) FROM postcard") ?? 0
        }

        func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws {
            for id in try Int64.fetchAll(db, sql: "SELECT rowid FROM postcard") {
                if let geofence = try geofence(String(id), in: db) { body(geofence, 1) }
            }
        }

        func geofence(_ id: String, in db: Database) throws -> Geofence? {
            let text = try String.fetchOne(
                db, sql: "SELECT text FROM postcard WHERE rowid = ?", arguments: [Int64(id)])
            return text.flatMap { text in
                Coordinate(latitude: 52, longitude: 5).map { place in
                    Geofence(identity: .init(kind: kind, id: id), title: text, center: place, radius: .meters(100))
                }
            }
        }
    }

    @Test func oneFeatureValueAddsEverythingTheFeatureNeeds() async throws {
        let list = FeatureList(more: [Self.postcards])
        let store = try LocationDatabase.temporary(migrations: list.migrations)
        let liveState = FakeLiveState()
        liveState.place("gps0", at: fix(0))
        let features = Features(store: store, liveState: liveState, more: [Self.postcards]) { moment(0) }
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
        #expect(try await call("postcards.write", ["text": "Greetings"]) == true)
        #expect(try await call("postcards.count") == 1)
        // The postcard is a subject, and its notification is in the notification centre.
        #expect(try await call("subjects.share", ["subject": "postcard/1"])["title"] == "Greetings")
        let notified = try await call("notifications.list")
        #expect(notified["notifications"].elements.first?["destination"] == "waymark://postcard/1")
        #expect(notified["notifications"].elements.first?["kind"] == "post")
        // Its geofences are watched at once and after a restart, and `geofences.explain` finds them.
        let letterbox = try #require(try await store.read { try Letterboxes().geofence("1", in: $0) })
        #expect(liveState.drainChanges() == [.watched(letterbox, revision: 1)])
        #expect(try GeofenceIndex(of: store, features: list).all.map(\.geofence) == [letterbox])
        let request = Request(
            id: .integer(1), method: "geofences.explain",
            parameters: .named(["geofence": "postcard/1", "time": "2026-05-01T10:00:00Z", "device": "gps0"]))
        let unheard = await #expect(throws: RPCError.self) { try await table.dispatch(request, from: ada).get() }
        #expect(unheard?.message.hasPrefix("No fix of gps0") == true)
        // Its log consumer works.
        try await features.context.editor.change { _, consequences in
            consequences.events.append(
                EventRecord(
                    time: moment(1), type: "geofence.enter", device: "gps0", subject: "postcard/1", recipient: nil,
                    members: []))
        }
        try await LogConsumers(features.context, features.consumers).catchUp()
        #expect(try await call("postcards.count") == 2)
    }
}

extension NotificationDraft.Kind {
    fileprivate static let post = NotificationDraft.Kind(rawValue: "post")
}
