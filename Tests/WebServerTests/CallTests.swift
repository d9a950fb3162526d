import Callers
import EventStream
import RPC
import Synchronization
import Testing

@testable import WebServer

/// Calls over HTTP, and the sessions for which they are made.
@Suite struct CallTests {
    /// The sessions of a single person.
    final class Sessions: Sendable {
        let open = Mutex<Set<String>>([])
        let callers = Mutex<[Principal]>([])
    }

    private let sessions = Sessions()

    private func services() async throws -> WebServer.Services {
        var methods = MethodTable<Principal>(title: "Test", version: "1")
        methods.add([
            Method(
                "whoami", "Who calls.", answers: .object { Member.optional("person", .text, "Who.") { $0 } },
                right: .read
            ) { $0.caller.person },
            Method(
                "signIn", "Signs in.", Parameter<String>.required("password", .string, "It."),
                answers: .object { Member("token", .text, "What one is known by.") { $0 } }, right: .read
            ) { [sessions] call, password in
                guard password == "right" else { throw Refusal.notAllowed("The password is wrong.") }
                sessions.open.withLock { _ = $0.insert("secret") }
                call.caller.identity = .init(person: "ada", session: "1")
                return "secret"
            },
            Method("signOut", "Signs out.", answers: .boolean, right: .person) { [sessions] call in
                sessions.open.withLock { $0 = [] }
                for caller in sessions.callers.withLock({ $0 }) { caller.identity = nil }
                call.caller.identity = nil
                return true
            },
            Method(
                "token.give", "Another token.", answers: .object { Member("token", .text, "It.") { $0 } }, right: .read
            ) { _ in "of a link" },
        ])
        let keeping = SessionResumption(methods: ["signIn"]) { [sessions] token, caller in
            guard sessions.open.withLock({ $0.contains(token) }) else { return false }
            sessions.callers.withLock { $0.append(caller) }
            caller.identity = .init(person: "ada", session: "1")
            return true
        }
        return WebServer.Services(
            methods: methods, hub: try await EventHub(journal: NoJournal()), sessions: keeping)
    }

    private let json = "Content-Type: application/json"

    @Test func aSessionIsACookieHiddenFromScripts() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            let own = "Origin: http://\(door.host)"
            func call(_ method: String, _ parameters: String = "{}", _ fields: [String] = []) async throws -> HTTPAnswer
            {
                try await door.ask(
                    "POST /rpc", [json, own] + fields,
                    body: Array(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#.utf8))
            }
            let wrong = try await call("signIn", #"{"password":"wrong"}"#)
            #expect(wrong.status == 200)
            #expect(wrong.text.contains(#""code":2"#))
            #expect(wrong.fields["set-cookie"] == nil)
            let right = try await call("signIn", #"{"password":"right"}"#)
            #expect(right.text == #"{"jsonrpc":"2.0","id":1,"result":{}}"# + "\n")
            let cookie = try #require(right.fields["set-cookie"])
            #expect(
                cookie.hasPrefix("waymark=secret; ") && cookie.contains("HttpOnly")
                    && cookie.contains("SameSite=Strict"))
            #expect(right.fields["cache-control"] == "no-store")
            let held = "Cookie: a=b; waymark=secret"
            let answer1 = try await call("whoami", "{}", [held]).text.contains(#""person":"ada""#)
            #expect(answer1)
            let answer2 = try await call("whoami").text.contains("ada")
            #expect(!answer2)
            // A call that another site makes the browser send is refused.
            let foreign = try await door.ask(
                "POST /rpc", [json, held, "Origin: http://evil.example"],
                body: Array(#"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#.utf8))
            #expect(foreign.status == 403)
            let unknown = try await door.ask(
                "POST /rpc", [json, held], body: Array(#"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#.utf8))
            #expect(unknown.status == 403)
            #expect(unknown.text.contains("\"Origin: http://"))
            let out = try await call("signOut", "{}", [held])
            #expect(out.fields["set-cookie"]?.contains("Max-Age=0") == true)
            let late = try await call("whoami", "{}", [held])
            #expect(!late.text.contains("ada"))
            #expect(late.fields["set-cookie"]?.contains("Max-Age=0") == true)
            let answer3 = try await call("token.give").text.contains("of a link")
            #expect(answer3)
        }
    }

    @Test func aSessionThatEndsElsewhereEndsAtTheDoor() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            sessions.open.withLock { $0 = ["secret"] }
            let body = Array(#"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#.utf8)
            let fields = [json, "Origin: http://\(door.host)", "Cookie: waymark=secret"]
            let answer4 = try await door.ask("POST /rpc", fields, body: body).text.contains("ada")
            #expect(answer4)
            // The door uses the session that it keeps and does not check it again.
            sessions.open.withLock { $0 = [] }
            let answer5 = try await door.ask("POST /rpc", fields, body: body).text.contains("ada")
            #expect(answer5)
            for caller in sessions.callers.withLock({ $0 }) { caller.identity = nil }
            let answer6 = try await door.ask("POST /rpc", fields, body: body).text.contains("ada")
            #expect(!answer6)
        }
    }

    @Test func onlyValidCallsAreAccepted() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            func status(_ line: String, _ fields: [String], _ body: String) async throws -> Int {
                try await door.ask(line, fields, body: Array(body.utf8)).status
            }
            let call = #"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#
            let answer7 = try await status("POST /rpc", [json], call) == 200
            #expect(answer7)
            let answer8 = try await status("POST /rpc", ["Content-Type: application/json; charset=utf-8"], call) == 200
            #expect(answer8)
            let answer9 = try await status("POST /rpc", ["Content-Type: text/plain"], call) == 415
            #expect(answer9)
            let answer10 = try await status("POST /rpc", [], call) == 415
            #expect(answer10)
            let answer11 = try await status("GET /rpc", [], "") == 405
            #expect(answer11)
            let answer12 = try await status("POST /rpc", [json], #"{"jsonrpc":"2.0","method":"whoami"}"#) == 204
            #expect(answer12)
            let wrong = try await door.ask("POST /rpc", [json], body: Array("nonsense".utf8))
            #expect(wrong.status == 200)
            #expect(wrong.text.contains("-32700"))
            let batch = try await door.ask(
                "POST /rpc", [json],
                body: Array(#"[{"jsonrpc":"2.0","id":1,"method":"signIn","params":{"password":"right"}}]"#.utf8))
            #expect(batch.text.contains("-32600"))
            #expect(batch.fields["set-cookie"] == nil)
            let large = try await door.ask("POST /rpc", [json], body: Array(repeating: 32, count: 1 << 20 + 1))
            #expect(large.status == 413)
        }
    }
}
