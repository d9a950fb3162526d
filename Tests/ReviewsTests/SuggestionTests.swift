import Daemon
import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import Testing
import TextCoding
import Time
import Tracking

@testable import Notifications
@testable import Reviews
@testable import Service
@testable import Sights

@Suite struct SuggestionTests {
    private let core: CoreFixture
    private let secrets = SecretKind()

    /// Ada follows bob and is a friend of cai; nobody follows dan.
    init() async throws {
        core = try CoreFixture(kinds: [secrets])
        try core.people("ada", "bob", "cai", "dan")
        _ = try core.store.importSights(
            [
                Sight(id: "mill", title: "Mill & <i>Co</i>", place: fix(0).coordinate)
            ] + (0..<6).map { Sight(id: "s\($0)", title: "S\($0)", place: fix(0).coordinate) })
        try await core.store.write { db in
            for (table, one, other) in [
                ("follow", "ada", "bob"), ("follow", "dan", "bob"), ("friend", "ada", "cai"), ("friend", "cai", "ada"),
            ] {
                try db.execute(
                    sql: """
                        INSERT INTO \(table) SELECT a.number, b.number, 0 FROM person AS a, person AS b
                        WHERE a.id = ? AND b.id = ?
                        """, arguments: [one, other])
            }
        }
    }

    @discardableResult
    private func send(
        _ subject: String, to recipient: String = "bob", from sender: String = "ada", _ text: String? = nil
    ) async throws -> JSONValue {
        var parameters: JSONObject = ["subject": .string(subject), "to": .string(recipient)]
        parameters["text"] = text.map { .string($0) }
        return try await core.call(as: sender, "suggestions.send", parameters)
    }

    private func refusal(
        _ subject: String, to recipient: String = "bob", from sender: String = "ada"
    ) async throws -> RPCError? {
        try await core.error(
            as: sender, "suggestions.send", ["subject": .string(subject), "to": .string(recipient)])
    }

    private func subjects(_ person: String, _ box: String) async throws -> [String] {
        let list = try await core.call(as: person, "suggestions.list", ["box": .string(box)])
        return list["suggestions"].elements.compactMap { $0["subject"].text }
    }

    /// Returns the notifications sent: recipient, text and destination.
    private func told() throws -> [[String]] {
        try core.liveState.notifications.map { event in
            let json = try JSONValue(parsing: event.line.span)
            let notification = json["notification"]
            #expect(notification?["kind"] == "suggestion")
            return [event.recipient ?? "", notification?["text"].text ?? "", notification?["destination"].text ?? ""]
        }
    }

    @Test func aSuggestionReachesFollowedPeopleAndFriends() async throws {
        let sent = try await send("sight/mill", "Go <b>there</b>!\n")
        #expect(
            sent == [
                "id": "1", "subject": "sight/mill", "title": "Mill & <i>Co</i>", "text": "Go <b>there</b>!",
                "time": "2026-05-01T10:00:00.000Z",
                "to": ["id": "bob", "name": "Bob Test", "following": true, "friend": false],
            ])
        try await send("sight/mill", to: "cai")
        let bold = "<b>Mill &amp; &lt;i&gt;Co&lt;/i&gt;</b>"
        #expect(
            try told() == [
                ["bob", "ada suggests \(bold).", "waymark://sight/mill"],
                ["cai", "ada suggests \(bold).", "waymark://sight/mill"],
            ])
        let received = try await core.call(as: "bob", "suggestions.list")["suggestions"].elements
        #expect(received.first?["from"] == ["id": "ada", "name": "Ada Test", "following": false, "friend": false])
        #expect(received.count == 1 && received.first?["to"] == nil)
        #expect(try await subjects("ada", "sent") == ["sight/mill", "sight/mill"])
        #expect(try await subjects("ada", "received").isEmpty)
        #expect(try await subjects("dan", "received").isEmpty)
    }

    @Test func suggestionsToOthersAreRefusedWithoutNotification() async throws {
        #expect(try await refusal("sight/mill", to: "dan")?.code == .notAllowed)
        // Being followed is not enough.
        #expect(try await refusal("sight/mill", to: "ada", from: "bob")?.code == .notAllowed)
        #expect(try await refusal("sight/mill", to: "ada")?.data?["field"] == "to")
        #expect(try await refusal("sight/mill", to: "nobody")?.code == .notFound)
        #expect(try await refusal("sight/none")?.code == .notFound)
        #expect(try told().isEmpty)
    }

    @Test func aSubjectTheRecipientMayNotSeeIsNotFound() async throws {
        #expect(try await refusal("secret/1", to: "cai") == RPCError(.notFound, "There is no secret 1."))
        #expect(try await refusal("secret/1", from: "dan") == RPCError(.notFound, "There is no secret 1."))
        #expect(try told().isEmpty)
        try await send("secret/1")
        #expect(try await subjects("bob", "received") == ["secret/1"])
        secrets.confidants = ["ada"]
        #expect(try await subjects("bob", "received").isEmpty)
        #expect(try await subjects("ada", "sent") == ["secret/1"])
    }

    @Test func aSubjectIsSuggestedToAPersonOnce() async throws {
        let id = try #require(try await send("sight/mill")["id"])
        #expect(try await refusal("sight/mill")?.code == .conflict)
        try await send("sight/mill", from: "dan")
        // A dismissed suggestion cannot be sent again.
        _ = try await core.call(as: "bob", "suggestions.remove", ["suggestion": id])
        #expect(try await subjects("bob", "received") == ["sight/mill"])
        #expect(try await subjects("ada", "sent") == ["sight/mill"])
        #expect(try await refusal("sight/mill")?.code == .conflict)
        #expect(try told().count == 2)
    }

    @Test func aWithdrawnSuggestionIsGoneForBothAndCanBeSentAgain() async throws {
        let id = try #require(try await send("sight/mill")["id"])
        #expect(try await core.error(as: "cai", "suggestions.remove", ["suggestion": id])?.code == .notFound)
        #expect(try await core.call(as: "ada", "suggestions.remove", ["suggestion": id]) == ["id": id])
        #expect(try await subjects("bob", "received").isEmpty)
        #expect(try await subjects("ada", "sent").isEmpty)
        for person in ["ada", "bob"] {
            #expect(try await core.error(as: person, "suggestions.remove", ["suggestion": id])?.code == .notFound)
        }
        #expect(try await send("sight/mill")["id"] != id)
        #expect(try await subjects("bob", "received") == ["sight/mill"])
    }

    @Test func suggestionsToOnePersonAreLimited() async throws {
        #expect(RateLimit.suggestion.maximum == 5)
        for number in 0..<5 {
            let id = try #require(try await send("sight/s\(number)")["id"])
            // Withdrawing a suggestion does not reset the limit.
            if number == 2 { _ = try await core.call(as: "ada", "suggestions.remove", ["suggestion": id]) }
        }
        #expect(try await refusal("sight/s5")?.code == .unavailable)
        // Suggestions to another person, or from another, have limits of their own.
        try await send("sight/s5", to: "cai")
        try await send("sight/s5", from: "dan")
        core.clock.time = core.clock.time.advanced(byMilliseconds: Timestamp.millisecondsPerDay)
        try await send("sight/s5")
    }

    @Test func listsAreReturnedInPages() async throws {
        for number in 0..<5 { try await send("sight/s\(number)") }
        for (person, box) in [("bob", "received"), ("ada", "sent")] {
            var after: JSONValue?
            var paged: [String] = []
            repeat {
                var parameters: JSONObject = ["box": .string(box), "limit": 2]
                parameters["after"] = after
                let page = try await core.call(as: person, "suggestions.list", parameters)
                paged += page["suggestions"].elements.compactMap { $0["subject"].text }
                after = page["next"]
            } while after != nil
            #expect(paged == (0..<5).reversed().map { "sight/s\($0)" })
        }
    }

    /// Brings a person near a sight; returns whether they are notified.
    private func comeNear(_ id: String, _ person: String, at seconds: Double) async throws -> Bool {
        try await core.context.editor.change { [core] db, consequences in
            let viewer = Viewer(person: person)
            guard
                let subject = try core.context.subjects.find(SubjectID(kind: "sight", id: id), for: viewer, in: db)
            else { return false }
            guard let near = try Suggestions.near(person, subject, at: moment(seconds), in: db),
                try Notifications.add(near.draft, in: db, &consequences)
            else { return false }
            try Suggestions.markNear(near.suggestions, at: moment(seconds), in: db)
            return true
        }
    }

    @Test func comingNearNotifiesOncePerSuggestion() async throws {
        try await send("sight/mill")
        try await send("sight/mill", to: "cai")
        try await send("sight/mill", from: "dan")
        #expect(try await !comeNear("s0", "bob", at: 5))
        #expect(try await comeNear("mill", "bob", at: 10))
        #expect(try await !comeNear("mill", "bob", at: 20))
        let bold = "<b>Mill &amp; &lt;i&gt;Co&lt;/i&gt;</b>"
        #expect(
            try told().dropFirst(3) == [
                ["bob", "You are near \(bold), which ada and another suggested.", "waymark://sight/mill"]
            ])
        // Only the recipient sees when that was.
        let received = try await core.call(as: "bob", "suggestions.list")["suggestions"].elements
        #expect(received.map { $0["near"] } == ["2026-05-01T10:00:10.000Z", "2026-05-01T10:00:10.000Z"])
        let sent = try await core.call(as: "ada", "suggestions.list", ["box": "sent"])["suggestions"].elements
        #expect(sent.count == 2 && sent.allSatisfy { $0["near"] == nil })
        // A suggestion that arrived later is notified at the next approach.
        #expect(try await comeNear("mill", "cai", at: 30))
        #expect(try told().last?[1] == "You are near \(bold), which ada suggested.")
    }

    @Test func anEventOfTheirDeviceCountsAsComingNear() async throws {
        try await send("sight/mill")
        try await core.store.write { db in
            try db.execute(sql: "INSERT INTO carried SELECT 'van', number FROM person WHERE id = 'bob'")
        }
        let followers = LogConsumers(core.context, core.features.consumers)
        for seconds in [10.0, 20] {
            var json = JSONWriter()
            json.member("type", "geofence.enter")
            json.place(fix(0).coordinate)
            let event = EventRecord(
                time: moment(seconds), type: "geofence.enter", device: "van", subject: "sight/mill", members: json.bytes
            )
            _ = try await core.store.write { try EventLog.append([event], to: $0) }
            try await followers.catchUp()
        }
        let list = try await core.call(as: "bob", "notifications.list")["notifications"].elements
        let near = list.filter { $0["text"].text?.hasPrefix("You are near ") == true }
        #expect(near.count == 1)
        #expect(near.first?["kind"] == "suggestion" && near.first?["time"] == "2026-05-01T10:00:10.000Z")
        // The approach causes one notification, the one with the sender.
        #expect(!list.contains { $0["kind"] == "sight" && $0["time"] == "2026-05-01T10:00:10.000Z" })
    }

    @Test func dismissedAndWithdrawnSuggestionsAreNotNotifiedNearby() async throws {
        let one = try #require(try await send("sight/s0")["id"])
        let other = try #require(try await send("sight/s1")["id"])
        _ = try await core.call(as: "ada", "suggestions.remove", ["suggestion": one])
        _ = try await core.call(as: "bob", "suggestions.remove", ["suggestion": other])
        #expect(try await !comeNear("s0", "bob", at: 5))
        #expect(try await !comeNear("s1", "bob", at: 5))
        #expect(try told().count == 2)
    }

    @Test func theSharedTextNamesThePlaceAndTheLink() async throws {
        let words = try await core.call("subjects.share", ["subject": "sight/mill"], isGuest: true)
        #expect(
            words == [
                "subject": "sight/mill", "title": "Mill & <i>Co</i>", "link": "waymark://sight/mill",
                "text": "Mill & <i>Co</i>, at 52.37° N, 4.89° E: waymark://sight/mill",
            ])
        #expect(
            try await core.call(as: "ada", "subjects.share", ["subject": "secret/1"])["text"]
                == "Secret 1: waymark://secret/1")
        #expect(try await core.error(as: "cai", "subjects.share", ["subject": "secret/1"])?.code == .notFound)
    }
}
