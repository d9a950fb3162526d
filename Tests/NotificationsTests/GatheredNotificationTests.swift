import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import Testing
import Tracking

@testable import Notifications
@testable import Service
@testable import Sights

/// Notifications of what people did, each kind with its rule, gathered by subject.
@Suite struct GatheredNotificationTests {
    private let core: CoreFixture
    private let secrets = SecretKind()

    init() async throws {
        core = try CoreFixture(kinds: [secrets])
        try core.people("ada", "bob", "cai", "dan", "eve")
        _ = try core.store.importSights([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)])
        try await core.store.write { db in
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
            try db.execute(
                sql: """
                    INSERT INTO friend SELECT one.number, other.number, 0 FROM person AS one, person AS other
                    WHERE one.id <> other.id
                    """)
        }
    }

    private func heart(_ person: String, _ isOn: Bool = true, of subject: String = "sight/mill") async throws {
        try await core.call(
            as: person, "reactions.set", ["subject": .string(subject), "kind": "heart", "on": .bool(isOn)])
    }

    private func texts(of person: String, admin: Bool = false) async throws -> [String?] {
        let caller = CoreFixture.connection(admin ? [.read, .change] : [.read], as: person)
        return try await core.call("notifications.list", [:], from: caller)["notifications"].elements
            .map { $0["text"].text }
    }

    private func mute(_ kind: String, of person: String) async throws {
        let kinds = try await core.call(as: person, "notifications.rules")["kinds"].elements
        try await core.call(
            as: person, "notifications.setRules", ["kinds": .array(kinds.filter { $0 != .string(kind) })])
    }

    private func post() async throws -> String {
        let post = try await core.call(
            as: "ada", "posts.add", ["text": "Red coat", "voting": true, "lat": 52.37, "lon": 4.89])
        return try #require(post["id"].text)
    }

    @Test func oneUnreadNotificationGainsPeople() async throws {
        try await heart("bob")
        #expect(try await texts(of: "ada") == ["<b>Bob Test</b> loves <b>Mill</b>."])
        try await heart("cai")
        #expect(try await core.badge(of: "ada") == 1)
        #expect(try await texts(of: "ada") == ["<b>Cai Test</b> and <b>Bob Test</b> love <b>Mill</b>."])
        try await heart("dan")
        try await heart("eve")
        let list = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(list.map { $0["text"].text } == ["<b>Eve Test</b> and 3 others love <b>Mill</b>."])
        #expect(list[0]["count"].number == 4)
        #expect(list[0]["people"].elements.ids == ["eve", "dan"])
        #expect(list[0]["about"] == "Mill")
        #expect(list[0]["destination"] == "waymark://sight/mill")
        try await heart("bob")
        #expect(try await core.badge(of: "ada") == 0)
    }

    @Test func aReadOneStaysAndTheNextActMakesANewOneAboveAllOthers() async throws {
        try await heart("bob")
        try await core.call(as: "cai", "people.follow", ["person": "ada"])
        try await heart("dan")
        #expect(
            try await texts(of: "ada")
                == ["<b>Dan Test</b> and <b>Bob Test</b> love <b>Mill</b>.", "<b>Cai Test</b> follows you."])
        try await core.call(as: "ada", "notifications.read", ["all": true])
        try await heart("eve")
        #expect(
            try await texts(of: "ada") == [
                "<b>Eve Test</b> loves <b>Mill</b>.", "<b>Dan Test</b> and <b>Bob Test</b> love <b>Mill</b>.",
                "<b>Cai Test</b> follows you.",
            ])
    }

    @Test func whatIsTakenBackIsNotToldAnyMore() async throws {
        try await heart("bob")
        try await heart("cai")
        try await heart("cai", false)
        #expect(try await texts(of: "ada") == ["<b>Bob Test</b> loves <b>Mill</b>."])
        try await heart("bob", false)
        #expect(try await texts(of: "ada") == [])
        try await core.call(as: "bob", "people.follow", ["person": "ada"])
        try await core.call(as: "bob", "people.unfollow", ["person": "ada"])
        #expect(try await texts(of: "ada") == [])
    }

    @Test func nobodyIsToldOfWhatTheyDidThemselves() async throws {
        try await heart("ada")
        #expect(try await texts(of: "ada") == [])
        #expect(try await core.badge(of: "ada") == 0)
    }

    @Test func aSaveIsToldToNobody() async throws {
        try await core.call(as: "bob", "reactions.set", ["subject": "sight/mill", "kind": "save", "on": true])
        #expect(try await texts(of: "ada") == [])
    }

    @Test func aRemovedAccountIsNeitherNamedNorCounted() async throws {
        for person in ["bob", "cai"] { try await heart(person) }
        try await core.store.write { db in try db.execute(sql: "DELETE FROM person WHERE id = 'cai'") }
        #expect(try await texts(of: "ada") == ["<b>Bob Test</b> loves <b>Mill</b>."])
        try await core.store.write { db in try db.execute(sql: "DELETE FROM person WHERE id = 'bob'") }
        #expect(try await texts(of: "ada") == [])
    }

    @Test func everyKindHasItsTextAndItsRule() async throws {
        let id = try await post()
        let acts: [(kind: String, text: String, act: () async throws -> Void)] = [
            (
                "follower", "<b>Bob Test</b> follows you.",
                { try await core.call(as: "bob", "people.follow", ["person": "ada"]) }
            ),
            (
                "review", "<b>Bob Test</b> has reviewed <b>Mill</b>.",
                { try await core.call(as: "bob", "reviews.put", ["subject": "sight/mill", "rating": 4]) }
            ),
            (
                "verdict", "Somebody has voted on <b>An outfit of ada</b>.",
                { try await core.call(as: "bob", "posts.judge", ["post": .string(id), "choice": "wear"]) }
            ),
            ("heart", "<b>Bob Test</b> loves <b>Mill</b>.", { try await heart("bob") }),
        ]
        for (kind, _, _) in acts { try await mute(kind, of: "cai") }
        try await core.store.write { db in
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
        }
        for (kind, text, act) in acts {
            try await act()
            let list = try await core.call(as: "ada", "notifications.list", ["kind": .string(kind)])
            #expect(list["notifications"].elements.map { $0["text"].text } == [text], "\(kind)")
        }
        for (kind, _, _) in acts { try await mute(kind, of: "ada") }
        let before = try await texts(of: "ada").count
        try await core.call(as: "dan", "people.follow", ["person": "ada"])
        try await core.call(as: "dan", "reviews.put", ["subject": "sight/mill", "rating": 3])
        try await core.call(as: "dan", "posts.judge", ["post": .string(id), "choice": "change"])
        try await heart("dan")
        #expect(try await texts(of: "ada").count == before)
        #expect(try await core.badge(of: "ada") == 0)
    }

    @Test func administratorsLearnOfFlagsAndNotWhoFlagged() async throws {
        let id = try await post()
        try await core.call(
            "people.admin", ["person": "eve"], from: CoreFixture.connection([.read, .change], user: 0))
        for person in ["bob", "cai"] {
            try await core.call(as: person, "subjects.flag", ["subject": .string("post/\(id)")])
        }
        let list = try await core.call(as: "eve", "notifications.list")["notifications"].elements
        #expect(list.count == 1)
        #expect(list.first?["people"] == nil)
        #expect(list.first?["count"].number == 2)
        #expect(try await texts(of: "eve", admin: true) == ["2 people have flagged <b>An outfit of ada</b>."])
        #expect(try await texts(of: "ada") == [])
        try await core.call("subjects.clear", ["subject": .string("post/\(id)")])
        #expect(try await texts(of: "eve", admin: true) == [])
    }

    @Test func membersLearnThatAPlanWasChangedAndNotOfWhatTheyMayNotSee() async throws {
        let plan = try #require(
            try await core.call(as: "ada", "plans.create", ["title": "Rome", "level": "members"])["id"])
        try await core.call(as: "ada", "members.ask", ["plan": plan, "person": "bob", "edits": true])
        try await core.call(as: "bob", "members.confirm", ["plan": plan])
        try await core.call(as: "bob", "activities.add", ["plan": plan, "title": "Secret", "level": "me"])
        #expect(try await texts(of: "ada") == [])
        for title in ["Fado night", "Pizza"] {
            try await core.call(as: "bob", "activities.add", ["plan": plan, "title": .string(title)])
        }
        #expect(try await texts(of: "ada") == ["<b>Bob Test</b> has changed <b>Rome</b>."])
        #expect(try await texts(of: "bob") == [])
        try await core.call(as: "ada", "plans.update", ["plan": plan, "title": "Roma"])
        #expect(try await texts(of: "bob") == ["<b>Ada Test</b> has changed <b>Roma</b>."])
        try await core.call(as: "ada", "members.remove", ["plan": plan, "person": "bob"])
        #expect(try await texts(of: "bob") == ["<b>Ada Test</b> has changed a plan of yours."])
    }

    @Test func theLogNamesNeitherPeopleNorTitles() async throws {
        try await heart("bob")
        let told = core.liveState.notifications
        #expect(told.map(\.recipient) == ["ada"])
        let line = try #require(told.first.map { String(decoding: $0.line, as: UTF8.self) })
        #expect(!line.contains("Bob") && !line.contains("bob") && !line.contains("Mill"))
    }

    @Test func quietHoursKeepAGatheredNotificationSilent() async throws {
        try await core.call(as: "ada", "notifications.setRules", ["quiet": "00:00-23:59", "zone": "UTC"])
        try await heart("bob")
        #expect(core.liveState.notifications.isEmpty)
        #expect(try await core.badge(of: "ada") == 1)
    }

    @Test func aNotificationGathersNoMoreThanItsMaximum() async throws {
        try await heart("bob")
        try await core.store.write { db in
            try db.execute(
                sql: "UPDATE notification SET people = ? WHERE grouping IS NOT NULL",
                arguments: [Notifications.maximumPeople])
        }
        try await heart("cai")
        let list = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(list.count == 1)
        #expect(list.first?["count"].number == Double(Notifications.maximumPeople))
        #expect(list.first?["people"].elements.ids == ["bob"])
    }

    @Test func gatheringReadsByIndex() async throws {
        try await heart("bob")
        let plan = try await core.store.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    EXPLAIN QUERY PLAN SELECT notification.number FROM notification
                    WHERE notification.grouping IS NOT NULL AND notification.person = 1 AND notification.kind = 'heart'
                        AND notification.subject = 'sight/mill'
                    ORDER BY notification.number DESC LIMIT 1
                    """
            ).map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("notification_by_subject") })
        #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") })
    }
}
