import Foundation

/// A name or id that is equal in memory if and only if it is equal in the store and looks equal to people.
///
/// Swift compares texts by canonical equivalence, SQLite compares bytes, and people see neither control characters nor
/// invisible ones. An identifier is therefore in normal form C, so that equal identifiers have equal bytes. It contains
/// no U+0000, which would end it in SQLite, and no other invisible characters. Joiners and variation selectors, which
/// some scripts and pictographs need, are allowed after characters outside ASCII.
///
/// - SeeAlso: Unicode Standard Annex #31, *Unicode Identifiers and Syntax*, section 2.3.
public struct Identifier: Hashable, Sendable, CustomStringConvertible {
    /// The text, in normal form C.
    public let text: String

    /// The default limit of the length, in bytes of UTF-8; an identifier is part of every event about its thing.
    public static let longest = 200

    /// The reason why a text is no identifier.
    public struct Flaw: Error, Hashable, Sendable {
        /// The reason, as a clause without a full stop.
        public let reason: String
    }

    /// Creates an identifier from a text in any normal form, of at most `bytes` bytes.
    public init(_ text: String, atMost bytes: Int = Identifier.longest) throws(Flaw) {
        let text = Self.normal(text)
        guard text.contains(where: { !$0.isWhitespace }) else { throw Flaw(reason: "empty") }
        guard text.utf8.count <= bytes else { throw Flaw(reason: "longer than \(bytes) bytes") }
        if let hidden = Self.firstHidden(in: text) {
            let code = String(hidden.value, radix: 16, uppercase: true)
            let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
            throw Flaw(reason: "a text with the invisible character \(name); remove it")
        }
        self.text = text
    }

    /// Creates the identifier nearest to a text, without its invisible characters and cut to ``longest`` bytes; `nil`
    /// if nothing is left.
    public init?(repairing text: String) {
        var text = Self.normal(text)
        while let hidden = Self.firstHidden(in: text) {
            text = Self.normal(String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != hidden })))
        }
        while text.utf8.count > Self.longest { text.removeLast() }
        guard let identifier = try? Identifier(text) else { return nil }
        self = identifier
    }

    /// The text, in normal form C.
    public var description: String { text }

    /// Returns a text in normal form C, in which canonically equivalent texts have the same bytes.
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
