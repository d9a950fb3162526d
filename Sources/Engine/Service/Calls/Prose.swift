package import RPC

/// The validation of texts of several lines.
package enum Prose {
    /// Returns the text without leading and trailing white space; `nil` if nothing is left.
    ///
    /// - Throws: Error 4 (invalid value), naming the parameter, if the text is longer than `bytes` bytes, or has
    ///   control characters other than tabs and line breaks.
    package static func clean(_ given: String, _ name: String, atMost bytes: Int) throws(Refusal) -> String? {
        guard given.utf8.count <= bytes else { throw Refusal.invalid(name, "must not be longer than \(bytes) bytes") }
        let isClean = given.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control || scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
        guard isClean else { throw Refusal.invalid(name, "must not have control characters") }
        let blank = { (character: Character) in character.isWhitespace }
        let text = given.drop(while: blank)
        guard let last = text.lastIndex(where: { !blank($0) }) else { return nil }
        return String(text[...last])
    }
}
