public import Positioning

/// Reads a history that is compressed by gzip, such as `activity.fit.gz`, with the reader of what is in it.
///
/// The checksum of gzip is checked at the end, when the items have been handed on, so take nothing for sound before
/// ``finish(into:)``; see ``GzipExpander`` for the bounds.
public struct GzippedHistory<Content: HistoryDecoder>: DamageTolerantDecoder {
    /// The reader of the decompressed bytes.
    public private(set) var content: Content

    private var expander = GzipExpander()

    /// Creates a decoder at the beginning of a file.
    public init(_ content: Content) { self.content = content }

    /// What stood in the history as a point and was none, counted by reason.
    public var dropped: [DroppedPoint: Int] { content.dropped }

    /// The first damage of the content that did not prevent reading; `nil` if there was none.
    public var damage: RecordingError? { (content as? any DamageTolerantDecoder)?.damage }

    /// Reads a chunk, and appends the items that are complete; see `HistoryDecoder`.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        var expander = expander
        defer { self.expander = expander }
        try expander.feed(bytes) { piece throws(RecordingError) in try content.feed(piece.span, into: &items) }
    }

    /// Ends the file, and appends the last items; see `HistoryDecoder`.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        try expander.finish()
        try content.finish(into: &items)
    }
}
