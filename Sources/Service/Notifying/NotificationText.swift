/// The text of a notification, with some of it emphasised, made so that nobody's words can be taken for markup.
///
/// It is written as a literal: `"\(bold: name) asks to be your friend."` What stands in the literal and what is put
/// into it are text as they are; only `bold:` emphasises. Control characters become blanks, and those by which a text
/// could turn round what stands beside it are left out.
public struct NotificationText: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The text as it is kept and shown: emphasis between `<b>` and `</b>`, and `&`, `<` and `>` as entities.
    public let markup: String

    /// What is put into a text is cut after so many bytes of UTF-8: the longest title there is.
    package static let longestPiece = 1000

    /// A text without emphasis.
    public init(stringLiteral text: String) { markup = Self.inert(text) }

    /// A text made of pieces.
    public init(stringInterpolation pieces: StringInterpolation) { markup = pieces.markup }

    /// The pieces of a text.
    public struct StringInterpolation: StringInterpolationProtocol {
        package var markup = ""

        /// No piece yet.
        public init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        /// Adds what stands in the literal.
        public mutating func appendLiteral(_ text: String) { markup += NotificationText.inert(text) }

        /// Adds a text as it is.
        public mutating func appendInterpolation(_ text: String) {
            markup += NotificationText.inert(NotificationText.shortened(text))
        }

        /// Adds a number.
        public mutating func appendInterpolation(_ number: Int) { markup += String(number) }

        /// Adds an emphasised text.
        public mutating func appendInterpolation(bold text: String) {
            markup += "<b>\(NotificationText.inert(NotificationText.shortened(text)))</b>"
        }
    }

    private static func inert(_ text: String) -> String {
        var inert = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": inert.append(contentsOf: "&amp;".unicodeScalars)
            case "<": inert.append(contentsOf: "&lt;".unicodeScalars)
            case ">": inert.append(contentsOf: "&gt;".unicodeScalars)
            // Embeddings, overrides and isolates of the bidirectional algorithm (UAX 9, section 2).
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": continue
            default: inert.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return String(inert)
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestPiece else { return text }
        var short = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= longestPiece else { break }
            short.append(scalar)
        }
        return String(short) + "…"
    }
}
