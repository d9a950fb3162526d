/// Text for people, broken into lines that fit a terminal.
enum WrappedText {
    /// Returns the lines of a text, broken at blanks.
    ///
    /// Colours take no columns, and continue over a break. A word longer than a line stays whole on a line of its own.
    ///
    /// - Parameters:
    ///   - width: The width of a line in columns; `nil` leaves the text unbroken, as a pipe needs it.
    ///   - hanging: The number of blanks before each line but the first; at most half of `width` is used.
    /// - Complexity: O(*n*).
    static func lines(of text: String, width: Int?, hanging: Int) -> [String] {
        guard let width, columns(of: text) > width else { return [text] }
        let indent = String(repeating: " ", count: min(max(hanging, 0), width / 2))
        var lines: [String] = []
        var line = ""
        var used = 0
        // Blanks wait here until a word follows them on the same line.
        var gap = ""
        for piece in pieces(of: text) {
            guard piece.first != " " else {
                gap = piece
                continue
            }
            let length = columns(of: piece)
            if used > 0, used + gap.count + length > width {
                lines.append(line)
                (line, used, gap) = (indent, indent.count, "")
            }
            line += gap + piece
            used += gap.count + length
            gap = ""
        }
        return lines + [line]
    }

    /// Returns the words of a text and the blanks between them, in order.
    private static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        for character in text {
            if let last = pieces.last, (last.last == " ") == (character == " ") {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
        }
        return pieces
    }

    /// Returns the number of columns of a text: one per character, and none for colours.
    private static func columns(of text: String) -> Int {
        var count = 0
        var isCode = false
        for character in text {
            if character == "\u{1B}" {
                isCode = true
            } else if isCode {
                isCode = character != "m"
            } else {
                count += 1
            }
        }
        return count
    }
}
