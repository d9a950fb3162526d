/// Functions that make text safe for a line of the log.
enum LogText {
    /// Returns a text on one line, without characters that could disturb a terminal or hide others.
    ///
    /// Line breaks become `⏎`. Other control characters and invisible formatting characters are escaped, such as
    /// `\u{1B}`.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        var wasReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where wasReturn: break
            case "\n", "\r": result += "⏎"
            case _ where isHarmful(scalar): result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
            wasReturn = scalar == "\r"
        }
        return result
    }

    /// Returns a text as a key or value; in quotation marks if it is empty or contains a space, `=` or `"`.
    static func word(_ text: String) -> String {
        let harmless = harmless(text)
        guard harmless.isEmpty || harmless.contains(where: { $0.isWhitespace || $0 == "=" || $0 == "\"" }) else {
            return harmless
        }
        let inner = harmless.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(inner)\""
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
