import GRDB
import RPC
import Store
import Testing

@testable import EventStream
@testable import Service

extension CoreFixture {
    /// The parameters of someone who signs up.
    static let ada: JSONObject = [
        "first_name": "Ada", "last_name": "Lovelace", "username": "ada.l", "email": "ada@example.com",
        "email_again": "ada@example.com", "password": "analytical engine", "password_again": "analytical engine",
        "terms": true,
    ]

    /// What someone fills in who takes up an invitation.
    static let joining: JSONObject = [
        "first_name": "Dora", "last_name": "Deckhand", "password": "a long way", "password_again": "a long way",
        "terms": true,
    ]

    /// The text of the last mail to an address that waits in the outbox.
    func mail(to address: String) throws -> String {
        let body = try store.read { db in
            try String.fetchOne(
                db, sql: "SELECT body FROM mail WHERE recipient = ? ORDER BY number DESC LIMIT 1", arguments: [address])
        }
        return try #require(body, "no mail to \(address)")
    }

    /// The code in the last mail to an address.
    func code(to address: String) throws -> String {
        let line = try mail(to: address).split(separator: "\n").first {
            $0.trimmingPrefix(while: \.isWhitespace).allSatisfy(\.isNumber)
        }
        return String(try #require(line).trimmingPrefix(while: \.isWhitespace))
    }

    /// Another code of as many digits.
    func wrongCode(to address: String) throws -> String {
        let code = try code(to: address)
        return (code.first == "9" ? "0" : "9") + code.dropFirst()
    }

    /// Signs someone up and proves the address.
    ///
    /// - Returns: the connection through which they act, and the session's token.
    @discardableResult
    func admit(_ person: JSONObject = ada) async throws -> (connection: Principal, token: String) {
        let connection = Self.connection()
        let ticket = try await call("people.signUp", person, from: connection)["ticket"]
        let address = try #require(person["email"].text)
        let code = try code(to: address)
        let answer = try await call(
            "people.prove", ["ticket": try #require(ticket), "code": .string(code)], from: connection)
        return (connection, try #require(answer["token"].text))
    }

    /// How many accounts there are, and how many wait to be proven.
    func accounts() throws -> (people: Int, waiting: Int) {
        try store.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM person") ?? 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sign_up") ?? 0
            )
        }
    }
}
