import Foundation

/// What a thing is known by: a text that is the same thing in memory, in the store and to people.
///
/// Swift takes two texts for one where Unicode says that they mean the same, SQLite compares bytes, and people see neither
/// control characters nor invisible ones. So an identifier is in normal form C, by which its bytes decide; it has no U+0000,
/// where SQLite would end it; and it has nothing that is not shown. Joiners and variation selectors, which some scripts
/// and pictographs need, may follow other characters than those of ASCII.
///
/// - SeeAlso: Unicode Standard Annex #31, *Unicode Identifiers and Syntax*, section 2.3.
public struct Identifier: Hashable, Sendable, CustomStringConvertible {
    /// The text, in normal form C.
    public let text: String

    /// The longest in bytes of UTF-8, unless said otherwise; it stands in every event.
    public static let longest = 200

    /// What is wrong with a text, as a clause without a full stop.
    public struct Flaw: Error, Hashable, Sendable {
        /// What is wrong.
        public let reason: String
    }

    /// The identifier of a text in any normal form.
    public init(_ text: String, atMost bytes: Int = Identifier.longest) throws(Flaw) {
        let text = Self.normal(text)
        guard text.contains(where: { !$0.isWhitespace }) else { throw Flaw(reason: "empty") }
        guard text.utf8.count <= bytes else { throw Flaw(reason: "longer than \(bytes) bytes") }
        if let hidden = Self.firstHidden(in: text) {
            let code = String(hidden.value, radix: 16, uppercase: true)
            let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
            throw Flaw(reason: "a text with the invisible character \(name); remove that")
        }
        self.text = text
    }

    /// The identifier nearest to a text: what is not shown and what is too long is left out of it; nil where nothing
    /// remains.
    public init?(repairing text: String) {
        var text = Self.normal(text)
        while let hidden = Self.firstHidden(in: text) {
            text = Self.normal(String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != hidden })))
        }
        while text.utf8.count > Self.longest { text.removeLast() }
        guard let identifier = try? Identifier(text) else { return nil }
        self = identifier
    }

    /// The text.
    public var description: String { text }

    /// A text in normal form C, in which those that mean the same have the same bytes.
    public static func normal(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
    }

    private static func firstHidden(in text: String) -> Unicode.Scalar? {
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if isHidden(scalar, after: previous) { return scalar }
            previous = scalar
        }
        return nil
    }

    private static func isHidden(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.value {
        case 0x200C...0x200D, 0xFE00...0xFE0F, 0xE0020...0xE007F: return previous.isASCII
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
