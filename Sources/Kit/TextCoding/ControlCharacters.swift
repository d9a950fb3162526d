/// The control characters, which can steer a terminal (C0 and C1 of ISO/IEC 6429, and DEL).
public enum ControlCharacters {
    /// Returns whether a scalar is a control character.
    ///
    /// Tabs and line endings are control characters.
    public static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        default: false
        }
    }

    /// Returns the text with U+FFFD in place of each control character other than tab, LF and CR.
    public static func replaced(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { steers($0) ? "\u{FFFD}" : $0 }))
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        contains(scalar) && scalar != "\t" && scalar != "\n" && scalar != "\r"
    }
}
