import Glibc

/// A table for people: at most as wide as the terminal, or with tabs and without padding in a pipe.
struct TextTable {
    /// The content of a cell.
    enum Cell {
        /// A text, which may be cut.
        case text(String)
        /// An identifier, which is not cut.
        case key(String)
        /// A number or time, which is not cut and is aligned to the right.
        case number(String)

        var content: String {
            switch self {
            case .text(let text), .key(let text), .number(let text): EventFormatter.printable(text)
            }
        }

        /// Whether it may be cut.
        var isText: Bool { if case .text = self { true } else { false } }

        /// Whether it is aligned to the right.
        var isNumber: Bool { if case .number = self { true } else { false } }
    }

    private var rows: [[Cell]] = []
    private let headings: [String]
    /// The columns that are left out before a text is cut.
    private let details: Set<Int>
    /// The text between two columns.
    private static let gap = "  "
    /// The width to which a column of text shrinks at most.
    private static let narrowest = 8

    /// Creates a table without rows.
    ///
    /// - Parameter headings: The headings of the columns, which only a terminal shows.
    init(_ headings: String...) { self.init(headings) }

    /// Creates a table without rows.
    ///
    /// - Parameters:
    ///   - headings: The headings of the columns, which only a terminal shows.
    ///   - details: The columns that a terminal leaves out before a text is cut.
    init(_ headings: [String], details: Set<Int> = []) {
        self.headings = headings
        self.details = details
    }

    /// Whether it has no rows.
    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; all rows have the same number of columns.
    mutating func add(_ row: [Cell]) { rows.append(row) }

    /// Returns the lines for a terminal of `width` columns, with the headings first; for a pipe if `width` is `nil`.
    func lines(width: Int?) -> [String] {
        guard !rows.isEmpty else { return [] }
        guard let width else {
            return rows.map { row in row.map { $0.content.replacing("\t", with: " ") }.joined(separator: "\t") }
        }
        let columns = rows.map(\.count).max() ?? 0
        // Empty columns are left out.
        var shown = (0..<columns).filter { index in
            rows.contains { !($0.dropFirst(index).first?.content.isEmpty ?? true) }
        }
        func heading(_ index: Int) -> String { headings.dropFirst(index).first ?? "" }
        func fullWidth(_ index: Int) -> Int {
            max(heading(index).count, rows.map { $0.dropFirst(index).first?.content.count ?? 0 }.max() ?? 0)
        }
        func excess(of widths: [Int]) -> Int {
            widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1) - width
        }
        while excess(of: shown.map(fullWidth)) > 0, let detail = shown.lastIndex(where: details.contains) {
            shown.remove(at: detail)
        }
        var widths = shown.map(fullWidth)
        var excess = excess(of: widths)
        // The widest text shrinks first.
        while excess > 0 {
            let texts = widths.indices.filter { place in
                widths[place] > Self.narrowest
                    && rows.contains { $0.dropFirst(shown[place]).first?.isText ?? false }
            }
            guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        // A heading is aligned like the cells below it.
        let head = headings.enumerated().map { index, text -> Cell in
            let isNumber = rows.first?.dropFirst(index).first?.isNumber ?? false
            return isNumber ? .number(text) : .key(text)
        }
        return ((headings.isEmpty ? [] : [head]) + rows).map { row in
            let cells = zip(shown, widths).map { index, width in
                let cell = row.dropFirst(index).first ?? .text("")
                guard cell.isNumber else { return EventFormatter.padded(cell.content, to: width) }
                return String(repeating: " ", count: max(0, width - cell.content.count)) + cell.content
            }
            let line = cells.joined(separator: Self.gap)
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
    }

    /// Whether the first line consists of headings.
    var hasHeadings: Bool { !headings.isEmpty && !rows.isEmpty }
}

extension StandardOutput {
    /// Appends a table in the width of the terminal, or in the form for a pipe.
    func table(_ table: TextTable) throws(Failure) {
        let width = Self.terminalWidth
        for (index, text) in table.lines(width: width).enumerated() {
            let isHead = index == 0 && width != nil && table.hasHeadings
            // In a pipe tabs separate the columns. The cells have no control characters left.
            if isHead { try line(Paint.standardOutput.dim(text)) } else { try line(Array(text.utf8)) }
        }
    }

    /// The width of the terminal in columns; `nil` if standard output is no terminal.
    static var terminalWidth: Int? { Paint.columns(ofTerminal: STDOUT_FILENO) }
}
