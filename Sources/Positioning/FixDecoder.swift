/// Turns the bytes of a recording into fixes, piece by piece.
///
/// The pieces may be cut anywhere; the fixes are the same however they are cut. Memory does not grow with the
/// recording.
public protocol FixDecoder {
    /// Reads on, and appends the fixes that are complete.
    ///
    /// - Throws: ``RecordingError`` where the recording is damaged beyond reading on; the fixes before the damage
    ///   have been appended. Nothing may be fed after that.
    mutating func feed(_ bytes: Span<UInt8>, into fixes: inout [Fix]) throws(RecordingError)

    /// The recording ends here: appends the last fix, if one is complete.
    mutating func finish(into fixes: inout [Fix]) throws(RecordingError)

    /// What was skipped so far, by reason.
    var malformed: Tally { get }
}

/// Why a recording cannot be read, or not further.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a clause without a full stop.
    public let reason: String
    /// The line where it shows, counted from 1, where the format knows lines.
    public let line: Int?
    /// The column in that line, counted from 1.
    public let column: Int?

    /// A recording that cannot be read, or not beyond a line and column.
    public init(_ reason: String, line: Int? = nil, column: Int? = nil) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    /// Where and what: `line 12, column 7: mismatched tag`.
    public var description: String {
        guard let line else { return reason }
        guard let column else { return "line \(line): \(reason)" }
        return "line \(line), column \(column): \(reason)"
    }
}
