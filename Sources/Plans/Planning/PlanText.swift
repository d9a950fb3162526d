import Foundation
import RPC
import Service
import Store

/// The rules for what people write about plans.
enum PlanText {
    /// The longest line, in bytes of UTF-8: a title, a name, an address.
    static let longestLine = 500
    /// The longest text, in bytes of UTF-8: a description, a note.
    static let longestText = 10_000
    /// The longest link, in bytes.
    static let longestLink = 2000

    /// One line of text without the blanks around it; nil where there is none.
    static func line(_ text: String?, _ field: String, atMost bytes: Int = longestLine) throws(Refusal) -> String? {
        guard let text = try trimmed(text, field, atMost: bytes) else { return nil }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid(field, "must be one line of text")
        }
        return text
    }

    /// One line of text, which there must be.
    static func title(_ text: String?, _ field: String) throws(Refusal) -> String {
        guard let line = try line(text, field) else { throw .invalid(field, "must not be empty") }
        return line
    }

    /// A text of several lines; nil where there is none.
    static func prose(_ text: String?, _ field: String) throws(Refusal) -> String? {
        guard let text = try trimmed(text, field, atMost: longestText) else { return nil }
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control || scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
        guard isClean else { throw .invalid(field, "must not have control characters") }
        return text
    }

    /// A link that begins with http or https; nil where there is none.
    static func link(_ text: String?, _ field: String) throws(Refusal) -> String? {
        guard let text = try line(text, field, atMost: longestLink) else { return nil }
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://"), !text.contains(where: \.isWhitespace),
            let url = URL(string: text), url.host?.isEmpty == false
        else { throw .invalid(field, "must be a link that begins with http:// or https://") }
        return text
    }

    /// What is searched of texts: small letters without accents.
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

/// Ids that nobody can guess or count.
enum RandomID {
    private static let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    /// So many letters are 59 bits: a million ids in a store, and nobody finds one by trying.
    private static let length = 12

    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(repeatElement(letters, count: length).map { $0.randomElement(using: &generator) ?? "a" })
    }
}
