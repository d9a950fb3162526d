import CXML2
import Positioning
import TextCoding

/// A safe and bounded wrapper of libxml2's push parser, which passes the elements of a document to an ``XMLHandler``.
///
/// The parser opens nothing outside the document: no callback is set that could load a document type or an external
/// entity, and network access is disabled as well. It expands no entities except XML's own five. It refuses a document
/// that declares or uses any other entity as soon as the entity occurs, so there can be no entity bomb.
///
/// Only one task at a time may use it. The type is safe because it owns its pointer: init creates it, deinit frees it,
/// and it is valid in between.
@safe final class XMLPushParser {
    /// The handler that receives the elements.
    var handler: XMLHandler

    /// The most bytes between an `&` and the semicolon that ends the reference.
    ///
    /// Without this limit, libxml2 would read on to the next semicolon, however far away it is.
    static let maximumReference = 1024
    /// The most bytes of distinct names in a document.
    ///
    /// libxml2 keeps each name until the end of the document.
    static let maximumNames = 1 << 20

    private let context: xmlParserCtxtPtr?
    private var bounds = XMLBounds()

    // Swift initialises a global constant once, no matter which tasks use it first.
    private static let isInitialized: Bool = {
        xmlInitParser()
        return true
    }()

    /// Creates a parser at the beginning of a document.
    ///
    /// - Parameters:
    ///   - product: what the builder produces.
    ///   - encodingIsKnown: whether the bytes are UTF-8, whatever the document declares.
    init(_ product: GPXBuilder.Product, encodingIsKnown: Bool) {
        _ = Self.isInitialized
        var callbacks = unsafe XMLHandler.callbacks
        // libxml2 copies the callbacks, and the other arguments may be nil. The result is nil only if memory is short,
        // which parse reports.
        let context = unsafe xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil)
        unsafe self.context = context
        unsafe handler = XMLHandler(context, product)
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
    func parse(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= Int(CInt.max))
        guard handler.failure == nil else { return }
        // Nothing of this piece is read, whose elements before the refused one would need a second look.
        if let refusal = bounds.refusal(of: bytes) { return handler.fail("\(refusal)") }
        unsafe bytes.withUnsafeBytes { buffer in
            // Bytes may be read as C's characters. libxml2 reads only within the buffer, and copies what it keeps.
            unsafe parse(buffer.bindMemory(to: CChar.self).baseAddress, count: CInt(buffer.count))
        }
    }

    /// Ends the document.
    func finish() {
        handler.isEnding = true
        // No bytes, with the flag that ends the document.
        unsafe parse(nil, count: 0)
        if !handler.builder.hasEnded {
            handler.fail(XMLErrorReason.noElement)
        }
    }

    private func parse(_ bytes: UnsafePointer<CChar>?, count: CInt) {
        guard handler.failure == nil else { return }
        guard let context = unsafe context else { return handler.fail("not enough memory for an XML parser") }
        // This is a setting of the thread, and a task may call from a different thread each time. The reader of KML,
        // the only other user of libxml2 in this program, makes the same setting.
        xmlIgnoreMessages()
        // The context is valid until deinit, and the bytes and the handler's address are valid during the call. libxml2
        // uses the address only in callbacks, which come only during the call, one at a time, on this thread.
        let terminate: CInt = handler.isEnding ? 1 : 0
        let status = unsafe withUnsafeMutablePointer(to: &handler) { address in
            unsafe context.pointee.userData = UnsafeMutableRawPointer(address)
            return unsafe xmlParseChunk(context, bytes, count, terminate)
        }
        if status != 0, unsafe context.pointee.disableSAX != 0 {
            handler.fail("the bytes are not valid in the encoding that the document declares")
        }
        let waiting = unsafe handler.waiting
        if waiting.count > Self.maximumReference, unsafe waiting.first == UInt8(ascii: "&") {
            handler.fail(XMLErrorReason.strayAmpersand)
        } else if waiting.count > XMLBounds.maximumMarkup {
            handler.fail("a tag, a comment or a section does not end within \(XMLBounds.maximumMarkup) bytes")
        }
    }
}
