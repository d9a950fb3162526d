internal import CXML2
internal import Positioning
internal import TextCoding

/// Reads an XML document with libxml2's reader, as a sequence of elements and their text.
///
/// It is meant for documents that are read as a whole. It opens nothing outside the document. It refuses document
/// types, so there are no entities to expand except the five of XML itself. Names come without their prefixes.
/// ``XMLBounds`` limits the document before libxml2 sees it, and libxml2 limits the length of a text to 10 MB.
///
/// The type is safe because it owns its pointers: init creates them, deinit frees them, and they are valid in between.
@safe struct XMLPull: ~Copyable {
    /// A piece of the document.
    enum Piece: Equatable {
        /// An element begins.
        case begin(String)
        /// The innermost open element ends.
        case end(String)
        /// A text with expanded entities; several may follow one another.
        case text(String)
    }

    private let document: UnsafeMutableBufferPointer<CChar>
    /// The reader; `nil` if memory is short.
    private let reader: xmlTextReaderPtr?
    /// The name of an empty element, whose end is the next piece.
    private var waiting: String?

    /// Creates a reader of a document in UTF-8, or in UTF-16 with a byte-order mark.
    ///
    /// - Throws: ``RecordingError`` if the text is not in one of these encodings or is too long.
    init(_ bytes: [UInt8]) throws(RecordingError) {
        var transcoder = UnicodeTranscoder()
        var text: [UInt8] = []
        transcoder.feed(bytes.span, into: &text)
        transcoder.finish(into: &text)
        guard (try? UTF8Span(validating: text.span)) != nil else {
            throw RecordingError("the text is not UTF-8; save the file as UTF-8")
        }
        var bounds = XMLBounds()
        if let refusal = bounds.refusal(of: text.span) { throw RecordingError("\(refusal)") }
        guard let length = CInt(exactly: text.count) else { throw RecordingError("the text is too long; split it") }
        xmlIgnoreMessages()
        // libxml2 reads from these bytes until the reader is freed, and deinit frees the reader before the bytes.
        let document = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(text.count, 1))
        // C's characters are signed on some processors and not on others.
        _ = unsafe document.initialize(from: text.lazy.map { CChar(truncatingIfNeeded: $0) })
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_NOCDATA.rawValue
        unsafe reader = xmlReaderForMemory(document.baseAddress, length, nil, "UTF-8", CInt(options))
        unsafe self.document = document
    }

    deinit {
        unsafe xmlFreeTextReader(reader)
        unsafe document.deallocate()
    }

    /// Returns the next piece, or `nil` at the end of the document.
    ///
    /// - Throws: ``RecordingError`` with a line if the document is damaged or has a document type.
    mutating func next() throws(RecordingError) -> Piece? {
        if let name = waiting {
            waiting = nil
            return .end(name)
        }
        guard unsafe reader != nil else { throw RecordingError("not enough memory for an XML reader") }
        // This is a setting of the thread, and a task may continue on another thread.
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
                // The text belongs to the reader, ends with a zero byte, and is valid until the next read.
                if let text = unsafe xmlTextReaderConstValue(reader) { return unsafe .text(String(cString: text)) }
            case XML_READER_TYPE_DOCUMENT_TYPE, XML_READER_TYPE_ENTITY_REFERENCE:
                throw error("the document has a document type declaration, which is not supported; remove it")
            default: break
            }
        }
    }

    /// Returns an attribute of the element that has just begun; `nil` if it has none of this name.
    func attribute(_ name: String) -> String? {
        guard unsafe reader != nil, unsafe xmlTextReaderMoveToAttribute(reader, name) == 1 else { return nil }
        // The value belongs to the reader, ends with a zero byte, and is valid until the next read.
        let value = unsafe xmlTextReaderConstValue(reader).map { unsafe String(cString: $0) }
        unsafe xmlTextReaderMoveToElement(reader)
        return value
    }

    private var name: String {
        // The name belongs to the reader, ends with a zero byte, and is valid until the next read.
        unsafe xmlTextReaderConstLocalName(reader).map { unsafe String(cString: $0) } ?? ""
    }

    private func damage() -> RecordingError {
        // This is the last error of this thread, and is valid until the next one.
        let message = unsafe xmlGetLastError()?.pointee.message.map { unsafe String(cString: $0) } ?? ""
        let clause = message.split(whereSeparator: \.isWhitespace).prefix(40).joined(separator: " ")
        return error(clause.isEmpty ? "the XML is damaged" : "the XML is damaged: \(clause)")
    }

    private func error(_ reason: String) -> RecordingError {
        let line = unsafe xmlTextReaderGetParserLineNumber(reader)
        return RecordingError(reason, line: line > 0 ? Int(line) : nil)
    }
}
