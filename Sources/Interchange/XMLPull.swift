internal import CXML2
internal import Positioning
internal import TextCoding

/// Takes an XML document apart with libxml2's reader: elements and their text, one after another, and nothing else.
///
/// For documents that are read whole. Nothing outside the document is opened, and a document type is refused, so that
/// there is no entity to expand but XML's own five. Names are without their prefixes. libxml2 bounds how deep elements
/// nest (256) and how long a text is (10 MB).
///
/// It is safe because its pointers stay its own: made by init, freed by deinit, valid between.
@safe struct XMLPull: ~Copyable {
    /// What comes next.
    enum Piece: Equatable {
        /// An element begins.
        case begin(String)
        /// The element that began last ends.
        case end(String)
        /// Text, its entities expanded; several may follow one another.
        case text(String)
    }

    private let document: UnsafeMutableBufferPointer<CChar>
    /// Nil for lack of memory.
    private let reader: xmlTextReaderPtr?
    /// The end of an element that is its own end, which comes next.
    private var waiting: String?

    /// A document, in UTF-8 or UTF-16 with a byte-order mark.
    ///
    /// - Throws: ``RecordingError`` where it is neither.
    init(_ bytes: [UInt8]) throws(RecordingError) {
        var transcoder = UnicodeTranscoder()
        var text: [UInt8] = []
        transcoder.feed(bytes.span, into: &text)
        transcoder.finish(into: &text)
        guard (try? UTF8Span(validating: text.span)) != nil else {
            throw RecordingError("the text is not UTF-8; save the file as UTF-8")
        }
        guard let length = CInt(exactly: text.count) else { throw RecordingError("the text is too long; split it") }
        xmlIgnoreMessages()
        // libxml2 reads from these bytes until the reader is freed, which is before they are.
        let document = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(text.count, 1))
        _ = unsafe document.initialize(from: text.lazy.map(CChar.init(bitPattern:)))
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_NOCDATA.rawValue
        unsafe reader = xmlReaderForMemory(document.baseAddress, length, nil, "UTF-8", CInt(options))
        unsafe self.document = document
    }

    deinit {
        unsafe xmlFreeTextReader(reader)
        unsafe document.deallocate()
    }

    /// The next piece; nil at the end of the document.
    ///
    /// - Throws: ``RecordingError`` with its line where the document is damaged.
    mutating func next() throws(RecordingError) -> Piece? {
        if let name = waiting {
            waiting = nil
            return .end(name)
        }
        guard unsafe reader != nil else { throw RecordingError("not enough memory for an XML reader") }
        // At each call, because a task may go on in another thread.
        xmlIgnoreMessages()
        while true {
            switch unsafe xmlTextReaderRead(reader) {
            case 0: return nil
            case 1: break
            default: throw damage()
            }
            switch xmlReaderTypes(rawValue: UInt32(bitPattern: unsafe xmlTextReaderNodeType(reader))) {
            case XML_READER_TYPE_ELEMENT:
                let name = name
                if unsafe xmlTextReaderIsEmptyElement(reader) == 1 { waiting = name }
                return .begin(name)
            case XML_READER_TYPE_END_ELEMENT: return .end(name)
            case XML_READER_TYPE_TEXT, XML_READER_TYPE_CDATA, XML_READER_TYPE_SIGNIFICANT_WHITESPACE,
                XML_READER_TYPE_WHITESPACE:
                // The text is the reader's, ends in 0, and is valid until it reads on.
                if let text = unsafe xmlTextReaderConstValue(reader) { return unsafe .text(String(cString: text)) }
            case XML_READER_TYPE_DOCUMENT_TYPE, XML_READER_TYPE_ENTITY_REFERENCE:
                throw error("the document has a document type, which none needs and none is read")
            default: break
            }
        }
    }

    private var name: String {
        // The name is the reader's, ends in 0, and is valid until it reads on.
        unsafe xmlTextReaderConstLocalName(reader).map { unsafe String(cString: $0) } ?? ""
    }

    private func damage() -> RecordingError {
        // The last error of this thread, valid until the next.
        let message = unsafe xmlGetLastError()?.pointee.message.map { unsafe String(cString: $0) } ?? ""
        let clause = message.split(whereSeparator: \.isWhitespace).prefix(40).joined(separator: " ")
        return error(clause.isEmpty ? "the XML is damaged" : "the XML is damaged: \(clause)")
    }

    private func error(_ reason: String) -> RecordingError {
        let line = unsafe xmlTextReaderGetParserLineNumber(reader)
        return RecordingError(reason, line: line > 0 ? Int(line) : nil)
    }
}
