import Positioning
import TextCoding

/// Reads a GPX document in chunks, and keeps the results until they are moved; see ``GPXReader``.
final class GPXDocumentReader {
    /// The number of bytes that the parser receives at once.
    ///
    /// Blocks begin at multiples of this size, so that errors do not depend on how the bytes were cut. It is a common
    /// size for reading files.
    private static let blockSize = 65_536

    private let product: GPXBuilder.Product
    private let keepsLines: Bool
    private var block: [UInt8] = []
    /// The parser, which is created when the first block has shown the encoding.
    private var parser: XMLPushParser<XMLHandler>?
    private var transcoder: UnicodeTranscoder?
    private var transcoded: [UInt8] = []
    private var failure: RecordingError?

    /// Creates a reader at the beginning of a document.
    ///
    /// - Parameter keepsLines: whether to keep the lines of fixes; see ``takeLines()``.
    init(_ product: GPXBuilder.Product, keepsLines: Bool = false) {
        self.product = product
        self.keepsLines = keepsLines
    }

    /// The number of skipped points and values, by reason; see ``GPXReader/malformed``.
    var malformed: Tally { parser?.handler.builder.malformed ?? Tally() }

    /// The first position that could not be read.
    var badPosition: GPXBadPosition? { parser?.handler.badPosition }

    /// The program that wrote the document; see ``GPXDocument/creator``.
    var creator: String? { parser?.handler.builder.creator }

    /// Returns the numbers of fixes before each track that has begun since the last call.
    func takeTrackBeginnings() -> [Int] { parser?.handler.builder.takeTrackBeginnings() ?? [] }

    /// Returns the lines of the fixes that were completed since the last call, if they are kept.
    func takeLines() -> [Int] { parser?.handler.builder.takeLines() ?? [] }

    /// Moves the complete items to the end of `items`.
    func moveItems(to items: inout [GPXItem]) { parser?.handler.builder.moveItems(to: &items) }

    /// Moves the complete fixes to the end of `fixes`.
    func moveFixes(to fixes: inout [Fix]) { parser?.handler.builder.moveFixes(to: &fixes) }

    /// Reads a chunk; the last bytes may wait until a block is full.
    func feed(_ bytes: Span<UInt8>) throws(RecordingError) {
        if let failure { throw failure }
        var rest = bytes
        while !rest.isEmpty {
            if block.isEmpty, rest.count >= Self.blockSize {
                try parse(rest.extracting(first: Self.blockSize))
                rest = rest.extracting(droppingFirst: Self.blockSize)
            } else {
                let taken = rest.extracting(first: Self.blockSize - block.count)
                // The bytes are valid during the call, which copies them.
                unsafe taken.withUnsafeBufferPointer { unsafe block.append(contentsOf: $0) }
                rest = rest.extracting(droppingFirst: taken.count)
                if block.count == Self.blockSize { try parseBlock() }
            }
        }
    }

    /// Ends the document.
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
        // Swapped out while it is read, because a failure empties it.
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

    /// Creates the parser after checking the format of the file in its first block.
    private func begin(_ bytes: Span<UInt8>) throws(RecordingError) -> XMLPushParser<XMLHandler> {
        let signature = FileSignature(bytes)
        if let other = signature.otherFormat {
            throw fail(RecordingError("not GPX: this is \(other); expected XML with the root element <gpx>"))
        }
        if signature.isWide { transcoder = UnicodeTranscoder() }
        let product = product
        let parser = unsafe XMLPushParser(encodingIsKnown: signature.isWide) { unsafe XMLHandler($0, product) }
        parser.handler.builder.keepsLines = keepsLines
        self.parser = parser
        return parser
    }

    private func fail(_ reason: RecordingError) -> RecordingError {
        failure = reason
        block = []
        return reason
    }
}
