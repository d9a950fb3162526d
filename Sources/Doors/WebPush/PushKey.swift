import Crypto
import Foundation
import GRDB
import RPC
import Store
import Time
import WebClient

/// The key pair by which push services know who sends a message: a browser gets messages only from the key that it
/// subscribed to (RFC 8292).
struct PushKey: Sendable {
    private let pair: P256.Signing.PrivateKey

    /// The public key as browsers and push services read it: 65 bytes in Base64 for URLs.
    let text: String

    /// How long a signature holds, in seconds; at most a day is allowed (RFC 8292, section 2).
    static let lifetime: Int64 = 12 * 3_600

    /// Creates a key pair, a new one by default.
    init(_ pair: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.pair = pair
        text = Base64URL.text(pair.publicKey.x963Representation)
    }

    /// Returns the value of the header `Authorization` for the push service at an address.
    ///
    /// - Parameter contact: The address at which the service reaches the sender, `mailto:…` or `https://…`.
    /// - Throws: ``WebFailure`` if it cannot be signed.
    func authorization(for url: WebURL, contact: String?, at now: Timestamp) throws(WebFailure) -> String {
        var claims: JSONObject = [
            "aud": .string(url.origin), "exp": .integer(now.milliseconds / 1000 + Self.lifetime),
        ]
        if let contact { claims["sub"] = .string(contact) }
        let parts: [JSONValue] = [["typ": "JWT", "alg": "ES256"], .object(claims)]
        let signed = parts.map { Base64URL.text(JSONText($0).bytes) }.joined(separator: ".")
        do {
            let signature = try pair.signature(for: Array(signed.utf8)).rawRepresentation
            return "vapid t=\(signed).\(Base64URL.text(signature)), k=\(text)"
        } catch {
            throw WebFailure("cannot be signed (\(error))")
        }
    }
}

extension PushKey {
    /// Returns the key pair of the store; `nil` if there is none yet.
    static func stored(in db: Database) throws -> PushKey? {
        let secret = try StoredRow.fetchOne(db, sql: "SELECT push_key.secret FROM push_key").map { $0[0] as Data }
        return secret.flatMap { try? P256.Signing.PrivateKey(rawRepresentation: $0) }.map { PushKey($0) }
    }

    /// Returns the key pair of the store, which makes it if there is none.
    static func make(in db: Database) throws -> PushKey {
        if let known = try stored(in: db) { return known }
        let made = PushKey()
        // One that is damaged is of no use.
        try db.execute(
            sql: "INSERT OR REPLACE INTO push_key VALUES (1, ?)", arguments: [made.pair.rawRepresentation])
        return made
    }
}
