import CryptoExtras
import Foundation
import Service

/// What is kept of a password: `$scrypt$ln=15,r=8,p=1$SALT$HASH`, salt and hash in base 64 without padding.
///
/// How it was made stands in it, so that passwords kept by other parameters stay good.
/// - SeeAlso: RFC 7914; the form is that of the password hashing competition's string format.
package struct PasswordText: Hashable, Sendable {
    /// What scrypt costs.
    package struct Parameters: Hashable, Sendable {
        /// The binary logarithm of how many blocks are mixed.
        var logRounds: Int
        /// How large a block is, in 128 bytes.
        var blockSize: Int
        /// How often that is done.
        var parallelism: Int

        /// 32 MiB: twice what the author of scrypt names for signing in, and bearable on a small board.
        ///
        /// - SeeAlso: Percival, *Stronger Key Derivation via Sequential Memory-Hard Functions*, BSDCan 2009.
        static let standard = Parameters(logRounds: 15, blockSize: 8, parallelism: 1)

        /// What may stand in a text: at most 64 MiB, so that no text makes the memory grow.
        var isBounded: Bool {
            (1...16).contains(logRounds) && (1...8).contains(blockSize) && (1...16).contains(parallelism)
        }
    }

    package let parameters: Parameters
    private let salt: Data
    private let hash: Data

    private static let saltLength = 16
    private static let hashLength = 32

    /// What is to be kept of a password, which takes as long as the parameters say.
    package init(_ password: String, _ parameters: Parameters) throws {
        self.parameters = parameters
        salt = Data(Secret.random(Self.saltLength))
        hash = try Self.hash(password, salt: salt, parameters)
    }

    /// Reads what was kept; nil where it is nothing of the kind.
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

    /// The text to be kept.
    package var text: String {
        let costs = "ln=\(parameters.logRounds),r=\(parameters.blockSize),p=\(parameters.parallelism)"
        return "$scrypt$\(costs)$\(Self.base64(salt))$\(Self.base64(hash))"
    }

    /// Whether it was made of this password, which takes as long as making it.
    func matches(_ password: String) throws -> Bool {
        Secret.areEqual(try Self.hash(password, salt: salt, parameters), hash)
    }

    private static func hash(_ password: String, salt: Data, _ parameters: Parameters) throws -> Data {
        // The same letters are the same password, however a keyboard composes them.
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
