public import Positioning

/// Reads a GPX document in chunks.
///
/// It reads GPX 1.0, GPX 1.1 and documents without a namespace, in any encoding that the document declares or that a
/// byte-order mark shows. The root element must be `gpx`. Other elements count only where the schema has them and only
/// in the namespace of the root, so a foreign `trkpt` is ignored. Points whose position is missing or out of range are
/// skipped, and other unreadable values are omitted. Both are counted in ``malformed``.
///
/// A scanner reads the usual documents, and libxml2 reads the others and what the scanner leaves. The results do not
/// depend on which of them has read a part.
///
/// The memory does not grow with the document. The nesting of elements, the number of attributes, the lengths of tags
/// and texts and the number of names are bounded, far above what GPX needs. The reader opens nothing outside the
/// document and expands no entities. Only one task at a time may use it.
///
/// - SeeAlso: [GPX 1.1](https://www.topografix.com/GPX/1/1/), [GPX 1.0](https://www.topografix.com/GPX/1/0/).
public final class GPXReader {
    private let document = GPXDocumentReader(.items)

    /// Creates a reader at the beginning of a document.
    public init() {}

    /// The number of skipped points and values, by reason.
    ///
    /// The reason for points is `position`. The reasons for values are `time`, `elevation`, `speed`, `course`,
    /// `accuracy`, `proximity`, `hdop`, `satellites` and `fix`, and `long-text` for a text that was cut.
    public var malformed: Tally { document.malformed }

    /// The first position that could not be read.
    public var badPosition: GPXBadPosition? { document.badPosition }

    /// Reads a chunk, and appends the items that are complete; some may wait until a block of 64 KiB is full.
    ///
    /// The time is linear in the number of bytes.
    ///
    /// - Throws: ``RecordingError`` with line and column if the document is damaged, or if it is not GPX. The items
    ///   before the damage have been appended. Later calls throw the same error.
    public func feed(_ bytes: Span<UInt8>, into items: inout [GPXItem]) throws(RecordingError) {
        defer { document.moveItems(to: &items) }
        try document.feed(bytes)
    }

    /// Ends the document, and appends the last items.
    ///
    /// - Throws: ``RecordingError`` if the document is empty, incomplete, damaged or not GPX.
    public func finish(into items: inout [GPXItem]) throws(RecordingError) {
        defer { document.moveItems(to: &items) }
        try document.finish()
    }
}
