import Callers
import Daemon
import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import Testing

@testable import People
@testable import Photos
@testable import Service

/// Calls that a client sends again, because it does not know whether the first one arrived.
@Suite struct RepeatedCallTests {
    private let core: CoreFixture
    private let plan: JSONValue
    private let subject: String
    private static let once = "2f1c6e0a-9d1b-4a53-8f61-0d1f7a1b2c3d"

    init() async throws {
        core = try CoreFixture()
        try core.people("ada", "bob")
        let made = try await core.call(as: "ada", "plans.create", ["title": "Once"])
        plan = try #require(made["id"])
        subject = "plan/\(try #require(made["id"].text))"
    }

    /// Sends a call with an id.
    private func send(
        _ method: String, _ parameters: JSONObject, once: String = Self.once, as person: String? = "ada"
    ) async -> Result<JSONText, RPCError> {
        await core.table.dispatch(
            Request(id: .integer(1), method: method, parameters: .named(parameters), once: once),
            from: CoreFixture.connection(as: person))
    }

    private func expense(_ title: String, amount: String = "3.00") -> JSONObject {
        ["plan": plan, "title": .string(title), "amount": .string(amount)]
    }

    private func titles() async throws -> [String?] {
        try await core.call(as: "ada", "expenses.list", ["plan": plan])["expenses"].elements.map { $0["title"].text }
    }

    @Test func aRepeatedCallChangesNothingAndGetsTheFirstAnswer() async throws {
        let first = try await send("expenses.add", expense("Bread")).get()
        for _ in 0..<3 { #expect(try await send("expenses.add", expense("Bread")).get() == first) }
        #expect(try await titles() == ["Bread"])
        // The same id is another person's own.
        try await core.call(as: "ada", "friends.request", ["person": "bob"])
        try await core.call(as: "bob", "friends.confirm", ["person": "ada"])
        try await core.call(as: "ada", "members.ask", ["plan": plan, "person": "bob"])
        try await core.call(as: "bob", "members.confirm", ["plan": plan])
        let other = try await send("expenses.add", expense("Bread"), as: "bob").get()
        #expect(other != first)
        #expect(try await titles().count == 2)
    }

    @Test func theAnswerIsStoredInTheTransactionOfTheChange() async throws {
        var answers: [String: JSONText] = [:]
        let added = try await core.call(as: "ada", "activities.add", ["plan": plan, "title": "Supper"])
        let item = try #require(added["id"])
        let calls: [(String, JSONObject)] = [
            ("expenses.add", expense("Tea")), ("locations.add", ["plan": plan, "name": "Quay"]),
            ("activities.update", ["activity": item, "note": "Late"]),
            ("reactions.set", ["subject": .string(subject), "kind": "like", "on": true]),
        ]
        for (number, call) in calls.enumerated() {
            let once = "\(number)-\(Self.once)"
            let before = core.context.editor.changeCount
            answers[once] = try await send(call.0, call.1, once: once).get()
            // A second change would mean that the answer was not stored with the first.
            #expect(core.context.editor.changeCount == before + 1, "\(call.0)")
        }
        let stored = try await core.store.read { db in
            try Row.fetchAll(db, sql: "SELECT id, answer FROM repeated_call").map {
                ($0["id"] as String, $0["answer"] as String)
            }
        }
        #expect(stored.count == calls.count)
        for (id, answer) in stored { #expect(answers[id].map { String(decoding: $0.bytes, as: UTF8.self) } == answer) }
    }

    @Test func anIDThatComesWithAnotherCallTellsTheFirstAnswer() async throws {
        let first = try await send("expenses.add", expense("Bread")).get()
        let error = await #expect(throws: RPCError.self) {
            try await send("expenses.add", expense("Bread", amount: "4.00")).get()
        }
        #expect(error?.code == .conflict)
        #expect(error?.data?["reason"] == "repeated")
        let known = try JSONValue(parsing: first.bytes.span)
        #expect(error?.data?["answer"] == known)
        #expect(try await titles() == ["Bread"])
    }

    @Test func aRefusedCallMayBeMadeAgainWithTheSameID() async throws {
        await #expect(throws: RPCError.self) { try await send("expenses.add", expense("Bread", amount: "none")).get() }
        _ = try await send("expenses.add", expense("Bread")).get()
        #expect(try await titles() == ["Bread"])
    }

    @Test func callsAtTheSameTimeMakeOneChange() async throws {
        let request = Request(
            id: .integer(1), method: "expenses.add", parameters: .named(expense("Bread")), once: Self.once)
        let table = core.table
        let results = await withTaskGroup(of: Result<JSONText, RPCError>.self) { group in
            for _ in 0..<8 { group.addTask { await table.dispatch(request, from: CoreFixture.connection(as: "ada")) } }
            var results: [Result<JSONText, RPCError>] = []
            for await result in group { results.append(result) }
            return results
        }
        #expect(Set(results.map { try? $0.get().bytes }).count == 1)
        #expect(try await titles() == ["Bread"])
    }

    @Test func callsAreForgottenAfterAWeekAndBeyondTheNewest() async throws {
        _ = try await send("expenses.add", expense("Bread")).get()
        core.clock.time = moment(7 * 24 * 3600 - 1)
        _ = try await send("expenses.add", expense("Bread")).get()
        #expect(try await titles().count == 1)
        core.clock.time = moment(7 * 24 * 3600)
        _ = try await send("expenses.add", expense("Bread")).get()
        #expect(try await titles().count == 2)
        let like: JSONObject = ["subject": .string(subject), "kind": "like", "on": true]
        for number in 0..<RepeatedCalls.maximumCount + 5 {
            _ = try await send("reactions.set", like, once: "number-\(number)-of-many").get()
        }
        let kept = try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM repeated_call") }
        #expect(kept == RepeatedCalls.maximumCount)
    }

    @Test func onlyChangesOfSignedInPeopleAreRepeated() async throws {
        for (method, person) in [("people.signOut", "ada"), ("links.create", "ada"), ("plans.get", "ada")]
            as [(String, String?)]
        {
            let parameters: JSONObject = method == "people.signOut" ? [:] : ["plan": plan]
            let error = await #expect(throws: RPCError.self) { try await send(method, parameters, as: person).get() }
            #expect(error?.code == .invalidValue, "\(method)")
        }
        try await core.call(as: "ada", "plans.publish", ["plan": plan, "published": true])
        await #expect(throws: RPCError.self) {
            try await send("reactions.set", ["subject": .string(subject), "kind": "like", "on": true], as: nil).get()
        }
    }

    @Test func aPhotoThatIsSentAgainIsThereOnce() async throws {
        let route = try #require(core.features.files.first { $0.path == ["photos"] })
        let receive = try #require(route.receive)
        let bytes = TestPicture.png(width: 8)
        func upload() async throws -> JSONText {
            let request = FileRoute.Request(
                call: Call(caller: CoreFixture.connection(as: "ada")), rest: [],
                parameters: ["subject": subject, "once": Self.once], length: bytes.count)
            let receiver = try await receive(request)
            try await receiver.write(bytes)
            return try await receiver.finish()
        }
        let first = try await upload()
        #expect(try await upload() == first)
        let photos = try await core.call(as: "ada", "photos.list", ["subject": .string(subject)])["photos"].elements
        #expect(photos.count == 1)
    }

    /// The pages keep the calls of the same methods, which `rpc.js` names by a regular expression.
    @Test func thePagesKeepWhatMayBeRepeated() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Doors/WebServer/Pages/rpc.js").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let declaration = try #require(text.firstMatch(of: /const WAITS = new RegExp\(([^;]*)\);/)?.1)
        let pattern = declaration.matches(of: /'([^']*)'/).map(\.1).joined().replacing(#"\\"#, with: #"\"#)
        let waits = try Regex(pattern)
        let names = core.table.methods.map(\.name)
        #expect(names.filter { $0.firstMatch(of: waits) != nil }.sorted() == RepeatedCalls.methods.sorted())
        #expect(RepeatedCalls.methods.isSubset(of: names))
    }
}
