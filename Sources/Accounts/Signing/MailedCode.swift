import Crypto
import Foundation
import GRDB
import Positioning
import Service

/// A code that was mailed, by which whoever reads the mail is known.
///
/// It is short, to be typed; so it holds for a short time and a few tries, and only for whoever asked for it.
struct MailedCode: Hashable, Sendable {
    /// A random salt of 16 bytes, and the SHA-256 of it and the code.
    var kept: Data
    /// When it was made.
    var made: Timestamp
    /// How often another was given in its place.
    var tries: Int

    /// How long a code holds, in milliseconds: time to find the mail, and not to forget it.
    static let lifetime: Int64 = 15 * 60_000
    /// How many tries a code has: of a million codes, five are a chance of 1 in 200,000.
    static let mostTries = 5
    private static let digits = 6
    private static let saltLength = 16

    /// What there is to say of a code that is given.
    enum Check {
        case right
        case wrong
        /// It was not the last one, is too old, or was tried too often.
        case spent
    }

    /// A new code, and what is kept of it.
    static func make(at now: Timestamp) -> (text: String, code: MailedCode) {
        var generator = SystemRandomNumberGenerator()
        let text = String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &generator))) })
        let salt = Data(Secret.random(saltLength))
        return (text, MailedCode(kept: salt + digest(text, salt: salt), made: now, tries: 0))
    }

    /// What there is to say of a code that is given now; blanks in it are of no account.
    func judge(_ text: String, at now: Timestamp) -> Check {
        let age = now.milliseconds - made.milliseconds
        guard (0..<Self.lifetime).contains(age), tries < Self.mostTries else { return .spent }
        let given = Self.digest(text.filter { !$0.isWhitespace }, salt: kept.prefix(Self.saltLength))
        return Secret.areEqual(given, kept.dropFirst(Self.saltLength)) ? .right : .wrong
    }

    private static func digest(_ text: String, salt: Data) -> Data { Data(SHA256.hash(data: salt + Data(text.utf8))) }

    /// The columns of a row of it.
    static let columns = "code, code_made, code_tries"

    /// The declarations of those columns.
    static let declarations = """
        code BLOB NOT NULL CHECK (length(code) = 48),
            code_made INTEGER NOT NULL,
            code_tries INTEGER NOT NULL DEFAULT 0 CHECK (code_tries >= 0)
        """
}

extension MailedCode {
    /// A row of the columns.
    init(_ row: NamedRow) {
        self.init(
            kept: row["code"], made: Timestamp(milliseconds: row["code_made"]), tries: row["code_tries"])
    }
}
