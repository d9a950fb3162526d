internal import TextCoding

/// Prevents spreadsheets from interpreting a text as a formula, which could read the sheet and send it to a stranger.
///
/// A spreadsheet treats a cell as a formula if it begins with `=`, `+`, `-` or `@`, in normal or full width, possibly
/// after blanks. A tab or a line end at the beginning hides a formula (OWASP, *CSV Injection*). Such a text gets an
/// apostrophe in front. Spreadsheets take it as the mark of a text and do not show it. A number is never a formula,
/// whatever its sign.
enum SpreadsheetFormula {
    /// Returns the field as it is written.
    static func guarded(_ field: String) -> String { isFormula(field) ? "'" + field : field }

    /// Returns the field as it was before ``guarded(_:)``.
    static func unguarded(_ field: String) -> String {
        guard field.utf8.first == UInt8(ascii: "'") else { return field }
        let rest = String(field.unicodeScalars.dropFirst())
        return isFormula(rest) ? rest : field
    }

    /// Returns whether a spreadsheet would interpret a field as a formula, ignoring leading apostrophes.
    ///
    /// Fields that already begin with an apostrophe are guarded too, so that ``unguarded(_:)`` restores them.
    private static func isFormula(_ field: String) -> Bool {
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
