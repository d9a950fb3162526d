/// A decoder that turns the bytes of a recording into fixes, piece by piece.
///
/// The pieces may be split anywhere without changing the fixes. Memory does not grow with the length of the recording.
public protocol FixDecoder {
    /// Decodes bytes, and appends the fixes that are complete.
    ///
    /// - Throws: ``RecordingError`` if the recording is so damaged that decoding cannot continue. The fixes before the
    ///   damage have been appended. Do not feed any more bytes after that.
    mutating func feed(_ bytes: Span<UInt8>, into fixes: inout [Fix]) throws(RecordingError)

    /// Ends the recording, and appends the last fix if it is complete.
    mutating func finish(into fixes: inout [Fix]) throws(RecordingError)

    /// The counts of input skipped so far, by reason.
    var malformed: Tally { get }
}

/// The reason why a recording cannot be read, or not to its end.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a clause without a full stop.
    public let reason: String
    /// The line of the error, counted from 1; `nil` if the format has no lines.
    public let line: Int?
    /// The column in that line, counted from 1.
    public let column: Int?

    /// Creates an error, with a line and column if they are known.
    public init(_ reason: String, line: Int? = nil, column: Int? = nil) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    /// The position and the reason: `line 12, column 7: mismatched tag`.
    public var description: String {
        guard let line else { return reason }
        guard let column else { return "line \(line): \(reason)" }
        return "line \(line), column \(column): \(reason)"
    }
}
