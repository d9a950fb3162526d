public import Positioning
internal import TextCoding

/// A row of a CSV file.
public struct CSVRow: Hashable, Sendable {
    /// The fields without their quotes; there is at least one.
    public var fields: [String]
    /// The line at which the row begins, counted from 1; a quoted field may continue on further lines.
    public var line: Int

    /// Creates a row that begins at a line.
    public init(fields: [String], line: Int) {
        self.fields = fields
        self.line = line
    }
}

/// Reads comma-separated values from consecutive chunks of bytes (RFC 4180).
///
/// The chunks may be cut anywhere; this does not change the rows. A line ends with LF, CR LF or CR; the last line may
/// end without one. A quoted field may contain commas, line ends, which are kept, and doubled quotes. Empty lines are
/// skipped. Rows may differ in width, which ``CSVHeader`` checks. The text is UTF-8, or what its byte-order mark says.
/// If ``CSVWriter`` put an apostrophe before a text that looks like a formula, the reader removes it.
///
/// Anything ambiguous is an error: a quote that begins within a field, text after a closing quote, a quote that is
/// never closed, bytes that are not UTF-8, and a zero byte.
///
/// The time is linear in the length of the text. The memory is bounded by the longest chunk and the longest row.
public struct CSVReader: Sendable {
    /// The most bytes in a field.
    ///
    /// A description of forty pages fits. A quote that is never closed is detected before it has consumed a large file.
    public static let maximumFieldLength = 256 * 1024
    /// The most fields in a row: far more than any table of places has, and little memory if the file is not a table.
    public static let maximumFields = 1024
    /// The most bytes in all fields of a row: four of the longest fields.
    public static let maximumRowLength = 1024 * 1024

    private enum State {
        case fieldStart
        case unquoted
        case quoted
        case afterQuote
    }

    private let separator: UInt8
    private var transcoder = UnicodeTranscoder()
    private var text: [UInt8] = []
    private var state = State.fieldStart
    private var field: [UInt8] = []
    private var fields: [String] = []
    private var rowLength = 0
    private var line = 1
    private var rowLine = 1
    private var quoteLine = 1
    private var followsCarriageReturn = false

    /// Creates a reader at the beginning of a file.
    ///
    /// - Parameter separator: the byte between two fields, which is below 128: a comma, or a semicolon where the comma
    ///   separates decimals.
    public init(separator: UInt8 = UInt8(ascii: ",")) { self.separator = separator }

    /// Reads a chunk, and appends the rows that are complete.
    ///
    /// - Throws: ``RecordingError`` with the line, and with the number of the field in its reason. The rows before the
    ///   error have been appended. Do not feed more bytes after an error.
    public mutating func feed(_ bytes: Span<UInt8>, into rows: inout [CSVRow]) throws(RecordingError) {
        transcoder.feed(bytes, into: &text)
        try readText(into: &rows)
    }

    /// Ends the text, and appends the last row if no line end has completed it.
    ///
    /// - Throws: ``RecordingError`` if a quote is not closed or the last row is invalid.
    public mutating func finish(into rows: inout [CSVRow]) throws(RecordingError) {
        transcoder.finish(into: &text)
        try readText(into: &rows)
        guard state != .quoted else {
            throw RecordingError(
                "field \(fields.count + 1) begins here with a quote that is never closed", line: quoteLine)
        }
        if state != .fieldStart || !fields.isEmpty { try endRow(into: &rows) }
    }

    private mutating func readText(into rows: inout [CSVRow]) throws(RecordingError) {
        // Swapped out, so that the loop can change the rest of the reader without copying the text.
        var taken: [UInt8] = []
        swap(&taken, &text)
        var index = 0
        while index < taken.count {
            let start = index
            while index < taken.count, !isSpecial(taken[index]) { index += 1 }
            if index > start { try readPlain(taken[start..<index]) }
            if index < taken.count { try readSpecial(taken[index], into: &rows) }
            index += 1
        }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &text)
    }

    private mutating func readPlain(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        followsCarriageReturn = false
        guard state != .afterQuote else {
            throw error("has text after its closing quote; write a quote within a quoted field twice")
        }
        if state == .fieldStart { state = .unquoted }
        try append(bytes)
    }

    private mutating func readSpecial(_ byte: UInt8, into rows: inout [CSVRow]) throws(RecordingError) {
        let completesLineEnd = followsCarriageReturn && byte == Self.lineFeed
        followsCarriageReturn = byte == Self.carriageReturn
        let isLineEnd = byte == Self.carriageReturn || byte == Self.lineFeed
        switch byte {
        case 0:
            throw error("contains a zero byte: the file is not text, or is UTF-16 without a byte-order mark")
        case Self.quote:
            try readQuote()
        case _ where state == .quoted:
            try append([byte])
            if isLineEnd, !completesLineEnd { line += 1 }
        case separator:
            try endField()
        case _ where !completesLineEnd:
            if state != .fieldStart || !fields.isEmpty { try endRow(into: &rows) }
            line += 1
            rowLine = line
        default:
            break
        }
    }

    private mutating func readQuote() throws(RecordingError) {
        switch state {
        case .fieldStart:
            quoteLine = line
            state = .quoted
        case .quoted:
            state = .afterQuote
        case .afterQuote:
            try append([Self.quote])
            state = .quoted
        case .unquoted:
            throw error("has a quote but does not begin with one; put the field in quotes and write the quote twice")
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        guard field.count + bytes.count <= Self.maximumFieldLength else {
            guard state == .quoted else { throw error("is longer than \(Self.maximumFieldLength) bytes") }
            throw RecordingError(
                "field \(fields.count + 1) begins here with a quote and is longer than \(Self.maximumFieldLength) "
                    + "bytes; is its closing quote missing?", line: quoteLine)
        }
        field.append(contentsOf: bytes)
    }

    private mutating func endField() throws(RecordingError) {
        guard fields.count < Self.maximumFields else {
            throw RecordingError("the row has more than \(Self.maximumFields) fields", line: rowLine)
        }
        rowLength += field.count
        guard rowLength <= Self.maximumRowLength else {
            throw RecordingError("the row is longer than \(Self.maximumRowLength) bytes", line: rowLine)
        }
        guard let string = Self.string(field.span) else { throw error("is not UTF-8; save the file as UTF-8") }
        fields.append(SpreadsheetFormula.unguarded(string))
        field.removeAll(keepingCapacity: true)
        state = .fieldStart
    }

    private mutating func endRow(into rows: inout [CSVRow]) throws(RecordingError) {
        try endField()
        let width = fields.count
        rows.append(CSVRow(fields: fields, line: rowLine))
        fields = []
        fields.reserveCapacity(width)
        rowLength = 0
    }

    private func error(_ reason: String) -> RecordingError {
        RecordingError("field \(fields.count + 1) \(reason)", line: line)
    }

    /// Returns the bytes as a string, or `nil` if they are not UTF-8.
    private static func string(_ bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }

    private func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case Self.quote, separator, Self.lineFeed, Self.carriageReturn, 0: true
        default: false
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
}
