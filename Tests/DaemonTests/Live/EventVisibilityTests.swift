#if Companion
import Callers
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Service

/// Who may receive an event follows each change at once, although the store is not asked each time.
@Suite struct EventVisibilityTests {
    private static func connection(_ person: String?) -> Principal {
        let connection = Principal(number: 1, origin: .user(1000), rights: [.read])
        connection.identity = person.map { Principal.Identity(person: $0) }
        return connection
    }

    @Test func visibilityOfEventsFollowsEachChangeAtOnce() async throws {
        let store = try Stores.temporary()
        let rig = try await LiveRig(store)
        let features = Features(store: store, liveState: rig.pipeline)
        let visibility = EventVisibility(store)
        visibility.configure(features.context.subjects, features.context.editor)
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven)
                    VALUES ('ada', 'Ada', '', 'ada@example.org', 0, 0), ('eve', 'Eve', '', 'eve@example.org', 0, 0)
                    """)
        }
        var table = MethodTable<Principal>(title: "Test", version: "1") { Issue.record("\($0) failed: \($1)") }
        table.add(features.methods)
        func call(_ method: String, _ parameters: JSONObject) async throws -> JSONValue {
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            let answer = try await table.dispatch(request, from: Self.connection("ada")).get()
            return try JSONValue(parsing: answer.bytes.span)
        }
        let plan = try #require(try await call("plans.create", ["title": "Rome"])["id"])
        let id = try #require(try await call("locations.add", ["plan": plan, "name": "Forum"])["id"])
        guard case .string(let location) = id else { return }
        let event = EventRecord(seq: 1, type: "geofence.enter", subject: "location/\(location)", line: [])
        for isPublished in [false, true, true, false, true, false] {
            _ = try await call("plans.publish", ["plan": plan, "published": .bool(isPublished)])
            for _ in 0..<3 {
                #expect(visibility.allows(event, Self.connection("ada")))
                #expect(visibility.allows(event, Self.connection("eve")) == isPublished)
                #expect(visibility.allows(event, Self.connection(nil)) == isPublished)
            }
        }
        _ = try await call("plans.publish", ["plan": plan, "published": true])
        #expect(visibility.allows(event, Self.connection("eve")))
        _ = try await call("locations.remove", ["location": id])
        #expect(!visibility.allows(event, Self.connection("eve")))
        // A person signed in through the browser loses the administrator's rights as soon as they are withdrawn.
        let administrators = Administrators()
        let eve = Principal(number: 2, origin: .address(-2), rights: [.read], administrators: administrators)
        eve.identity = Principal.Identity(person: "eve", session: "1")
        #expect(!eve.has(.change))
        let hidden = EventRecord(seq: 3, type: "post", subject: "post/1", line: [])
        _ = try await call("posts.add", ["text": "Rain", "lat": 52, "lon": 5])
        let flagged: JSONObject = ["subject": "post/1"]
        let admin = Principal(number: 3, origin: .user(0), rights: [.read, .change])
        let request = Request(id: .integer(1), method: "subjects.hide", parameters: .named(flagged))
        _ = try await table.dispatch(request, from: admin).get()
        for isAdmin in [false, true, false, true, false] {
            if isAdmin { administrators.insert("eve") } else { administrators.remove("eve") }
            #expect(eve.has(.change) == isAdmin)
            #expect(visibility.allows(hidden, eve) == isAdmin)
            #expect(!visibility.allows(hidden, Self.connection(nil)))
        }
        // A sight that is watched for one device is hidden from those who do not see it, and so is that it has changed.
        let anchor: JSONObject = [
            "title": "Anchor", "description": "At anchor.", "lat": 52, "lon": 5, "devices": ["boat"], "id": "anchor",
        ]
        _ = try await call("sights.add", anchor)
        let changed = EventRecord(seq: 4, type: EventRecord.subjectChanged, subject: "sight/anchor", line: [])
        let group = Request(id: .integer(1), method: "groups.create", parameters: .named(["title": "Boats"]))
        _ = try await table.dispatch(group, from: admin).get()
        #expect(visibility.allows(changed, Self.connection("ada")))
        #expect(!visibility.allows(changed, Self.connection("eve")))
        #expect(!visibility.allows(changed, Self.connection(nil)))
        #expect(!visibility.mayLeave(changed))
        // Events that everyone may see need no lookup.
        let sight = EventRecord(seq: 2, type: "geofence.enter", subject: "sight/none", line: [])
        #expect(visibility.allows(sight, Self.connection(nil)))
    }
}
#endif
