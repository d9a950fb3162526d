/// Cuts a stream of bytes into lines.
///
/// The pieces may be cut anywhere. Empty lines, and a carriage return before the end of a line, are passed over, so
/// that a person at a terminal is served as well.
public struct LineFraming: Sendable {
    /// The longest line in bytes, its end not counted: 1 MiB, as the interface says.
    ///
    /// It bounds what one connection can make the server keep.
    public static let maximumLength = 1 << 20

    /// The byte that ends a line.
    public static let end = UInt8(ascii: "\n")

    /// A line was longer than allowed.
    ///
    /// There is no way on from it: where the next one begins is not looked for.
    public struct LineTooLong: Error, Equatable {
        /// The one error there is of this kind.
        public init() {}

        /// What to answer before the connection is closed.
        public var answer: RPCError {
            RPCError(.invalidRequest, "A line is longer than \(maximumLength) bytes; the connection ends here.")
        }
    }

    private var line: [UInt8] = []
    private var isTooLong = false

    /// How many bytes of the line have come that has no end yet.
    public var unfinished: Int { line.count }

    /// At the beginning of a line.
    public init() {}

    /// Reads on and appends the lines that are complete, without their ends.
    ///
    /// - Throws: ``LineTooLong`` as soon as a line is known to be, and at each call after that.
    /// - Complexity: O(*n*) for *n* bytes in all, however they are cut.
    public mutating func feed(_ bytes: Span<UInt8>, into lines: inout [[UInt8]]) throws(LineTooLong) {
        guard !isTooLong else { throw LineTooLong() }
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == Self.end {
                take(into: &lines)
            } else if line.count < Self.maximumLength {
                line.append(byte)
            } else {
                isTooLong = true
                line = []
                throw LineTooLong()
            }
        }
    }

    /// The stream ends here: appends the last line, if it has no end of its own.
    public mutating func finish(into lines: inout [[UInt8]]) {
        if !isTooLong { take(into: &lines) }
    }

    private mutating func take(into lines: inout [[UInt8]]) {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if !line.isEmpty { lines.append(line) }
        line = []
    }
}
