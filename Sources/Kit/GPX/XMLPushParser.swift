package import CXML2
package import Positioning
import TextCoding

/// What the callbacks of libxml2 collect of a document; see ``XMLPushParser``.
package protocol XMLCollector {
    /// The callbacks for a context whose user data is the address of a collector.
    ///
    /// No callback may load a document type or an external entity.
    static var callbacks: xmlSAXHandler { get }
    /// The reason for a document without an element.
    static var noElement: String { get }

    /// The reason why reading ended; nothing is read afterwards.
    var failure: RecordingError? { get }
    /// Whether no more bytes will come.
    var isEnding: Bool { get set }
    /// Whether the root element has ended.
    var hasEnded: Bool { get }

    /// Records a failure at the present position, unless there is one already.
    mutating func fail(_ reason: String)
}

/// A safe and bounded wrapper of libxml2's push parser, which passes the elements of a document to a collector.
///
/// The parser opens nothing outside the document: no callback is set that could load a document type or an external
/// entity, and network access is disabled as well. It expands no entities except XML's own five. A collector refuses a
/// document that uses any other entity as soon as the entity occurs, so there can be no entity bomb. `XMLBounds` limits
/// the document before libxml2 sees it.
///
/// Only one task at a time may use it. The type is safe because it owns its pointer: init creates it, deinit frees it,
/// and it is valid in between.
@safe package final class XMLPushParser<Collector: XMLCollector> {
    /// The collector that receives the elements.
    package var handler: Collector

    /// The most bytes between an `&` and the semicolon that ends the reference.
    ///
    /// Without this limit, libxml2 would read on to the next semicolon, however far away it is.
    private static var maximumReference: Int { 1024 }
    /// The most bytes of distinct names in a document.
    ///
    /// libxml2 keeps each name until the end of the document.
    private static var maximumNames: Int { 1 << 20 }

    private let context: xmlParserCtxtPtr?
    private var bounds = XMLBounds()

    /// Creates a parser at the beginning of a document.
    ///
    /// - Parameters:
    ///   - encodingIsKnown: whether the bytes are UTF-8, whatever the document declares.
    ///   - collector: returns the collector for a context, which is valid as long as the parser, or `nil` if memory is
    ///     short.
    package init(encodingIsKnown: Bool, _ collector: (xmlParserCtxtPtr?) -> Collector) {
        _ = libraryIsInitialized
        var callbacks = unsafe Collector.callbacks
        // libxml2 copies the callbacks, and the other arguments may be nil. The result is nil only if memory is short,
        // which parse reports.
        let context = unsafe xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil)
        unsafe self.context = context
        unsafe handler = collector(context)
        guard let context = unsafe context else { return }
        let options = XML_PARSE_NONET.rawValue | (encodingIsKnown ? XML_PARSE_IGNORE_ENC.rawValue : 0)
        // The context and its dictionary are valid until deinit.
        unsafe xmlCtxtUseOptions(context, CInt(options))
        unsafe xmlDictSetLimit(context.pointee.dict, Self.maximumNames)
    }

    deinit {
        guard let context = unsafe context else { return }
        // If a document declares an entity, libxml2 creates a document object, which the user of the context must free.
        // Neither is used after this.
        if let document = unsafe context.pointee.myDoc { unsafe xmlFreeDoc(document) }
        unsafe xmlFreeParserCtxt(context)
    }

    /// Parses a chunk; does nothing after a failure.
    ///
    /// A chunk of more than 2 GiB is cut.
    package func parse(_ bytes: Span<UInt8>) {
        guard handler.failure == nil else { return }
        // Nothing of this piece is read, whose elements before the refused one would need a second look.
        if let refusal = bounds.refusal(of: bytes) { return handler.fail("\(refusal)") }
        unsafe bytes.withUnsafeBytes { buffer in
            // Bytes may be read as C's characters. libxml2 reads only within the buffer, and copies what it keeps.
            unsafe parse(buffer.bindMemory(to: CChar.self).baseAddress, count: CInt(clamping: buffer.count))
        }
    }

    /// Sets the position of what is parsed next, for a document whose beginning was read by something else.
    func move(toLine line: Int, column: Int) {
        // An input is valid as long as the context.
        guard let input = unsafe context?.pointee.input else { return }
        unsafe input.pointee.line = CInt(clamping: line)
        unsafe input.pointee.col = CInt(clamping: column)
    }

    /// Stores names in the parser's dictionary as if the document had used them.
    func store(_ names: [[UInt8]]) {
        guard let dictionary = unsafe context?.pointee.dict else { return }
        // The dictionary is valid as long as the context. libxml2 reads `count` bytes and copies them.
        for name in names { _ = unsafe xmlDictLookup(dictionary, name, CInt(clamping: name.count)) }
    }

    /// Ends the document.
    package func finish() {
        handler.isEnding = true
        // No bytes, with the flag that ends the document.
        unsafe parse(nil, count: 0)
        if !handler.hasEnded { handler.fail(Collector.noElement) }
    }

    private func parse(_ bytes: UnsafePointer<CChar>?, count: CInt) {
        guard handler.failure == nil else { return }
        guard let context = unsafe context else { return handler.fail("not enough memory for an XML parser") }
        // This is a setting of the thread, and a task may call from a different thread each time.
        xmlIgnoreMessages()
        // The context is valid until deinit, and the bytes and the collector's address are valid during the call. libxml2
        // uses the address only in callbacks, which come only during the call, one at a time, on this thread.
        let terminate: CInt = handler.isEnding ? 1 : 0
        let status = unsafe withUnsafeMutablePointer(to: &handler) { address in
            unsafe context.pointee.userData = UnsafeMutableRawPointer(address)
            return unsafe xmlParseChunk(context, bytes, count, terminate)
        }
        if status != 0, unsafe context.pointee.disableSAX != 0 {
            handler.fail("the bytes are not valid in the encoding that the document declares")
        }
        let waiting = unsafe Self.waiting(context)
        if waiting.count > Self.maximumReference, unsafe waiting.first == UInt8(ascii: "&") {
            handler.fail(XMLErrorReason.strayAmpersand)
        } else if waiting.count > XMLBounds.maximumMarkup {
            handler.fail("a tag, a comment or a section does not end within \(XMLBounds.maximumMarkup) bytes")
        }
    }

    /// Returns the bytes that libxml2 holds and has not parsed; do not use them after its next call.
    package static func waiting(_ context: xmlParserCtxtPtr?) -> UnsafeBufferPointer<xmlChar> {
        // An input is valid as long as the context, and both pointers point into its one buffer.
        guard let input = unsafe context?.pointee.input else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeBufferPointer(start: input.pointee.cur, count: input.pointee.end - input.pointee.cur)
    }
}

// Swift initialises a global constant once, no matter which tasks use it first.
private let libraryIsInitialized: Bool = {
    xmlInitParser()
    return true
}()
