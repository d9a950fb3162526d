import CXML2
import Positioning
import TextCoding

/// Reads the elements of an XML document with libxml2's push parser, for documents of whose attributes at most one
/// matters.
///
/// It opens nothing outside the document and refuses document types, so there are no entities to expand except the five
/// of XML itself. ``XMLBounds`` limits the document before libxml2 sees it. Names come without their prefixes.
///
/// Only one task at a time may use it. The type is safe because it owns its pointer: init creates it, deinit frees it,
/// and it is valid in between.
@safe final class XMLElements {
    /// A piece of the document.
    enum Piece {
        /// An element begins; its name is that at this index of the list, or `nil` if it is not in the list.
        case begin(Int?)
        /// The value of the attribute that matters, of the element that has just begun, as the range of ``text``.
        case attribute(Range<Int>)
        /// The innermost open element ends.
        case end
        /// A text with expanded entities, as the range of ``text``; several may follow one another.
        case text(Range<Int>)
    }

    /// The most bytes between an `&` and the semicolon that ends the reference.
    ///
    /// Without this limit, libxml2 would read on to the next semicolon, however far away it is.
    private static let maximumReference = 1024
    /// The most bytes of distinct names in a document, each of which libxml2 keeps until its end.
    private static let maximumNames = 1 << 20

    private let context: xmlParserCtxtPtr?
    private var bounds = XMLBounds()
    private var reading: Reading

    /// The pieces of the last call of ``parse(_:)`` or ``finish()``.
    var pieces: [Piece] { reading.pieces }
    /// The bytes to which the texts of ``pieces`` refer.
    var text: [UInt8] { reading.text }
    /// The reason why reading ended.
    var failure: RecordingError? { reading.failure }

    // Swift initialises a global constant once, no matter which tasks use it first.
    private static let isInitialized: Bool = {
        xmlInitParser()
        return true
    }()

    /// Creates a parser at the beginning of a document.
    ///
    /// - Parameters:
    ///   - root: the name of the root element.
    ///   - names: the names of the elements that matter.
    ///   - attribute: the name of the attribute that matters; `nil` if none does.
    ///   - encodingIsKnown: whether the bytes are UTF-8, whatever the document declares.
    init(root: String, names: [String], attribute: String? = nil, encodingIsKnown: Bool) {
        _ = Self.isInitialized
        var callbacks = unsafe Reading.callbacks
        // libxml2 copies the callbacks, and the other arguments may be nil. The result is nil only if memory is short,
        // which parse reports.
        let context = unsafe xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil)
        unsafe self.context = context
        unsafe reading = Reading(context, root: root, names: names, attribute: attribute)
        guard let context = unsafe context else { return }
        let options = XML_PARSE_NONET.rawValue | (encodingIsKnown ? XML_PARSE_IGNORE_ENC.rawValue : 0)
        // The context and its dictionary are valid until deinit.
        unsafe xmlCtxtUseOptions(context, CInt(options))
        unsafe xmlDictSetLimit(context.pointee.dict, Self.maximumNames)
    }

    deinit {
        guard let context = unsafe context else { return }
        // The user of a context must free its document, which neither uses after this.
        if let document = unsafe context.pointee.myDoc { unsafe xmlFreeDoc(document) }
        unsafe xmlFreeParserCtxt(context)
    }

    /// Reads bytes, and replaces ``pieces`` by those that are complete; does nothing after a failure.
    func parse(_ bytes: Span<UInt8>) {
        reading.clear()
        guard reading.failure == nil else { return }
        if let refusal = bounds.refusal(of: bytes) { return reading.fail("\(refusal)") }
        unsafe bytes.withUnsafeBytes { buffer in
            // Bytes may be read as C's characters. libxml2 reads only within the buffer, and copies what it keeps.
            unsafe parse(buffer.bindMemory(to: CChar.self).baseAddress, count: CInt(clamping: buffer.count))
        }
    }

    /// Ends the document, and replaces ``pieces`` by the last ones.
    func finish() {
        reading.clear()
        reading.isEnding = true
        // No bytes, with the flag that ends the document.
        unsafe parse(nil, count: 0)
        if !reading.hasEnded { reading.fail("the document contains no element") }
    }

    private func parse(_ bytes: UnsafePointer<CChar>?, count: CInt) {
        guard reading.failure == nil else { return }
        guard let context = unsafe context else { return reading.fail("not enough memory for an XML parser") }
        // This is a setting of the thread, and a task may call from a different thread each time.
        xmlIgnoreMessages()
        // The context is valid until deinit, and the bytes and the address are valid during the call. libxml2 uses the
        // address only in callbacks, which come only during the call, one at a time, on this thread.
        let terminate: CInt = reading.isEnding ? 1 : 0
        let status = unsafe withUnsafeMutablePointer(to: &reading) { address in
            unsafe context.pointee.userData = UnsafeMutableRawPointer(address)
            return unsafe xmlParseChunk(context, bytes, count, terminate)
        }
        if status != 0, unsafe context.pointee.disableSAX != 0 {
            reading.fail("the bytes are not valid in the encoding that the document declares")
        }
        let (waiting, first) = reading.waiting
        if waiting > Self.maximumReference, first == UInt8(ascii: "&") {
            reading.fail("an & does not begin a reference; write the character as &amp;")
        } else if waiting > XMLBounds.maximumMarkup {
            reading.fail("a tag, a comment or a section does not end within \(XMLBounds.maximumMarkup) bytes")
        }
    }
}
