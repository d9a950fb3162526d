import Glibc

/// Rows of columns for people: as wide as the terminal at most, and in a pipe parted by tabs without padding.
struct TextTable {
    /// What stands in a column.
    enum Cell {
        /// A text, which may be cut.
        case text(String)
        /// What something is known by, which is not cut.
        case key(String)
        /// A number or time, which is not cut and stands to the right.
        case number(String)

        var content: String {
            switch self {
            case .text(let text), .key(let text), .number(let text): EventLines.printable(text)
            }
        }

        /// Whether it may be cut.
        var isText: Bool { if case .text = self { true } else { false } }

        /// Whether it stands to the right.
        var isNumber: Bool { if case .number = self { true } else { false } }
    }

    private var rows: [[Cell]] = []
    private let headings: [String]
    /// The columns that are left out where a text would be cut for them.
    private let details: Set<Int>
    /// Between two columns.
    private static let gap = "  "
    /// A column of text is not cut below this.
    private static let narrowest = 8

    /// A table without rows.
    ///
    /// - Parameter headings: what stands above the columns at a terminal; a pipe gets the rows alone.
    init(_ headings: String...) { self.init(headings) }

    /// A table without rows.
    ///
    /// - Parameter details: the columns that a terminal does not show where a text would be cut for them.
    init(_ headings: [String], details: Set<Int> = []) {
        self.headings = headings
        self.details = details
    }

    /// Whether it has no rows.
    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; all have as many columns.
    mutating func add(_ row: [Cell]) { rows.append(row) }

    /// The lines for a terminal of some columns, headings first where there are any; nil for a pipe.
    func lines(width: Int?) -> [String] {
        guard !rows.isEmpty else { return [] }
        guard let width else {
            return rows.map { row in row.map { $0.content.replacing("\t", with: " ") }.joined(separator: "\t") }
        }
        let columns = rows.map(\.count).max() ?? 0
        // Without empty columns.
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
        // A heading stands as what is below it does.
        let head = headings.enumerated().map { index, text -> Cell in
            let isNumber = rows.first?.dropFirst(index).first?.isNumber ?? false
            return isNumber ? .number(text) : .key(text)
        }
        return ((headings.isEmpty ? [] : [head]) + rows).map { row in
            let cells = zip(shown, widths).map { index, width in
                let cell = row.dropFirst(index).first ?? .text("")
                guard cell.isNumber else { return EventLines.padded(cell.content, to: width) }
                return String(repeating: " ", count: max(0, width - cell.content.count)) + cell.content
            }
            let line = cells.joined(separator: Self.gap)
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
    }

    /// Whether the first line has headings.
    var hasHeadings: Bool { !headings.isEmpty && !rows.isEmpty }
}

extension StandardOutput {
    /// Adds a table as wide as the terminal, or for a pipe.
    func table(_ table: TextTable) throws(Failure) {
        let width = Self.terminalWidth
        for (index, text) in table.lines(width: width).enumerated() {
            let isHead = index == 0 && width != nil && table.hasHeadings
            // Tabs part the columns in a pipe; of the cells, no control character is left.
            if isHead { try line(Paint.standardOutput.dim(text)) } else { try line(Array(text.utf8)) }
        }
    }

    /// How many columns the terminal has; nil where standard output is none.
    static var terminalWidth: Int? { Paint.columns(ofTerminal: STDOUT_FILENO) }
}
