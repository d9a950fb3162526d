import Foundation
import RPC
import Service
import Store

/// The rules for the texts that people write about plans.
enum PlanText {
    /// The longest line, such as a title, name or address, in bytes of UTF-8.
    static let longestLine = 500
    /// The longest text, such as a description or note, in bytes of UTF-8.
    static let longestText = 10_000
    /// The longest link, in bytes.
    static let longestLink = 2000

    /// Returns one line of text without surrounding white space, or `nil` if it is empty.
    ///
    /// - Throws: ``Refusal`` for the field if the text is too long or contains a control character.
    static func line(_ text: String?, _ field: String, atMost bytes: Int = longestLine) throws(Refusal) -> String? {
        guard let text = try trimmed(text, field, atMost: bytes) else { return nil }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid(field, "must be one line of text")
        }
        return text
    }

    /// Returns one line of text like ``line(_:_:atMost:)``, but refuses an empty one.
    static func title(_ text: String?, _ field: String) throws(Refusal) -> String {
        guard let line = try line(text, field) else { throw .invalid(field, "must not be empty") }
        return line
    }

    /// Returns a text of several lines without surrounding white space, or `nil` if it is empty.
    ///
    /// - Throws: ``Refusal`` for the field if the text is too long or contains a control character other than tab, CR
    ///   and LF.
    static func prose(_ text: String?, _ field: String) throws(Refusal) -> String? {
        guard let text = try trimmed(text, field, atMost: longestText) else { return nil }
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control || scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
        guard isClean else { throw .invalid(field, "must not have control characters") }
        return text
    }

    /// Returns a link that begins with `http://` or `https://`, or `nil` if the text is empty.
    static func link(_ text: String?, _ field: String) throws(Refusal) -> String? {
        guard let text = try line(text, field, atMost: longestLink) else { return nil }
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://"), !text.contains(where: \.isWhitespace),
            let url = URL(string: text), url.host?.isEmpty == false
        else { throw .invalid(field, "must be a link that begins with http:// or https://") }
        return text
    }

    /// Returns the searchable form of texts: one per line, in lower case and without accents.
    static func folded(_ texts: [String?]) -> String {
        texts.compactMap(\.self).joined(separator: "\n")
            .folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    private static func trimmed(_ text: String?, _ field: String, atMost bytes: Int) throws(Refusal) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= bytes else { throw .invalid(field, "must not be longer than \(bytes) bytes") }
        let blank = { (character: Character) in character.isWhitespace }
        let rest = text.drop(while: blank)
        guard let last = rest.lastIndex(where: { !blank($0) }) else { return nil }
        return String(rest[...last])
    }
}

/// Generates ids that cannot be guessed or counted.
enum RandomID {
    private static let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    /// The number of letters in an id; twelve of 31 letters are 59 bits, too many to find one of a million ids by
    /// guessing.
    private static let length = 12

    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(repeatElement(letters, count: length).map { $0.randomElement(using: &generator) ?? "a" })
    }
}
