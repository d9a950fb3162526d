import CXML2
import Geodesy
import Positioning

/// What libxml2 calls while it parses: gives the elements that count to a ``GPXBuilder``, and ends at the first
/// complaint.
///
/// Not for use after its context was freed, which is ``XMLPushParser``'s affair.
@safe struct XMLHandler {
    /// What was made of the elements so far.
    var builder: GPXBuilder
    /// Why reading ended; nothing counts after that.
    private(set) var failure: RecordingError?
    /// Whether no more bytes will come.
    var isEnding = false

    /// How deep elements may nest.
    ///
    /// GPX needs 7, its extensions some more; libxml2's stack of names would grow with
    /// each. It is libxml2's own bound for documents that are read whole.
    static let maximumDepth = 256
    /// How many attributes and namespaces an element may have.
    ///
    /// GPX's have 2, the root some 20; libxml2 compares
    /// each attribute with all others, so that the time grows with the square.
    static let maximumAttributes = 256

    private let context: xmlParserCtxtPtr?
    private let names: InternedNames
    private let lat: UnsafePointer<xmlChar>?
    private let lon: UnsafePointer<xmlChar>?
    /// The namespace of the root element, an address in libxml2's dictionary; nil where it has none.
    private var namespace: UnsafePointer<xmlChar>?

    /// A handler for a context that is valid as long as the handler is used.
    init(_ context: xmlParserCtxtPtr?, _ product: GPXBuilder.Product) {
        builder = GPXBuilder(product)
        unsafe self.context = context
        unsafe names = InternedNames(dictionary: context?.pointee.dict)
        unsafe lat = names.address(of: .lat)
        unsafe lon = names.address(of: .lon)
    }

    /// The callbacks, for a context whose user data is a handler's address.
    static var callbacks: xmlSAXHandler {
        var handler = unsafe xmlSAXHandler()
        // Without this number libxml2 would take it for a handler of its first version, without namespaces.
        unsafe handler.initialized = XML_SAX2_MAGIC
        unsafe handler.startElementNs = {
            unsafe XMLHandler.at($0)?.pointee.startElement(
                $1, namespace: $3, attributes: XMLAttributes($8, count: $6, defaulted: $7, namespaces: $4))
        }
        unsafe handler.endElementNs = { userData, _, _, _ in unsafe XMLHandler.at(userData)?.pointee.endElement() }
        unsafe handler.characters = { unsafe XMLHandler.at($0)?.pointee.characters($1, count: $2) }
        // Blanks between elements go the same way; where they are the same, libxml2 does not look which they are.
        unsafe handler.ignorableWhitespace = handler.characters
        unsafe handler.entityDecl = { userData, _, _, _, _, _ in
            unsafe XMLHandler.at(userData)?.pointee.fail(
                "the document declares an entity; GPX needs none, and none is read")
        }
        unsafe handler.reference = { userData, _ in
            unsafe XMLHandler.at(userData)?.pointee.fail(XMLComplaint.unknownEntity)
        }
        unsafe handler.serror = { unsafe XMLHandler.at($0)?.pointee.complain($1) }
        return unsafe handler
    }

    /// The handler that a callback is for: parse has set its address, which is nil or valid during the callback.
    private static func at(_ userData: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLHandler>? {
        unsafe userData?.assumingMemoryBound(to: XMLHandler.self)
    }

    /// Remembers the first failure, and where it was.
    mutating func fail(_ reason: String) {
        // An input is valid as long as the context.
        let input = unsafe context?.pointee.input
        fail(reason, line: unsafe input?.pointee.line ?? 0, column: unsafe input?.pointee.col ?? 0)
    }

    private mutating func fail(_ reason: String, line: CInt, column: CInt) {
        guard failure == nil else { return }
        var reason = reason
        // Where whole markup still follows, it is not the end that is wrong.
        let isAtEnd = unsafe isEnding && !waiting.contains(UInt8(ascii: ">"))
        if isAtEnd, !builder.hasEnded, reason != XMLComplaint.noElement { reason = XMLComplaint.cutOff }
        failure = RecordingError(
            reason, line: line > 0 ? Int(line) : nil, column: line > 0 && column > 0 ? Int(column) : nil)
    }

    /// The bytes that libxml2 holds and has not read; not for use after its next call.
    var waiting: UnsafeBufferPointer<xmlChar> {
        // An input is valid as long as the context, and both pointers are into its one buffer.
        guard let input = unsafe context?.pointee.input else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeBufferPointer(start: input.pointee.cur, count: input.pointee.end - input.pointee.cur)
    }

    private mutating func startElement(
        _ name: UnsafePointer<xmlChar>?, namespace: UnsafePointer<xmlChar>?, attributes: XMLAttributes
    ) {
        guard failure == nil else { return }
        guard builder.depth < Self.maximumDepth else {
            return fail("elements nest deeper than \(Self.maximumDepth)")
        }
        guard unsafe attributes.total <= Self.maximumAttributes else {
            return fail("an element has more than \(Self.maximumAttributes) attributes")
        }
        // A few bytes could otherwise give attributes to each of many elements.
        guard unsafe attributes.defaulted == 0 else {
            return fail("the document type gives attributes by default; GPX needs none")
        }
        let meaning = unsafe names[name]
        guard builder.hasBegun else {
            guard meaning == .gpx else {
                // libxml2 gives names as strings that end in 0, valid during the call.
                let found = unsafe name.map { unsafe String(cString: $0) } ?? ""
                return fail("no GPX: the root element is <\(found.prefix(64))>, not <gpx>")
            }
            unsafe self.namespace = namespace
            return unsafe builder.begin(
                version: attributes.string(names.address(of: .version)),
                creator: attributes.string(names.address(of: .creator)))
        }
        // Both are nil or addresses in the context's dictionary, where equal strings have one address.
        let isGPX = unsafe namespace == self.namespace
        let (lat, lon) = unsafe (lat, lon)
        builder.begin(meaning, isGPX: isGPX) {
            unsafe attributes.place(latitude: lat, longitude: lon)
        }
    }

    private mutating func endElement() {
        guard failure == nil else { return }
        builder.end()
    }

    private mutating func characters(_ text: UnsafePointer<xmlChar>?, count: CInt) {
        guard failure == nil, builder.wantsText else { return }
        // libxml2 gives the address and length of what it read, valid during the call.
        unsafe builder.characters(UnsafeBufferPointer(start: text, count: Int(count)).span)
    }

    private mutating func complain(_ error: xmlErrorPtr?) {
        // The error is valid during the call. Warnings tell of nothing that keeps from reading.
        guard let error = unsafe error, unsafe error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
        let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
        let reason = unsafe XMLComplaint.reason(
            code: error.pointee.code, message: message, hasBegun: builder.hasBegun, hasEnded: builder.hasEnded)
        unsafe fail(reason, line: error.pointee.line, column: error.pointee.int2)
    }
}
