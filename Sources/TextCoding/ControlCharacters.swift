/// The characters that steer a terminal rather than stand for something (C0 and C1 of ISO/IEC 6429, and DEL).
public enum ControlCharacters {
    /// Whether a character is one, tab and line ends among them.
    public static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        default: false
        }
    }

    /// The text with U+FFFD for each of them that is no tab, LF or CR.
    public static func replaced(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { steers($0) ? "\u{FFFD}" : $0 }))
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        contains(scalar) && scalar != "\t" && scalar != "\n" && scalar != "\r"
    }
}
