public import Positioning

/// Reads a GPX document piece by piece.
///
/// GPX 1.0, 1.1 and documents without a namespace, in any encoding that the document declares or that a byte-order
/// mark shows. The root element must be `gpx`; elements count where the schema has them and in the root's
/// namespace, so that a foreign `trkpt` is none. Points whose position is missing or out of range are skipped,
/// other values that are bad are left out; both are counted in ``malformed``.
///
/// Memory does not grow with the document: how deep elements nest, how many attributes they have, how long tags and
/// texts are and how many names there are is bounded, far beyond what GPX needs. Nothing outside the document is
/// opened, and no entity expanded. Not for use by several tasks at a time.
///
/// - SeeAlso: [GPX 1.1](https://www.topografix.com/GPX/1/1/), [GPX 1.0](https://www.topografix.com/GPX/1/0/).
public final class GPXReader {
    private let document = GPXDocumentReader(.items)

    /// Nothing read yet.
    public init() {}

    /// What was skipped so far, by reason: `position` for points, and for values `time`, `elevation`, `speed`,
    /// `course`, `accuracy`, `hdop`, `satellites`, `fix` and `long-text`, a text that was cut.
    public var malformed: Tally { document.malformed }

    /// Reads on, and appends the items that are complete; some may wait for a block of 64 KiB to be full.
    ///
    /// Linear in the length of the bytes.
    ///
    /// - Throws: ``RecordingError`` where the document is damaged, with line and column, or no GPX; the items
    ///   before the damage have been appended. The same is thrown ever after.
    public func feed(_ bytes: Span<UInt8>, into items: inout [GPXItem]) throws(RecordingError) {
        defer { document.moveItems(to: &items) }
        try document.feed(bytes)
    }

    /// The document ends here: appends the last items.
    ///
    /// - Throws: ``RecordingError`` where the document is empty, not complete, damaged, or no GPX.
    public func finish(into items: inout [GPXItem]) throws(RecordingError) {
        defer { document.moveItems(to: &items) }
        try document.finish()
    }
}
