import Foundation
import Glibc

/// Rows of columns for people: as wide as the terminal at most, and in a pipe parted by tabs without padding.
struct TextTable {
    /// What stands in a column.
    enum Cell {
        /// A text, which may be cut.
        case text(String)
        /// A number or time, which is not cut and stands to the right.
        case number(String)

        var content: String {
            switch self {
            case .text(let text), .number(let text): EventLines.printable(text)
            }
        }

        var isText: Bool { if case .text = self { true } else { false } }
    }

    private var rows: [[Cell]] = []
    /// Between two columns.
    private static let gap = "  "
    /// A column of text is not cut below this.
    private static let narrowest = 12

    /// Adds a row; all have as many columns.
    mutating func add(_ row: [Cell]) { rows.append(row) }

    /// The lines for a terminal of some columns; nil for a pipe.
    func lines(width: Int?) -> [String] {
        guard let width else {
            return rows.map { row in row.map { $0.content.replacing("\t", with: " ") }.joined(separator: "\t") }
        }
        let columns = rows.map(\.count).max() ?? 0
        // Without empty columns.
        let shown = (0..<columns).filter { index in
            rows.contains { !($0.dropFirst(index).first?.content.isEmpty ?? true) }
        }
        var widths = shown.map { index in
            rows.map { $0.dropFirst(index).first?.content.count ?? 0 }.max() ?? 0
        }
        var excess = widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1) - width
        // The widest text gives way first.
        while excess > 0 {
            let texts = widths.indices.filter { place in
                widths[place] > Self.narrowest
                    && rows.contains { $0.dropFirst(shown[place]).first?.isText ?? false }
            }
            guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return rows.map { row in
            let cells = zip(shown, widths).map { index, width in
                let cell = row.dropFirst(index).first ?? .text("")
                guard !cell.isText else { return EventLines.padded(cell.content, to: width) }
                return String(repeating: " ", count: max(0, width - cell.content.count)) + cell.content
            }
            let line = cells.joined(separator: Self.gap)
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
    }
}

extension StandardOutput {
    /// Adds a table as wide as the terminal, or for a pipe.
    func table(_ table: TextTable) throws(Failure) {
        for text in table.lines(width: Self.terminalWidth) { try line(Array(text.utf8)) }
    }

    /// How many columns the terminal has; nil where standard output is none.
    static var terminalWidth: Int? {
        guard Paint.isTerminal(STDOUT_FILENO) else { return nil }
        var size = winsize()
        // The call fills a local structure and keeps no pointer.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(clamping: size.ws_col)
    }
}
