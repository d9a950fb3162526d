/// The text of a notification with emphasis, built so that interpolated text cannot be mistaken for markup.
///
/// Write it as a literal: `"\(bold: name) asks to be your friend."` The literal and interpolated texts are escaped.
/// Only `bold:` emphasises. Control characters become blanks. Characters that could reverse the direction of adjacent
/// text are removed.
public struct NotificationText: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The text as it is stored and shown: emphasis between `<b>` and `</b>`, with `&`, `<` and `>` as entities.
    public let markup: String

    /// The maximum length of an interpolated text in bytes of UTF-8: that of the longest title.
    ///
    /// Longer text is truncated.
    package static let longestPiece = 1000

    /// Creates a text without emphasis.
    public init(stringLiteral text: String) { markup = Self.inert(text) }

    /// Creates a text from interpolated pieces.
    public init(stringInterpolation pieces: StringInterpolation) { markup = pieces.markup }

    /// The accumulator of a text's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        package var markup = ""

        /// Creates an accumulator without pieces.
        public init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        /// Appends a piece of the literal, escaped.
        public mutating func appendLiteral(_ text: String) { markup += NotificationText.inert(text) }

        /// Appends a text, truncated and escaped.
        public mutating func appendInterpolation(_ text: String) {
            markup += NotificationText.inert(NotificationText.shortened(text))
        }

        /// Appends a number.
        public mutating func appendInterpolation(_ number: Int) { markup += String(number) }

        /// Appends a text with its emphasis.
        public mutating func appendInterpolation(_ text: NotificationText) { markup += text.markup }

        /// Appends an emphasised text, truncated and escaped.
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
