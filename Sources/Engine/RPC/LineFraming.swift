/// Splits a stream of bytes into lines.
///
/// The stream may be split into pieces at any byte. Empty lines, and a carriage return before the line ending, are
/// skipped, so that a person can use a terminal.
public struct LineFraming: Sendable {
    /// The maximum length of a line in bytes without its ending: 1 MiB, as the interface specifies.
    ///
    /// It limits the memory that one connection can make the server hold.
    public static let maximumLength = 1 << 20

    /// The byte that ends a line.
    public static let end = UInt8(ascii: "\n")

    /// The error that a line was longer than allowed.
    ///
    /// The stream cannot be used afterwards: the framing does not look for the beginning of the next line.
    public struct LineTooLong: Error, Equatable {
        /// Creates the error.
        public init() {}

        /// The error to send before the connection is closed.
        public var answer: RPCError {
            RPCError(.invalidRequest, "A line is longer than \(maximumLength) bytes, so the connection is closed.")
        }
    }

    private var line: [UInt8] = []
    private var isTooLong = false

    /// The number of bytes read of the incomplete line.
    public var unfinished: Int { line.count }

    /// Creates a framing at the beginning of a line.
    public init() {}

    /// Reads bytes, and appends the lines that are complete, without their endings.
    ///
    /// - Throws: ``LineTooLong`` as soon as a line exceeds the limit, and on each later call.
    /// - Complexity: O(*n*) for *n* bytes in all, however they are split.
    public mutating func feed(_ bytes: Span<UInt8>, into lines: inout [[UInt8]]) throws(LineTooLong) {
        guard !isTooLong else { throw LineTooLong() }
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == Self.end {
                appendLine(into: &lines)
            } else if line.count < Self.maximumLength {
                line.append(byte)
            } else {
                isTooLong = true
                line = []
                throw LineTooLong()
            }
        }
    }

    /// Ends the stream, and appends the last line if it has no ending.
    public mutating func finish(into lines: inout [[UInt8]]) {
        if !isTooLong { appendLine(into: &lines) }
    }

    private mutating func appendLine(into lines: inout [[UInt8]]) {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if !line.isEmpty { lines.append(line) }
        line = []
    }
}
