import CXML2
import Positioning

/// libxml2's push parser, made safe and bounded: bytes in, calls of an ``XMLHandler`` out.
///
/// Nothing outside the document is ever opened: no callback is set that could load a document type or an external
/// entity, and the network is switched off besides. No entity is expanded but XML's own five: a document that
/// declares or uses another is refused there and then, so that there is no bomb to guard against.
///
/// Not for more than one task at a time. It is safe because its pointer stays its own: made by init, freed by deinit,
/// valid between.
@safe final class XMLPushParser {
    /// What the elements are given to.
    var handler: XMLHandler

    /// How many bytes of markup may wait for their end: a tag, a comment, a CDATA section, a document type.
    ///
    /// libxml2 keeps them all, and a tag of nothing but attributes takes it time by the square of its length: a second
    /// for this much.
    static let maximumMarkup = 1 << 19
    /// How many bytes may stand between an & and the semicolon that ends its reference.
    ///
    /// libxml2 would read on to the next semicolon, wherever that is.
    static let maximumReference = 1024
    /// How many bytes of different names a document may use.
    ///
    /// libxml2 keeps each name to its end.
    static let maximumNames = 1 << 20

    private let context: xmlParserCtxtPtr?

    // A global constant is initialised once, whatever tasks come first.
    private static let isInitialized: Bool = {
        xmlInitParser()
        return true
    }()

    /// A parser at the beginning of a document.
    ///
    /// - Parameters:
    ///   - product: what is made of it.
    ///   - encodingIsKnown: the bytes are UTF-8, whatever the document declares.
    init(_ product: GPXBuilder.Product, encodingIsKnown: Bool) {
        _ = Self.isInitialized
        var callbacks = unsafe XMLHandler.callbacks
        // libxml2 copies the callbacks, and the other arguments may be nil. Nil comes back only for lack of memory,
        // and parse says so.
        let context = unsafe xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil)
        unsafe self.context = context
        unsafe handler = XMLHandler(context, product)
        guard let context = unsafe context else { return }
        let options = XML_PARSE_NONET.rawValue | (encodingIsKnown ? XML_PARSE_IGNORE_ENC.rawValue : 0)
        // The context is valid until deinit, and its dictionary as long.
        unsafe xmlCtxtUseOptions(context, CInt(options))
        unsafe xmlDictSetLimit(context.pointee.dict, Self.maximumNames)
    }

    deinit {
        guard let context = unsafe context else { return }
        // An entity's declaration makes libxml2 begin a document, which is the context's user's to free. Neither is
        // used after this.
        if let document = unsafe context.pointee.myDoc { unsafe xmlFreeDoc(document) }
        unsafe xmlFreeParserCtxt(context)
    }

    /// Reads on; after a failure this does nothing.
    func parse(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= Int(CInt.max))
        unsafe bytes.withUnsafeBytes { buffer in
            // Bytes may be read as C's characters. libxml2 reads within the buffer, and copies what it keeps.
            unsafe parse(buffer.bindMemory(to: CChar.self).baseAddress, count: CInt(buffer.count))
        }
    }

    /// The document ends here.
    func finish() {
        handler.isEnding = true
        // No bytes, and the sign that none will come.
        unsafe parse(nil, count: 0)
        if !handler.builder.hasEnded {
            handler.fail(XMLComplaint.noElement)
        }
    }

    private func parse(_ bytes: UnsafePointer<CChar>?, count: CInt) {
        guard handler.failure == nil else { return }
        guard let context = unsafe context else { return handler.fail("not enough memory for an XML parser") }
        // At each call, because a task may come on another thread each time. No other code of this program uses
        // libxml2.
        xmlIgnoreMessages()
        // The context is valid until deinit, the bytes and the handler's address are so during the call. libxml2 uses
        // the address for callbacks alone, which come during the call only, one at a time, on this thread.
        let terminate: CInt = handler.isEnding ? 1 : 0
        let status = unsafe withUnsafeMutablePointer(to: &handler) { address in
            unsafe context.pointee.userData = UnsafeMutableRawPointer(address)
            return unsafe xmlParseChunk(context, bytes, count, terminate)
        }
        if status != 0, unsafe context.pointee.disableSAX != 0 {
            handler.fail("the bytes do not fit the encoding that the document declares")
        }
        let waiting = unsafe handler.waiting
        if waiting.count > Self.maximumReference, unsafe waiting.first == UInt8(ascii: "&") {
            handler.fail(XMLComplaint.strayAmpersand)
        } else if waiting.count > Self.maximumMarkup {
            handler.fail("a tag, a comment or a section does not end within \(Self.maximumMarkup) bytes")
        }
    }
}
