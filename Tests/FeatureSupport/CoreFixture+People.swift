package import Callers
import GRDB
package import RPC
import Store
import Testing

@testable import Service

extension CoreFixture {
    /// The parameters of `people.signUp` for Ada Lovelace.
    package static let ada: JSONObject = [
        "first_name": "Ada", "last_name": "Lovelace", "username": "ada.l", "email": "ada@example.com",
        "email_again": "ada@example.com", "password": "analytical engine", "password_again": "analytical engine",
        "terms": true,
    ]

    /// The parameters of `people.join` for Dora Deckhand, without the code.
    package static let joining: JSONObject = [
        "first_name": "Dora", "last_name": "Deckhand", "password": "a long way", "password_again": "a long way",
        "terms": true,
    ]

    /// Returns the text of the latest mail to an address in the outbox.
    package func mail(to address: String) throws -> String {
        let body = try store.read { db in
            try String.fetchOne(
                db, sql: "SELECT body FROM mail WHERE recipient = ? ORDER BY number DESC LIMIT 1", arguments: [address])
        }
        return try #require(body, "no mail to \(address)")
    }

    /// Returns the code in the latest mail to an address.
    package func code(to address: String) throws -> String {
        let line = try mail(to: address).split(separator: "\n").first {
            $0.trimmingPrefix(while: \.isWhitespace).allSatisfy(\.isNumber)
        }
        return String(try #require(line).trimmingPrefix(while: \.isWhitespace))
    }

    /// Returns a wrong code with as many digits as the right one.
    package func wrongCode(to address: String) throws -> String {
        let code = try code(to: address)
        return (code.first == "9" ? "0" : "9") + code.dropFirst()
    }

    /// Signs a person up and proves the address.
    ///
    /// - Returns: the person's connection, and the token of the session.
    @discardableResult
    package func admit(_ person: JSONObject = ada) async throws -> (connection: Principal, token: String) {
        let connection = Self.connection()
        let ticket = try await call("people.signUp", person, from: connection)["ticket"]
        let address = try #require(person["email"].text)
        let code = try code(to: address)
        let answer = try await call(
            "people.prove", ["ticket": try #require(ticket), "code": .string(code)], from: connection)
        return (connection, try #require(answer["token"].text))
    }

    /// Returns the number of accounts, and of sign-ups that wait for proof.
    package func accounts() throws -> (people: Int, waiting: Int) {
        try store.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM person") ?? 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sign_up") ?? 0
            )
        }
    }
}
