import Positioning
import TextCoding

/// Reads an XML document in chunks, and passes its pieces to a builder.
///
/// A document may be in UTF-8, in UTF-16 or UTF-32 with a byte-order mark, or in an encoding that it declares and
/// libxml2 knows. White space before it is passed over, since Strava writes some before the declaration.
final class XMLDocument {
    /// The number of bytes that the parser receives at once.
    ///
    /// Blocks begin at multiples of this size, so that neither items nor errors depend on how the bytes were cut.
    private static let blockSize = 1 << 16

    private let root: String
    private let names: [String]
    private let attribute: String?
    private var block: [UInt8] = []
    /// The parser, which is created when the first block has shown the encoding.
    private var parser: XMLElements?
    private var transcoder: UnicodeTranscoder?
    private var failure: RecordingError?

    /// Creates a reader at the beginning of a document; see ``XMLElements``.
    init(root: String, names: [String], attribute: String? = nil) {
        self.root = root
        self.names = names
        self.attribute = attribute
    }

    /// Reads a chunk, and passes the pieces that are complete; the last bytes may wait until a block is full.
    ///
    /// - Parameter handle: receives a piece and the bytes to which the range of a text refers.
    func feed(
        _ bytes: Span<UInt8>, _ handle: (XMLElements.Piece, [UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        if let failure { throw failure }
        var rest = bytes
        while !rest.isEmpty {
            let taken = rest.extracting(first: Self.blockSize - block.count)
            for index in taken.indices {
                if block.isEmpty, parser == nil, ElementText.isSpace(taken[index]) { continue }
                block.append(taken[index])
            }
            rest = rest.extracting(droppingFirst: taken.count)
            if block.count == Self.blockSize { try parseBlock(handle) }
        }
    }

    /// Ends the document, and passes the last pieces.
    func finish(_ handle: (XMLElements.Piece, [UInt8]) throws(RecordingError) -> Void) throws(RecordingError) {
        if let failure { throw failure }
        if !block.isEmpty { try parseBlock(handle) }
        guard let parser else {
            throw fail(RecordingError("the file is empty; expected XML with the element <\(root)>"))
        }
        if transcoder != nil {
            var text: [UInt8] = []
            transcoder?.finish(into: &text)
            parser.parse(text.span)
            try pass(parser, handle)
        }
        parser.finish()
        try pass(parser, handle)
    }

    private func parseBlock(
        _ handle: (XMLElements.Piece, [UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        let parser = self.parser ?? begin()
        if transcoder == nil {
            parser.parse(block.span)
        } else {
            var text: [UInt8] = []
            transcoder?.feed(block.span, into: &text)
            parser.parse(text.span)
        }
        block.removeAll(keepingCapacity: true)
        try pass(parser, handle)
    }

    private func begin() -> XMLElements {
        let isWide = [[0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF]].contains { block.starts(with: $0) }
        if isWide { transcoder = UnicodeTranscoder() }
        let parser = XMLElements(root: root, names: names, attribute: attribute, encodingIsKnown: isWide)
        self.parser = parser
        return parser
    }

    private func pass(
        _ parser: XMLElements, _ handle: (XMLElements.Piece, [UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        let text = parser.text
        do throws(RecordingError) {
            for piece in parser.pieces { try handle(piece, text) }
        } catch {
            throw fail(error)
        }
        if let failure = parser.failure { throw fail(failure) }
    }

    private func fail(_ reason: RecordingError) -> RecordingError {
        failure = reason
        block = []
        return reason
    }
}
