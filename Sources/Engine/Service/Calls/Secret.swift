package import Foundation
import TextCoding

/// Generates random secrets, and computes the digests that are stored of them.
package enum Secret {
    /// Returns a new secret of 256 random bits: 43 letters, digits, `-` and `_`.
    package static func token() -> String { Base64.encodeForURL(random(32)) }

    /// Returns the SHA-256 of a token.
    ///
    /// The store holds the digest, and finds the token by it.
    ///
    /// A token has as many random bits as the digest, so neither a salt nor a slow hash would protect it better.
    package static func digest(_ token: String) -> Data { digest(Array(token.utf8)) }

    /// Returns the SHA-256 of bytes.
    package static func digest(_ bytes: [UInt8]) -> Data { Data(SHA256Hash.digest(bytes)) }

    /// Returns a new password that is easy to type: 16 letters and digits in groups of four, 79 random bits.
    ///
    /// Characters that look alike are excluded.
    package static func password() -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<4).map { _ in
            String((0..<4).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
        return groups.joined(separator: "-")
    }

    /// Returns `count` random bytes from the system's cryptographically secure generator.
    package static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns whether two digests are equal.
    ///
    /// The comparison takes the same time wherever they differ.
    package static func areEqual(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
