#if Companion
import CryptoExtras
import Foundation
import RPC
import Service

/// The stored form of a password: `$scrypt$ln=15,r=8,p=1$SALT$HASH`, with salt and hash in Base64 without padding.
///
/// The text contains its own cost parameters, so hashes made with other parameters stay valid.
///
/// - SeeAlso: RFC 7914 for scrypt. The form is that of the Password Hashing Competition's string format.
package struct PasswordText: Hashable, Sendable {
    /// The cost parameters of scrypt.
    package struct Parameters: Hashable, Sendable {
        /// The binary logarithm of the number of blocks (scrypt's *N*).
        var logRounds: Int
        /// The block size, in units of 128 bytes (scrypt's *r*).
        var blockSize: Int
        /// How many times the blocks are mixed independently (scrypt's *p*).
        var parallelism: Int

        /// Standard parameters, which take 32 MiB.
        ///
        /// That is twice what scrypt's author recommends for interactive logins, and bearable on a small board.
        ///
        /// - SeeAlso: Percival, *Stronger Key Derivation via Sequential Memory-Hard Functions*, BSDCan 2009.
        static let full = Parameters(logRounds: 15, blockSize: 8, parallelism: 1)

        /// The parameters of new passwords: ``full``, and in a debug build, whose scrypt is not optimised, a 32nd of it.
        ///
        /// A release build hashes the password of a debug build anew when its owner signs in.
        static var standard: Parameters {
            #if DEBUG
            var cheap = full
            cheap.logRounds = 10
            return cheap
            #else
            return full
            #endif
        }

        /// Whether a stored text may have these parameters.
        ///
        /// They take at most 64 MiB, so no text can exhaust the memory.
        var isBounded: Bool {
            (1...16).contains(logRounds) && (1...8).contains(blockSize) && (1...16).contains(parallelism)
        }
    }

    package let parameters: Parameters
    private let salt: Data
    private let hash: Data

    private static let saltLength = 16
    private static let hashLength = 32

    /// Hashes a password with a new random salt, at the cost of the parameters.
    package init(_ password: String, _ parameters: Parameters) throws {
        self.parameters = parameters
        salt = Data(Secret.random(Self.saltLength))
        hash = try Self.hash(password, salt: salt, parameters)
    }

    /// Parses a stored hash, or returns `nil` if the text is malformed or its parameters are out of bounds.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        var numbers: [Substring: Int] = [:]
        for part in parts[2].split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let number = Int(pair[1]) else { return nil }
            numbers[pair[0]] = number
        }
        guard let logRounds = numbers["ln"], let blockSize = numbers["r"], let parallelism = numbers["p"],
            let salt = Self.data(parts[3]), let hash = Self.data(parts[4]), hash.count == Self.hashLength
        else { return nil }
        parameters = Parameters(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
        guard parameters.isBounded else { return nil }
        self.salt = salt
        self.hash = hash
    }

    /// The text to store.
    package var text: String {
        let costs = "ln=\(parameters.logRounds),r=\(parameters.blockSize),p=\(parameters.parallelism)"
        return "$scrypt$\(costs)$\(Self.base64(salt))$\(Self.base64(hash))"
    }

    /// Whether the hash was made from this password.
    ///
    /// This takes as long as hashing the password.
    func matches(_ password: String) throws -> Bool {
        Secret.areEqual(try Self.hash(password, salt: salt, parameters), hash)
    }

    private static func hash(_ password: String, salt: Data, _ parameters: Parameters) throws -> Data {
        // Normalises the password, so that it is the same however a keyboard composes its characters.
        let bytes = Data(password.precomposedStringWithCanonicalMapping.utf8)
        let key = try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: hashLength, rounds: 1 << parameters.logRounds,
            blockSize: parameters.blockSize, parallelism: parameters.parallelism)
        // The bytes are copied within the closure, and no pointer leaves it.
        return unsafe key.withUnsafeBytes { unsafe Data($0) }
    }

    private static func base64(_ data: Data) -> String { data.base64EncodedString().replacing("=", with: "") }

    private static func data(_ text: Substring) -> Data? {
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
#endif
