public import Positioning
import TextCoding

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
    /// How many bytes the parser gets at once.
    ///
    /// The blocks begin at multiples of it, so that what the parser says does not depend on how the bytes came. It is
    /// a usual piece of a file.
    private static let blockSize = 65_536

    private var block: [UInt8] = []
    /// The parser, once the first block has shown the encoding.
    private var parser: XMLPushParser?
    private var transcoder: UnicodeTranscoder?
    private var transcoded: [UInt8] = []
    private var failure: RecordingError?

    /// Nothing read yet.
    public init() {}

    /// What was skipped so far, by reason: `position` for points, and for values `time`, `elevation`, `speed`,
    /// `course`, `accuracy`, `hdop`, `satellites`, `fix` and `long-text`, a text that was cut.
    public var malformed: Tally { parser?.handler.builder.malformed ?? Tally() }

    /// Reads on, and appends the items that are complete; some may wait for a block of 64 KiB to be full.
    ///
    /// Linear in the length of the bytes.
    ///
    /// - Throws: ``RecordingError`` where the document is damaged, with line and column, or no GPX; the items
    ///   before the damage have been appended. The same is thrown ever after.
    public func feed(_ bytes: Span<UInt8>, into items: inout [GPXItem]) throws(RecordingError) {
        if let failure { throw failure }
        var rest = bytes
        while !rest.isEmpty {
            if block.isEmpty, rest.count >= Self.blockSize {
                try parse(rest.extracting(first: Self.blockSize), into: &items)
                rest = rest.extracting(droppingFirst: Self.blockSize)
            } else {
                let taken = rest.extracting(first: Self.blockSize - block.count)
                for index in taken.indices { block.append(taken[index]) }
                rest = rest.extracting(droppingFirst: taken.count)
                if block.count == Self.blockSize { try parseBlock(into: &items) }
            }
        }
    }

    /// The document ends here: appends the last items.
    ///
    /// - Throws: ``RecordingError`` where the document is empty, not complete, damaged, or no GPX.
    public func finish(into items: inout [GPXItem]) throws(RecordingError) {
        if let failure { throw failure }
        if !block.isEmpty { try parseBlock(into: &items) }
        guard let parser else { throw fail(RecordingError("the file is empty; expected a GPX document")) }
        transcoded.removeAll(keepingCapacity: true)
        transcoder?.finish(into: &transcoded)
        swap(&items, &parser.handler.builder.items)
        parser.parse(transcoded.span)
        parser.finish()
        swap(&items, &parser.handler.builder.items)
        if let failure = parser.handler.failure { throw fail(failure) }
    }

    private func parseBlock(into items: inout [GPXItem]) throws(RecordingError) {
        let bytes = block
        block.removeAll(keepingCapacity: true)
        try parse(bytes.span, into: &items)
    }

    private func parse(_ bytes: Span<UInt8>, into items: inout [GPXItem]) throws(RecordingError) {
        let parser = if let parser { parser } else { try begin(bytes) }
        // The parser appends to the caller's items while it works.
        swap(&items, &parser.handler.builder.items)
        if transcoder == nil {
            parser.parse(bytes)
        } else {
            transcoded.removeAll(keepingCapacity: true)
            transcoder?.feed(bytes, into: &transcoded)
            parser.parse(transcoded.span)
        }
        swap(&items, &parser.handler.builder.items)
        if let failure = parser.handler.failure { throw fail(failure) }
    }

    /// Recognises the file by its first block.
    private func begin(_ bytes: Span<UInt8>) throws(RecordingError) -> XMLPushParser {
        let opening = FileOpening(bytes)
        if let other = opening.otherFormat {
            throw fail(RecordingError("no GPX: this is \(other); expected XML with the root element <gpx>"))
        }
        if opening.isWide { transcoder = UnicodeTranscoder() }
        let parser = XMLPushParser(encodingIsKnown: opening.isWide)
        self.parser = parser
        return parser
    }

    private func fail(_ reason: RecordingError) -> RecordingError {
        failure = reason
        block = []
        return reason
    }
}
