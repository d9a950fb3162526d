import CXML2
import Geodesy
import Positioning
import TextCoding

/// Handles the callbacks of libxml2: passes the relevant elements to a ``GPXBuilder`` and stops at the first error.
///
/// Do not use a handler after its context has been freed; ``XMLPushParser`` ensures that.
@safe struct XMLHandler: XMLCollector {
    static var noElement: String { XMLErrorReason.noElement }

    /// The builder that receives the elements.
    var builder: GPXBuilder
    /// The reason why reading ended; nothing is read afterwards.
    private(set) var failure: RecordingError?
    /// The first position that could not be read.
    private(set) var badPosition: GPXBadPosition?
    /// Whether the builder knows the elements that begin and end now already; see ``GPXScanner/Remains``.
    var isRepeating = false
    /// Whether no more bytes will come.
    var isEnding = false
    var hasEnded: Bool { builder.hasEnded }

    private let context: xmlParserCtxtPtr?
    private let names: InternedNames
    private let lat: UnsafePointer<xmlChar>?
    private let lon: UnsafePointer<xmlChar>?
    /// The namespace of the root element, as an address in libxml2's dictionary; `nil` if it has none.
    private var namespace: UnsafePointer<xmlChar>?

    /// Whether the root element has begun.
    private var hasNamespace = false

    /// Creates a handler for a context, which must stay valid while the handler is used.
    ///
    /// - Parameters:
    ///   - builder: the builder that receives the elements.
    ///   - badPosition: the first position that could not be read so far.
    init(_ context: xmlParserCtxtPtr?, _ builder: GPXBuilder, badPosition: GPXBadPosition? = nil) {
        self.builder = builder
        self.badPosition = badPosition
        unsafe self.context = context
        unsafe names = InternedNames(dictionary: context?.pointee.dict)
        unsafe lat = names.address(of: .lat)
        unsafe lon = names.address(of: .lon)
    }

    /// The callbacks for a context whose user data is the address of a handler.
    static var callbacks: xmlSAXHandler {
        var handler = unsafe xmlSAXHandler()
        // Without this number, libxml2 would take this for a SAX1 handler, which has no namespaces.
        unsafe handler.initialized = XML_SAX2_MAGIC
        unsafe handler.startElementNs = {
            unsafe XMLHandler.at($0)?.pointee.startElement(
                $1, namespace: $3, attributes: XMLAttributes($8, count: $6, defaulted: $7, namespaces: $4))
        }
        unsafe handler.endElementNs = { userData, _, _, _ in unsafe XMLHandler.at(userData)?.pointee.endElement() }
        unsafe handler.characters = { unsafe XMLHandler.at($0)?.pointee.characters($1, count: $2) }
        // White space between elements takes the same path. If both callbacks are the same, libxml2 does not need to
        // distinguish them.
        unsafe handler.ignorableWhitespace = handler.characters
        unsafe handler.entityDecl = { userData, _, _, _, _, _ in
            unsafe XMLHandler.at(userData)?.pointee.fail(
                "the document declares an entity, which is not supported; GPX needs none")
        }
        unsafe handler.reference = { userData, _ in
            unsafe XMLHandler.at(userData)?.pointee.fail(XMLErrorReason.unknownEntity)
        }
        unsafe handler.serror = { unsafe XMLHandler.at($0)?.pointee.complain($1) }
        return unsafe handler
    }

    /// Returns the handler of a callback: parse has set its address, which is `nil` or valid during the callback.
    private static func at(_ userData: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLHandler>? {
        unsafe userData?.assumingMemoryBound(to: XMLHandler.self)
    }

    /// Records a failure and its position, unless there is one already.
    mutating func fail(_ reason: String) {
        // An input is valid as long as the context.
        let input = unsafe context?.pointee.input
        fail(reason, line: unsafe input?.pointee.line ?? 0, column: unsafe input?.pointee.col ?? 0)
    }

    private mutating func fail(_ reason: String, line: CInt, column: CInt) {
        guard failure == nil else { return }
        var reason = reason
        // If a complete tag is still waiting, the end of the document is not the problem.
        let isAtEnd = unsafe isEnding && !XMLPushParser<Self>.waiting(context).contains(UInt8(ascii: ">"))
        if isAtEnd, !builder.hasEnded, reason != XMLErrorReason.noElement { reason = XMLErrorReason.cutOff }
        failure = RecordingError(
            reason, line: line > 0 ? Int(line) : nil, column: line > 0 && column > 0 ? Int(column) : nil)
    }

    private mutating func startElement(
        _ name: UnsafePointer<xmlChar>?, namespace: UnsafePointer<xmlChar>?, attributes: XMLAttributes
    ) {
        guard failure == nil else { return }
        // The bounds again as libxml2 sees them, for a document whose encoding or type hides tags from the guard.
        guard builder.depth < XMLBounds.maximumDepth else { return fail("\(XMLBounds.Refusal.depth)") }
        guard unsafe attributes.total <= XMLBounds.maximumAttributes else {
            return fail("\(XMLBounds.Refusal.attributes)")
        }
        // Otherwise a few bytes could add attributes to each of many elements.
        guard unsafe attributes.defaulted == 0 else {
            return fail("the document type declares attributes by default, which is not supported; GPX needs none")
        }
        if isRepeating {
            if !hasNamespace { unsafe (self.namespace, hasNamespace) = (namespace, true) }
            return
        }
        let meaning = unsafe names[name]
        guard builder.hasBegun else {
            guard meaning == .gpx else {
                // libxml2 passes names as strings that end with a zero byte and are valid during the call.
                let found = unsafe name.map { unsafe String(cString: $0) } ?? ""
                let remedy = GPXBadPosition.remedy(ofRoot: found)
                return fail("not GPX: the root element is <\(found.prefix(64))>, not <gpx>\(remedy)")
            }
            unsafe self.namespace = namespace
            return unsafe builder.begin(
                version: attributes.string(names.address(of: .version)),
                creator: attributes.string(names.address(of: .creator)))
        }
        // Both are nil or addresses in the context's dictionary, where equal strings have the same address.
        let isGPX = unsafe namespace == self.namespace
        let (lat, lon) = unsafe (lat, lon)
        // An input is valid as long as the context.
        if builder.keepsLines { builder.line = unsafe (context?.pointee.input?.pointee.line).map(Int.init) ?? 0 }
        guard builder.begin(meaning, isGPX: isGPX) else { return }
        let place = unsafe attributes.place(latitude: lat, longitude: lon)
        builder.place(at: place)
        guard place == nil, badPosition == nil else { return }
        // An input is valid as long as the context.
        let input = unsafe context?.pointee.input
        badPosition = unsafe GPXBadPosition(
            line: input.map { Int(exactly: unsafe $0.pointee.line) ?? 0 }, latitude: attributes.string(lat),
            longitude: attributes.string(lon))
    }

    private mutating func endElement() {
        guard failure == nil, !isRepeating else { return }
        builder.end()
    }

    private mutating func characters(_ text: UnsafePointer<xmlChar>?, count: CInt) {
        guard failure == nil, !isRepeating, builder.wantsText else { return }
        // libxml2 passes the address and length of the text, which are valid during the call.
        unsafe builder.characters(UnsafeBufferPointer(start: text, count: Int(count)).span)
    }

    private mutating func complain(_ error: xmlErrorPtr?) {
        // The error is valid during the call. Warnings do not prevent reading.
        guard let error = unsafe error, unsafe error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
        let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
        let reason = unsafe XMLErrorReason.reason(
            code: error.pointee.code, message: message, hasBegun: builder.hasBegun, hasEnded: builder.hasEnded)
        unsafe fail(reason, line: error.pointee.line, column: error.pointee.int2)
    }
}
