internal import TextCoding

/// Keeps a spreadsheet from taking a text for a formula, which could read the sheet and send it to a stranger.
///
/// A spreadsheet takes a cell for one where it begins with `=`, `+`, `-` or `@`, of either width, perhaps behind blanks;
/// a tab or a line end at the beginning hides one (OWASP, *CSV Injection*). Such a text gets an apostrophe in front,
/// which spreadsheets read as "text follows" and do not show. A number is none, whatever its sign.
enum SpreadsheetFormula {
    /// The field as it is written.
    static func guarded(_ field: String) -> String { isTaken(field) ? "'" + field : field }

    /// The field as it was before ``guarded(_:)``.
    static func unguarded(_ field: String) -> String {
        guard field.utf8.first == UInt8(ascii: "'") else { return field }
        let rest = String(field.unicodeScalars.dropFirst())
        return isTaken(rest) ? rest : field
    }

    /// Whether a field would be taken for a formula, apostrophes in front of it left aside: an apostrophe that was
    /// there before must come back too.
    private static func isTaken(_ field: String) -> Bool {
        let text = field.unicodeScalars.drop { $0 == "'" }
        guard let first = text.first, hides(first) || text.first(where: { !isBlank($0) }).map(begins) ?? false
        else { return false }
        return DecimalText.parse(field) == nil
    }

    private static func begins(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": true
        default: false
        }
    }

    private static func hides(_ scalar: Unicode.Scalar) -> Bool { scalar == "\t" || scalar == "\r" || scalar == "\n" }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || hides(scalar) }
}
