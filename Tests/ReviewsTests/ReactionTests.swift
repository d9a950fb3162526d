import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import Testing

@testable import Service
@testable import Sights

@Suite struct ReactionTests {
    private let core: CoreFixture
    private let secrets = SecretKind()

    init() async throws {
        core = try CoreFixture(kinds: [secrets])
        try core.people("ada", "bob", "cai", "dan")
        _ = try core.store.importSights([
            Sight(id: "mill", title: "Mill", place: fix(0).coordinate),
            Sight(id: "lock", title: "Lock", place: fix(0).coordinate),
        ])
        try await core.store.write { db in
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
            try db.execute(
                sql: """
                    INSERT INTO follow SELECT a.number, b.number, 0 FROM person AS a, person AS b
                    WHERE a.id = 'bob' AND b.id = 'cai'
                    """)
        }
    }

    @discardableResult
    private func set(
        _ person: String, _ kind: String, _ isOn: Bool = true, of subject: String = "sight/mill"
    ) async throws -> JSONValue {
        try await core.call(
            as: person, "reactions.set", ["subject": .string(subject), "kind": .string(kind), "on": .bool(isOn)])
    }

    @Test func aReactionCountsOncePerPersonAndCanBeRemoved() async throws {
        for _ in 0..<2 {
            #expect(try await set("bob", "heart") == ["hearts": 1, "likes": 0, "own": ["heart"]])
        }
        #expect(try await set("ada", "heart") == ["hearts": 2, "likes": 0, "saves": 0, "own": ["heart"]])
        #expect(try await set("bob", "like") == ["hearts": 2, "likes": 1, "own": ["heart", "like"]])
        #expect(try await set("cai", "heart", false) == ["hearts": 2, "likes": 1, "own": []])
        for _ in 0..<2 {
            #expect(try await set("bob", "heart", false) == ["hearts": 1, "likes": 1, "own": ["like"]])
        }
        let seen = try await core.call("reactions.get", ["subject": "sight/mill"], isGuest: true)
        #expect(seen == ["hearts": 1, "likes": 1, "own": []])
        #expect(
            try await core.call("reactions.get", ["subject": "sight/lock"], isGuest: true)
                == ["hearts": 0, "likes": 0, "own": []])
    }

    @Test func reactionsAreListedNewestFirstWithTheFollowState() async throws {
        for (index, person) in ["cai", "dan", "bob"].enumerated() {
            core.clock.time = moment(Double(index))
            try await set(person, "heart")
        }
        let list = try await core.call(as: "bob", "reactions.list", ["subject": "sight/mill", "kind": "heart"])
        #expect(
            list["people"].elements == [
                ["person": ["id": "bob", "name": "Bob Test"], "time": "2026-05-01T10:00:02.000Z"],
                [
                    "person": ["id": "dan", "name": "Dan Test", "following": false, "friend": false],
                    "time": "2026-05-01T10:00:01.000Z",
                ],
                [
                    "person": ["id": "cai", "name": "Cai Test", "following": true, "friend": false],
                    "time": "2026-05-01T10:00:00.000Z",
                ],
            ])
        for limit: Int64 in 1...3 {
            let pages = try await core.pages(
                "reactions.list", ["subject": "sight/mill", "kind": "heart", "limit": .integer(limit)], of: "people")
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
            let people = pages.flatMap { $0 }.compactMap { $0["person"]?["id"].text }
            #expect(people == ["bob", "dan", "cai"])
        }
        #expect(
            try await core.call("reactions.list", ["subject": "sight/mill", "kind": "like"]) == ["people": []])
    }

    @Test func savesAreNotListedAndTheirCountIsShownOnlyToTheOwner() async throws {
        try await set("bob", "save")
        for person in ["ada", "bob", "cai"] {
            let error = try await core.error(as: person, "reactions.list", ["subject": "sight/mill", "kind": "save"])
            #expect(error?.data?["field"] == "kind")
            let seen = try await core.call(as: person, "reactions.get", ["subject": "sight/mill"])
            #expect(seen["saves"] == (person == "ada" ? 1 : nil))
            #expect(seen["own"].elements == (person == "bob" ? ["save"] : []))
        }
        #expect(try await core.call("reactions.get", ["subject": "sight/mill"])["saves"] == nil)
    }

    @Test func ownReactionsAreListedWhileTheirSubjectsAreVisible() async throws {
        try await set("bob", "save")
        try await set("bob", "heart", of: "sight/lock")
        try await set("bob", "save", of: "secret/1")
        core.clock.time = moment(5)
        try await set("bob", "save", of: "sight/lock")
        func mine(_ core: CoreFixture) async throws -> [String] {
            var after: JSONValue?
            var all: [String] = []
            repeat {
                var parameters: JSONObject = ["kind": "save", "limit": 1]
                parameters["after"] = after
                let page = try await core.call(as: "bob", "reactions.mine", parameters)
                all += page["subjects"].elements.compactMap { $0["subject"].text }
                after = page["next"]
            } while after != nil
            return all
        }
        #expect(try await mine(core) == ["sight/lock", "secret/1", "sight/mill"])
        let list = try await core.call(as: "bob", "reactions.mine", ["kind": "heart"])["subjects"].elements
        #expect(list == [["subject": "sight/lock", "title": "Lock", "time": "2026-05-01T10:00:00.000Z"]])
        #expect(try await core.call(as: "ada", "reactions.mine", ["kind": "save"]) == ["subjects": []])
        // Removed and invisible subjects are left out.
        try await core.store.write { db in
            _ = try SightStore.remove("lock", in: db)
            try Subjects.remove(SubjectID(kind: "sight", id: "lock"), in: db)
        }
        #expect(try await mine(core) == ["secret/1", "sight/mill"])
        secrets.confidants = ["ada"]
        #expect(try await mine(core) == ["sight/mill"])
    }

    @Test func invisibleSubjectsCannotBeReactedTo() async throws {
        for method in ["reactions.get", "reactions.list", "reactions.set"] {
            var parameters: JSONObject = ["subject": "secret/1"]
            if method != "reactions.get" { parameters["kind"] = "heart" }
            if method == "reactions.set" { parameters["on"] = true }
            #expect(try await core.error(as: "cai", method, parameters)?.code == .notFound)
        }
    }
}
