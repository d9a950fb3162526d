import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Tracking

@testable import Notifications
@testable import Service
@testable import Sights

/// The notification centre, as a person sees it.
@Suite struct NotificationMethodTests {
    private static func world() async throws -> CoreFixture {
        let core = try CoreFixture()
        try core.people("ada", "bob")
        try await core.have(sight: "mill", information: "An old mill.")
        try await core.board("ada")
        return core
    }

    private func states(_ core: CoreFixture, of person: String) async throws -> [String?] {
        try await core.store.read { db in
            try String?.fetchAll(
                db,
                sql: """
                    SELECT state FROM notification JOIN person ON person.number = person WHERE id = ?
                    ORDER BY notification.number
                    """, arguments: [person])
        }
    }

    @Test func listingMarksNewOnesUnreadAndReadingMarksThemRead() async throws {
        let core = try await Self.world()
        for key in ["a", "b", "c"] { try await core.tell("ada", key: key) }
        try await core.tell("bob", key: "a")
        #expect(try await core.badge(of: "ada") == 3)
        let first = try await core.call(as: "ada", "notifications.list", ["limit": 2])
        #expect(first["notifications"].elements.ids == ["3", "2"])
        #expect(first["notifications"].elements.map { $0["state"].text } == ["new", "new"])
        #expect(try await core.badge(of: "ada") == 1)
        let rest = try await core.call(as: "ada", "notifications.list", ["limit": 2, "after": first["next"] ?? .null])
        #expect(rest["notifications"].elements.ids == ["1"])
        #expect(rest["next"] == nil)
        #expect(try await core.badge(of: "ada") == 0)
        #expect(try await core.badge(of: "bob") == 1)
        #expect(try await states(core, of: "ada") == ["unread", "unread", "unread"])
        let read = try await core.call(as: "ada", "notifications.read", ["notification": "2"])
        #expect(read == ["read": 1, "count": 0])
        let again = try await core.call(as: "ada", "notifications.read", ["notification": "2"])
        #expect(again == ["read": 0, "count": 0])
        let unread = try await core.call(as: "ada", "notifications.list", ["state": "unread"])
        #expect(unread["notifications"].elements.ids == ["3", "1"])
        try await core.tell("ada", key: "d")
        #expect(try await core.call(as: "ada", "notifications.read", ["all": true]) == ["read": 3, "count": 0])
        #expect(try await states(core, of: "ada") == ["read", "read", "read", "read"])
    }

    @Test func gettingDoesNotMarkANotificationAsReadAndOpeningDoes() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill")
        try await core.followers.catchUp()
        let seen = try await core.call(as: "ada", "notifications.get", ["notification": "1"])
        #expect(seen["state"] == "new")
        #expect(seen["subject"] == ["id": "sight/mill", "title": "Mill", "information": "An old mill."])
        #expect(try await core.badge(of: "ada") == 1)
        let opened = try await core.call(as: "ada", "notifications.open", ["notification": "1"])
        #expect(opened["state"] == "read")
        #expect(opened["destination"] == "waymark://sight/mill")
        #expect(opened["subject"] == seen["subject"])
        #expect(try await core.badge(of: "ada") == 0)
        _ = try await core.store.write { try SightStore.remove("mill", in: $0) }
        let gone = try await core.call(as: "ada", "notifications.open", ["notification": "1"])
        #expect(gone["subject"] == nil)
    }

    @Test func theSameKeyIsSentOncePerPerson() async throws {
        let core = try await Self.world()
        #expect(try await core.tell("ada", key: "a"))
        #expect(try await !core.tell("ada", key: "a", text: "Something else."))
        #expect(try await core.tell("bob", key: "a"))
        #expect(try await !core.tell("nobody", key: "a"))
        #expect(core.liveState.told.map(\.recipient) == ["ada", "bob"])
    }

    @Test func aButtonWithALinkReturnsItEachTime() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .open("https://example.org/"))
        for _ in 1...2 {
            let answer = try await core.call(as: "ada", "notifications.act", ["notification": "1"])
            #expect(answer["url"] == "https://example.org/")
            #expect(answer["notification"]?["state"] == "read")
            #expect(answer["notification"]?["action"] == ["title": "Do it", "url": "https://example.org/"])
        }
    }

    @Test func aButtonWithARequestSendsItOnceAndStaysListed() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .call(method: "sights.get", parameters: #"{"id":"mill"}"#))
        let answer = try await core.call(as: "ada", "notifications.act", ["notification": "1"])
        #expect(answer["result"]?["title"] == "Mill")
        let done: JSONValue = ["title": "Do it", "method": "sights.get", "done": true]
        #expect(answer["notification"]?["action"] == done)
        let second = try await core.error(as: "ada", "notifications.act", ["notification": "1"])
        #expect(second?.code == .conflict)
        let list = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(list.map { $0["action"] } == [done])
    }

    @Test func aButtonsRefusedRequestCanBeSentAgain() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .call(method: "sights.get", parameters: #"{"id":"fort"}"#))
        let refused = try await core.error(as: "ada", "notifications.act", ["notification": "1"])
        #expect(refused?.code == .notFound)
        try await core.have(sight: "fort")
        let answer = try await core.call(as: "ada", "notifications.act", ["notification": "1"])
        #expect(answer["result"]?["id"] == "fort")
    }

    @Test func concurrentPressesSendOneRequest() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .call(method: "sights.get", parameters: #"{"id":"mill"}"#))
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (try? await core.call(as: "ada", "notifications.act", ["notification": "1"])) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(outcomes == 1)
    }

    @Test func aButtonHasOnlyThePersonsRights() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .call(method: "trips.remove", parameters: #"{"id":"x"}"#))
        // Ada is an administrator as well, who may remove trips herself.
        let error = try await core.error(
            "notifications.act", ["notification": "1"], from: CoreFixture.connection([.read, .change], as: "ada"))
        #expect(error?.code == .notAllowed)
    }

    @Test func aButtonOfAnUnknownMethodIsAConflict() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .call(method: "sights.paint", parameters: "{}"))
        let error = try await core.error(as: "ada", "notifications.act", ["notification": "1"])
        #expect(error?.code == .conflict)
    }

    @Test func pagesStayConsistentWhileNotificationsArrive() async throws {
        let core = try await Self.world()
        for key in 1...25 { try await core.tell("ada", key.isMultiple(of: 2) ? .friend : .notice, key: "\(key)") }
        var ids: [String] = []
        var parameters: JSONObject = ["limit": 4, "kind": "notice"]
        while true {
            let page = try await core.call(as: "ada", "notifications.list", parameters)
            ids += page["notifications"].elements.ids
            try await core.tell("ada", key: "more \(ids.count)")
            guard let next = page["next"] else { break }
            parameters["after"] = next
        }
        #expect(ids == stride(from: 25, through: 1, by: -2).map(String.init))
        #expect(try await core.badge(of: "ada") == 12 + 4)
    }

    @Test func theOldestAreDeletedReadOnesFirst() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "first")
        try await core.tell("ada", key: "second")
        try await core.call(as: "ada", "notifications.read", ["notification": "2"])
        try await core.store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO notification (person, key, kind, time, text, destination, state, silent)
                    SELECT (SELECT number FROM person WHERE id = 'ada'), i, 'notice', 0, '', '', 'unread', 0 FROM n
                    """, arguments: [Notifications.maximumKept])
        }
        try await core.tell("ada", key: "one more")
        try await core.tell("ada", key: "another")
        let ids = try await core.store.read { db in
            try Int64.fetchAll(db, sql: "SELECT number FROM notification ORDER BY number")
        }
        #expect(ids.count == Notifications.maximumKept)
        // Deleted are the read one and the oldest that was shown. The first stays because it is still new.
        #expect(ids.prefix(2) == [1, 4])
    }

    @Test func notificationsOfAnotherPersonAreNotFound() async throws {
        let core = try await Self.world()
        try await core.tell("ada", key: "a", .open("https://example.org"))
        for method in ["get", "open", "read", "act", "remove"] {
            let error = try await core.error(as: "bob", "notifications.\(method)", ["notification": "1"])
            let absent = try await core.error(as: "bob", "notifications.\(method)", ["notification": "7"])
            #expect(error?.code == .notFound)
            #expect(error?.message.replacing("1", with: "7") == absent?.message)
        }
        #expect(try await core.call(as: "bob", "notifications.list")["notifications"].elements.isEmpty)
        #expect(try await states(core, of: "ada") == ["new"])
    }

    @Test func aRemovedNotificationIsNotSentAgain() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill")
        try await core.followers.catchUp()
        try await core.call(as: "ada", "notifications.remove", ["notification": "1"])
        try await core.log(.dwell, "mill", at: 60)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").isEmpty)
    }

    private static let kinds: JSONValue = [
        "friend", "follower", "sight", "suggestion", "heart", "review", "flag", "plan", "change", "task", "vote",
        "ballot", "question", "verdict", "notice",
    ]

    @Test func omittedRulesKeepTheirValues() async throws {
        let core = try await Self.world()
        let initial = try await core.call(as: "ada", "notifications.rules")
        #expect(
            initial == [
                "kinds": Self.kinds, "all_kinds": Self.kinds,
                "events": ["approach", "enter", "dwell"], "categories": [], "excluded_categories": [], "once": true,
                "cool_down": 0,
            ])
        try await core.call(
            as: "ada", "notifications.setRules",
            ["kinds": ["sight"], "quiet": "22:00-07:00", "zone": "Europe/Amsterdam", "categories": ["a", "b"]])
        let changed = try await core.call(as: "ada", "notifications.setRules", ["quiet": "23:00-07:00", "once": false])
        #expect(
            changed == [
                "kinds": ["sight"], "all_kinds": Self.kinds, "events": ["approach", "enter", "dwell"],
                "categories": ["a", "b"],
                "excluded_categories": [], "quiet": "23:00-07:00", "zone": "Europe/Amsterdam", "once": false,
                "cool_down": 0,
            ])
        #expect(try await core.call(as: "ada", "notifications.rules") == changed)
        #expect(try await core.call(as: "bob", "notifications.rules") == initial)
        let loud = try await core.call(as: "ada", "notifications.setRules", ["quiet": ""])
        #expect(loud["quiet"] == nil)
        #expect(loud["zone"] == nil)
    }

    @Test func kindsThatAPersonTurnedOffAreNotStored() async throws {
        let core = try await Self.world()
        try await core.call(as: "ada", "notifications.setRules", ["kinds": ["sight", "friend"]])
        #expect(try await !core.tell("ada", .notice, key: "a"))
        #expect(try await core.tell("ada", .friend, key: "a"))
        #expect(try await core.badge(of: "ada") == 1)
    }
}
