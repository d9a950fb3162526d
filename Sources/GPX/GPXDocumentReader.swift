import Positioning
import TextCoding

/// Reads a GPX document piece by piece, and keeps what is made of it until that is taken; see ``GPXReader``.
final class GPXDocumentReader {
    /// How many bytes the parser gets at once.
    ///
    /// The blocks begin at multiples of it, so that what the parser says does not depend on how the bytes came. It is
    /// a usual piece of a file.
    private static let blockSize = 65_536

    private let product: GPXBuilder.Product
    private var block: [UInt8] = []
    /// The parser, once the first block has shown the encoding.
    private var parser: XMLPushParser?
    private var transcoder: UnicodeTranscoder?
    private var transcoded: [UInt8] = []
    private var failure: RecordingError?

    /// Nothing read yet.
    init(_ product: GPXBuilder.Product) { self.product = product }

    /// What was skipped so far, by reason; see ``GPXReader/malformed``.
    var malformed: Tally { parser?.handler.builder.malformed ?? Tally() }

    /// Moves the items that are complete.
    func moveItems(to items: inout [GPXItem]) { parser?.handler.builder.moveItems(to: &items) }

    /// Moves the fixes that are complete.
    func moveFixes(to fixes: inout [Fix]) { parser?.handler.builder.moveFixes(to: &fixes) }

    /// Reads on; some bytes may wait for a block to be full.
    func feed(_ bytes: Span<UInt8>) throws(RecordingError) {
        if let failure { throw failure }
        var rest = bytes
        while !rest.isEmpty {
            if block.isEmpty, rest.count >= Self.blockSize {
                try parse(rest.extracting(first: Self.blockSize))
                rest = rest.extracting(droppingFirst: Self.blockSize)
            } else {
                let taken = rest.extracting(first: Self.blockSize - block.count)
                // The bytes are valid during the call, in which they are copied.
                unsafe taken.withUnsafeBufferPointer { unsafe block.append(contentsOf: $0) }
                rest = rest.extracting(droppingFirst: taken.count)
                if block.count == Self.blockSize { try parseBlock() }
            }
        }
    }

    /// The document ends here.
    func finish() throws(RecordingError) {
        if let failure { throw failure }
        if !block.isEmpty { try parseBlock() }
        guard let parser else { throw fail(RecordingError("the file is empty; expected a GPX document")) }
        transcoded.removeAll(keepingCapacity: true)
        transcoder?.finish(into: &transcoded)
        parser.parse(transcoded.span)
        parser.finish()
        if let failure = parser.handler.failure { throw fail(failure) }
    }

    private func parseBlock() throws(RecordingError) {
        // Taken out while it is read, for a failure empties it.
        var bytes: [UInt8] = []
        swap(&bytes, &block)
        try parse(bytes.span)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &block)
    }

    private func parse(_ bytes: Span<UInt8>) throws(RecordingError) {
        let parser = if let parser { parser } else { try begin(bytes) }
        if transcoder == nil {
            parser.parse(bytes)
        } else {
            transcoded.removeAll(keepingCapacity: true)
            transcoder?.feed(bytes, into: &transcoded)
            parser.parse(transcoded.span)
        }
        if let failure = parser.handler.failure { throw fail(failure) }
    }

    /// Recognises the file by its first block.
    private func begin(_ bytes: Span<UInt8>) throws(RecordingError) -> XMLPushParser {
        let opening = FileOpening(bytes)
        if let other = opening.otherFormat {
            throw fail(RecordingError("no GPX: this is \(other); expected XML with the root element <gpx>"))
        }
        if opening.isWide { transcoder = UnicodeTranscoder() }
        let parser = XMLPushParser(product, encodingIsKnown: opening.isWide)
        self.parser = parser
        return parser
    }

    private func fail(_ reason: RecordingError) -> RecordingError {
        failure = reason
        block = []
        return reason
    }
}
