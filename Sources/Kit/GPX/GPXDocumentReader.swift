import Positioning
import TextCoding

/// Reads a GPX document in chunks, and keeps the results until they are moved; see ``GPXReader``.
final class GPXDocumentReader {
    /// The number of bytes that the parser receives at once.
    ///
    /// Blocks begin at multiples of this size, so that errors do not depend on how the bytes were cut. It is a common
    /// size for reading files.
    static let blockSize = 65_536

    private let builder: GPXBuilder
    private let blockSize: Int
    private var block: [UInt8] = []
    private var hasBegun = false
    /// The scanner, which reads the document until it finds something for the parser.
    private var scanner: GPXScanner?
    /// The parser, which reads the rest of the document.
    private var parser: XMLPushParser<XMLHandler>?
    private var transcoder: UnicodeTranscoder?
    private var transcoded: [UInt8] = []
    private var failure: RecordingError?

    /// Creates a reader at the beginning of a document.
    ///
    /// - Parameters:
    ///   - keepsLines: whether to keep the lines of fixes; see ``drainLines()``.
    ///   - scans: whether the scanner reads what it can; otherwise libxml2 reads everything, with the same results.
    ///   - blockSize: the number of bytes that are parsed at once; at least 1.
    init(
        _ product: GPXBuilder.Product, keepsLines: Bool = false, scans: Bool = true,
        blockSize: Int = GPXDocumentReader.blockSize
    ) {
        var builder = GPXBuilder(product)
        builder.keepsLines = keepsLines
        self.builder = builder
        self.blockSize = max(1, blockSize)
        if scans { scanner = GPXScanner(builder) }
    }

    /// Whether the scanner has read everything so far.
    var isScanning: Bool { scanner != nil }

    /// The number of skipped points and values, by reason; see ``GPXReader/malformed``.
    var malformed: Tally { parser?.handler.builder.malformed ?? scanner?.builder.malformed ?? Tally() }

    /// The first position that could not be read.
    var badPosition: GPXBadPosition? { parser?.handler.badPosition ?? scanner?.badPosition }

    /// The program that wrote the document; see ``GPXDocument/creator``.
    var creator: String? { parser?.handler.builder.creator ?? scanner?.builder.creator }

    /// Returns the numbers of fixes before each track that has begun since the last call.
    func drainTrackBeginnings() -> [Int] {
        parser?.handler.builder.drainTrackBeginnings() ?? scanner?.builder.drainTrackBeginnings() ?? []
    }

    /// Returns the lines of the fixes that were completed since the last call, if they are kept.
    func drainLines() -> [Int] { parser?.handler.builder.drainLines() ?? scanner?.builder.drainLines() ?? [] }

    /// Moves the complete items to the end of `items`.
    func moveItems(to items: inout [GPXItem]) {
        scanner?.builder.moveItems(to: &items)
        parser?.handler.builder.moveItems(to: &items)
    }

    /// Moves the complete fixes to the end of `fixes`.
    func moveFixes(to fixes: inout [Fix]) {
        scanner?.builder.moveFixes(to: &fixes)
        parser?.handler.builder.moveFixes(to: &fixes)
    }

    /// Reads a chunk; the last bytes may wait until a block is full.
    func feed(_ bytes: Span<UInt8>) throws(RecordingError) {
        if let failure { throw failure }
        var rest = bytes
        while !rest.isEmpty {
            if block.isEmpty, rest.count >= blockSize {
                try parse(rest.extracting(first: blockSize))
                rest = rest.extracting(droppingFirst: blockSize)
            } else {
                let taken = rest.extracting(first: blockSize - block.count)
                // The bytes are valid during the call, which copies them.
                unsafe taken.withUnsafeBufferPointer { unsafe block.append(contentsOf: $0) }
                rest = rest.extracting(droppingFirst: taken.count)
                if block.count == blockSize { try parseBlock() }
            }
        }
    }

    /// Ends the document.
    func finish() throws(RecordingError) {
        if let failure { throw failure }
        if !block.isEmpty { try parseBlock() }
        guard hasBegun else { throw fail(RecordingError("the file is empty; expected a GPX document")) }
        if scanner?.isComplete == true { return }
        try handOver()
        let parser = parser ?? makeParser()
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
        if !hasBegun { try begin(bytes) }
        if try scan(bytes) { return }
        let parser = parser ?? makeParser()
        if transcoder == nil {
            parser.parse(bytes)
        } else {
            transcoded.removeAll(keepingCapacity: true)
            transcoder?.feed(bytes, into: &transcoded)
            parser.parse(transcoded.span)
        }
        if let failure = parser.handler.failure { throw fail(failure) }
    }

    /// Reads a block with the scanner, unless it has given up or does so now.
    ///
    /// - Returns: Whether the block has been read.
    private func scan(_ bytes: Span<UInt8>) throws(RecordingError) -> Bool {
        guard let checkpoint = scanner?.builder.checkpoint else { return false }
        let badPosition = scanner?.badPosition
        if scanner?.read(bytes) == true { return true }
        scanner?.builder.restore(checkpoint)
        scanner?.badPosition = badPosition
        try handOver()
        return false
    }

    /// Gives what the scanner has not read to a parser.
    private func handOver() throws(RecordingError) {
        guard let scanner else { return }
        let remains = scanner.remains
        let parser = makeParser(scanner.builder, badPosition: scanner.badPosition)
        self.scanner = nil
        guard !remains.tags.isEmpty else { return }
        parser.store(remains.names)
        parser.handler.isRepeating = true
        for (index, tag) in remains.tags.enumerated() {
            // The lines before the root's tag are there. libxml2 names the lines of others in its errors.
            if index > 0 { parser.move(toLine: tag.line, column: 1) }
            parser.parse(tag.bytes.span)
        }
        parser.handler.isRepeating = false
        parser.move(toLine: remains.line, column: remains.column)
        if !remains.rest.isEmpty { parser.parse(remains.rest.span) }
        if let failure = parser.handler.failure { throw fail(failure) }
    }

    private func makeParser(
        _ builder: GPXBuilder? = nil, badPosition: GPXBadPosition? = nil
    ) -> XMLPushParser<XMLHandler> {
        let builder = builder ?? self.builder
        let parser = unsafe XMLPushParser(encodingIsKnown: transcoder != nil) {
            unsafe XMLHandler($0, builder, badPosition: badPosition)
        }
        self.parser = parser
        return parser
    }

    /// Checks the format of the file in its first block.
    private func begin(_ bytes: Span<UInt8>) throws(RecordingError) {
        hasBegun = true
        let signature = FileSignature(bytes)
        if let other = signature.otherFormat {
            throw fail(RecordingError("not GPX: this is \(other); expected XML with the root element <gpx>"))
        }
        guard signature.isWide else { return }
        transcoder = UnicodeTranscoder()
        scanner = nil
    }

    private func fail(_ reason: RecordingError) -> RecordingError {
        failure = reason
        block = []
        return reason
    }
}
