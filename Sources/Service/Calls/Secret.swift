import Crypto
package import Foundation

/// Random secrets, and what is kept of them.
package enum Secret {
    /// A new secret of 256 random bits: 43 letters, digits, `-` and `_`.
    package static func token() -> String {
        Data(random(32)).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// What is kept of a token: its SHA-256, by which it is found.
    ///
    /// A token is as random as the digest is long, so that neither salt nor slowness would protect it better.
    package static func digest(_ token: String) -> Data { Data(SHA256.hash(data: Data(token.utf8))) }

    /// A new password, to be typed: 16 letters and digits that nobody confuses, 79 bits, in groups of four.
    package static func password() -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<4).map { _ in
            String((0..<4).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
        return groups.joined(separator: "-")
    }

    /// So many random bytes of the system's generator, which is made for secrets.
    package static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Whether two digests are the same, said after the same time wherever they differ.
    package static func areEqual(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
