import Foundation
import GRDB
import Service
import Time

/// A code that was mailed, which proves that the person who enters it can read the mail.
///
/// The code is short because people type it. It is therefore valid for a short time, for a few tries, and only for the
/// caller who requested it.
struct MailedCode: Hashable, Sendable {
    /// A random salt of 16 bytes, followed by the SHA-256 of the salt and the code.
    var saltedDigest: Data
    /// When the code was made.
    var made: Timestamp
    /// The number of wrong codes that were entered.
    var tries: Int

    /// How long a code is valid, in milliseconds: long enough to find the mail.
    static let lifetime: Int64 = 15 * 60_000
    /// The maximum number of tries.
    ///
    /// Five guesses at a million codes succeed with a probability of 1 in 200,000.
    static let maximumTries = 5
    private static let digits = 6
    private static let saltLength = 16

    /// The outcome of comparing an entered code with the mailed one.
    enum Check {
        case right
        case wrong
        /// The mailed code is too old, or was tried too often.
        case spent
    }

    /// Makes a new random code.
    ///
    /// - Returns: The code as text for the mail, and its salted digest to store.
    static func make(at now: Timestamp) -> (text: String, code: MailedCode) {
        var generator = SystemRandomNumberGenerator()
        let text = String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &generator))) })
        let salt = Data(Secret.random(saltLength))
        return (text, MailedCode(saltedDigest: salt + digest(text, salt: salt), made: now, tries: 0))
    }

    /// Compares an entered code with the mailed one; ignores white space.
    func judge(_ text: String, at now: Timestamp) -> Check {
        let age = now.milliseconds - made.milliseconds
        guard (0..<Self.lifetime).contains(age), tries < Self.maximumTries else { return .spent }
        let given = Self.digest(text.filter { !$0.isWhitespace }, salt: saltedDigest.prefix(Self.saltLength))
        return Secret.areEqual(given, saltedDigest.dropFirst(Self.saltLength)) ? .right : .wrong
    }

    private static func digest(_ text: String, salt: Data) -> Data { Secret.digest([UInt8](salt) + Array(text.utf8)) }

    /// The columns that store a code.
    static let columns = "code, code_made, code_tries"

    /// The declarations of ``columns`` for a table.
    static let declarations = """
        code BLOB NOT NULL CHECK (length(code) = 48),
            code_made INTEGER NOT NULL,
            code_tries INTEGER NOT NULL DEFAULT 0 CHECK (code_tries >= 0)
        """
}

extension MailedCode {
    /// Reads ``columns`` from a row.
    init(_ row: NamedRow) {
        self.init(
            saltedDigest: row["code"], made: Timestamp(milliseconds: row["code_made"]), tries: row["code_tries"])
    }
}
