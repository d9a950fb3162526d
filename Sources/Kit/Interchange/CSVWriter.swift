internal import TextCoding

/// Writes comma-separated values (RFC 4180).
///
/// A field is quoted only if necessary: if it contains a comma, a quote or a line end, if it begins with a byte-order
/// mark, or if it is empty and alone in its row, which would otherwise be an empty line. Lines end with LF rather than
/// CR LF: every CSV reader accepts LF, and Unix tools treat a CR as part of the last field.
///
/// A field that a spreadsheet would interpret as a formula gets an apostrophe in front, which ``CSVReader`` removes
/// again. A control character other than a tab or a line end becomes U+FFFD.
public enum CSVWriter {
    /// Writes a row, or nothing if there are no fields.
    public static func append(_ fields: [String], to bytes: inout [UInt8]) {
        guard !fields.isEmpty else { return }
        var isFirst = true
        for field in fields {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(field, alone: fields.count == 1, to: &bytes)
        }
        bytes.append(0x0A)
    }

    private static func append(_ text: String, alone: Bool, to bytes: inout [UInt8]) {
        let field = SpreadsheetFormula.guarded(ControlCharacters.replaced(text))
        guard (alone && field.isEmpty) || field.utf8.contains(where: needsQuotes) || field.utf8.starts(with: mark)
        else { return bytes.append(contentsOf: field.utf8) }
        bytes.append(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), 0x0A, 0x0D: true
        default: false
        }
    }
}
