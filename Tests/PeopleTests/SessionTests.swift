import Callers
import Daemon
import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Service

@Suite struct SessionTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("bob")
    }

    private func signIn(_ connection: Principal = CoreFixture.connection()) async throws -> Principal {
        try await core.call(
            "people.signIn", ["account": "ada.l", "password": "analytical engine"], from: connection)
        return connection
    }

    @Test func signingOutEndsOnlyThatSession() async throws {
        let (first, token) = try await core.admit()
        let second = try await signIn()
        #expect(try await core.call("people.signOut", [:], from: first)["ended"] == 1)
        #expect(first.person == nil)
        #expect(second.person == "ada.l")
        #expect(try await core.error("people.profile", [:], from: first)?.code == .notAllowed)
        let resumed = try await core.error("people.resume", ["token": .string(token)], from: CoreFixture.connection())
        #expect(resumed?.code == .notAllowed)
    }

    @Test func signingOutEverywhereEndsAllSessionsAndLinksAtOnce() async throws {
        let (first, token) = try await core.admit()
        let (second, linked) = (try await signIn(), try await signIn(CoreFixture.connection(user: 1001)))
        try await core.call("people.linkUser", [:], from: linked)
        let bob = CoreFixture.connection(as: "bob")
        #expect(try await core.call("people.signOut", ["everywhere": true], from: first)["ended"] == 3)
        #expect(first.person == nil)
        #expect(second.person == nil)
        #expect(linked.person == nil)
        #expect(bob.person == "bob")
        let next = CoreFixture.connection(user: 1001)
        core.features.accounts.connections.enter(next)
        #expect(next.person == nil)
        let resumed = try await core.error("people.resume", ["token": .string(token)], from: next)
        #expect(resumed?.code == .notAllowed)
    }

    @Test func changingThePasswordEndsAllOtherSessions() async throws {
        let (first, _) = try await core.admit()
        let second = try await signIn()
        let parameters: JSONObject = [
            "current": "analytical engine", "new": "difference engine", "again": "difference engine",
        ]
        #expect(try await core.call("people.setPassword", parameters, from: first)["ended"] == 1)
        #expect(first.person == "ada.l")
        #expect(second.person == nil)
        let old: JSONObject = ["account": "ada.l", "password": "analytical engine"]
        #expect(try await core.error("people.signIn", old, from: second)?.code == .notAllowed)
    }

    @Test func changingAPasswordNeedsTheCurrentOneIfThereIsOne() async throws {
        let first: JSONObject = ["new": "correct horse", "again": "correct horse"]
        try await core.call(as: "bob", "people.setPassword", first)
        var next: JSONObject = ["new": "battery staple", "again": "battery staple"]
        #expect(try await core.error(as: "bob", "people.setPassword", next)?.code == .notAllowed)
        next["current"] = "correct  horse"
        #expect(try await core.error(as: "bob", "people.setPassword", next)?.code == .notAllowed)
        next["current"] = "correct horse"
        try await core.call(as: "bob", "people.setPassword", next)
    }

    @Test func aMailedCodeResetsAForgottenPasswordOnce() async throws {
        let (connection, _) = try await core.admit()
        var next: JSONObject = ["new": "battery staple", "again": "battery staple", "code": "000000"]
        #expect(try await core.error("people.setPassword", next, from: connection)?.code == .notAllowed)
        try await core.call("people.sendCode", ["account": "ada.l"], from: connection)
        let code = try core.code(to: "ada@example.com")
        next["code"] = .string(code == "999999" ? "000000" : "999999")
        #expect(try await core.error("people.setPassword", next, from: connection)?.code == .notAllowed)
        next["code"] = .string(code)
        try await core.call("people.setPassword", next, from: connection)
        #expect(try await core.error("people.setPassword", next, from: connection)?.code == .notAllowed)
        let elsewhere = CoreFixture.connection()
        try await core.call(
            "people.signIn", ["account": "ada.l", "password": "battery staple"], from: elsewhere)
        #expect(elsewhere.person == "ada.l")
    }

    @Test func withoutAPasswordSigningOutMailsOneFirst() async throws {
        let connection = CoreFixture.connection()
        try await core.call("people.sendCode", ["account": "bob"], from: connection)
        let code = try core.code(to: "bob@example.org")
        try await core.call("people.signIn", ["account": "bob", "code": .string(code)], from: connection)
        #expect(try await core.error("people.signOut", [:], from: connection)?.code == .conflict)
        #expect(connection.person == "bob")
        try await core.call("people.signOut", ["generate": true], from: connection)
        #expect(connection.person == nil)
        let password = try #require(
            try core.mail(to: "bob@example.org").split(separator: "\n").first { $0.hasPrefix("    ") })
        let parameters: JSONObject = ["account": "bob", "password": .string(String(password.dropFirst(4)))]
        try await core.call("people.signIn", parameters, from: connection)
        #expect(connection.person == "bob")
    }

    @Test func sessionsAreListedAndEndedOneByOne() async throws {
        let (first, _) = try await core.admit()
        let second = try await signIn()
        let sessions = try await core.call("people.sessions", [:], from: first)["sessions"].elements
        #expect(sessions.count == 2)
        let other = try #require(sessions.first { $0["current"] == false }?["id"])
        #expect(try await core.error(as: "bob", "people.endSession", ["id": other])?.code == .notFound)
        #expect(second.person == "ada.l")
        try await core.call("people.endSession", ["id": other], from: first)
        #expect(second.person == nil)
        #expect(first.person == "ada.l")
    }

    @Test func sessionsAreLimitedAndExpireWhenUnused() async throws {
        try await core.store.write { db in
            let number = try People.get("bob", in: db).number
            let tokens = try (0...Sessions.maximumCount).map { _ in
                try Sessions.open(
                    for: number, in: BrowserName(userAgent: nil), at: core.clock.time, in: db
                ).token
            }
            #expect(try Sessions.find(tokens[0], at: core.clock.time, in: db) == nil)
            #expect(try Sessions.find(tokens[1], at: core.clock.time, in: db)?.person.id == "bob")
            #expect(try Sessions.find(tokens[1], at: core.clock.time + Sessions.lifetime, in: db) == nil)
        }
    }

    @Test func aLinkedUserActsAsTheirPerson() async throws {
        let connections = core.features.accounts.connections
        let (waiting, other) = (CoreFixture.connection(), CoreFixture.connection(user: 1001))
        connections.enter(waiting)
        connections.enter(other)
        let (first, _) = try await core.admit()
        try await core.call("people.linkUser", [:], from: first)
        #expect(waiting.person == "ada.l")
        #expect(other.person == nil)
        // The link also holds after a restart.
        let restarted = LiveConnections()
        try restarted.load(from: core.store)
        let next = CoreFixture.connection()
        restarted.enter(next)
        #expect(next.person == "ada.l")
        try await core.call("people.unlinkUser", [:], from: first)
        #expect(waiting.person == nil)
        #expect(first.person == "ada.l")
        let last = CoreFixture.connection()
        connections.enter(last)
        #expect(last.person == nil)
    }

    @Test func aRemovedAccountEndsItsSessionsAndItsNameStaysTaken() async throws {
        let (first, token) = try await core.admit()
        let second = try await signIn()
        try await core.call(as: "bob", "people.follow", ["person": "ada.l"])
        #expect(try await core.error("people.remove", [:], from: first)?.code == .notAllowed)
        try await core.call("people.remove", ["password": "analytical engine"], from: first)
        #expect(first.person == nil)
        #expect(second.person == nil)
        #expect(try await core.error("people.get", ["person": "ada.l"])?.code == .notFound)
        #expect(try await core.call(as: "bob", "people.following")["count"] == 0)
        #expect(try await core.error("people.resume", ["token": .string(token)])?.code == .notAllowed)
        let taken = try await core.error("people.signUp", CoreFixture.ada)
        #expect(taken?.code == .conflict)
        #expect(taken?.message.contains("cannot be used again") == true)
        var again = CoreFixture.ada
        again["username"] = nil
        #expect(try await core.call("people.signUp", again)["id"].text == "ada-lovelace")
    }

    @Test func noSecretIsStoredInPlainText() async throws {
        var secrets = ["analytical engine", "difference engine"]
        let connection = CoreFixture.connection()
        let ticket = try #require(
            try await core.call("people.signUp", CoreFixture.ada, from: connection)["ticket"].text)
        let code = try core.code(to: "ada@example.com")
        secrets += [ticket, code]
        let answer = try await core.call(
            "people.prove", ["ticket": .string(ticket), "code": .string(code)], from: connection)
        secrets.append(try #require(answer["token"].text))
        try await core.call("people.sendCode", ["account": "ada.l"], from: connection)
        secrets.append(try core.code(to: "ada@example.com"))
        let parameters: JSONObject = [
            "current": "analytical engine", "new": "difference engine", "again": "difference engine",
        ]
        try await core.call("people.setPassword", parameters, from: connection)
        try await core.call("people.sendCode", ["account": "bob"])
        let bob = CoreFixture.connection()
        secrets.append(try core.code(to: "bob@example.org"))
        try await core.call(
            "people.signIn", ["account": "bob", "code": .string(try core.code(to: "bob@example.org"))], from: bob)
        try await core.call("people.signOut", ["generate": true], from: bob)
        let line = try #require(
            try core.mail(to: "bob@example.org").split(separator: "\n").first { $0.hasPrefix("    ") })
        secrets.append(String(line.dropFirst(4)))
        try await core.call(as: "bob", "friends.request", ["person": "ada.l"])

        // The mails are sent, so their texts are deleted.
        let folder = try TemporaryFolder()
        var settings = AccountSettings()
        settings.mailFile = folder.file("mails")
        try await MailDelivery(core.context, Accounts(settings: settings)).deliver()

        let texts = try await core.store.read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
            return try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"").flatMap { row in
                    row.databaseValues.map { value in "\(table): \(Self.text(value))" }
                }
            }
        }
        #expect(texts.contains { $0.hasPrefix("session: ") } && texts.contains { $0.hasPrefix("event: ") })
        for secret in secrets {
            let found = texts.filter { $0.contains(secret) }
            #expect(found.isEmpty, "\(found)")
        }
        for event in core.liveState.told {
            let line = String(decoding: event.line, as: UTF8.self)
            #expect(!secrets.contains { line.contains($0) })
        }
    }

    private static func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .blob(let data): String(decoding: data, as: UTF8.self) + data.base64EncodedString()
        case .null: ""
        case .string(let text): text
        // A code is stored as text, so numbers are not searched.
        case .int64, .double: ""
        }
    }
}

extension Timestamp {
    fileprivate static func + (time: Timestamp, milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + milliseconds)
    }
}
