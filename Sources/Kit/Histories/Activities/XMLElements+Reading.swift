import CXML2
import GPX
import Positioning
import TextCoding

extension XMLElements {
    /// What the callbacks of libxml2 have collected.
    ///
    /// Do not use it after its context has been freed; `XMLPushParser` ensures that.
    @safe struct Reading: XMLCollector {
        static let noElement = "the document contains no element"

        private(set) var pieces: [Piece] = []
        private(set) var text: [UInt8] = []
        /// The reason why reading ended; nothing is read afterwards.
        private(set) var failure: RecordingError?
        /// Whether no more bytes will come.
        var isEnding = false
        /// Whether the root element has ended.
        private(set) var hasEnded = false

        private var depth = 0
        private let root: String
        private let context: xmlParserCtxtPtr?
        /// The indices of the names by their addresses in libxml2's dictionary, where equal names have equal addresses.
        private var names: [UInt: Int] = [:]
        /// The address of the attribute's name; 0 if there is none.
        private var attribute: UInt = 0

        /// Creates what a context collects, which must stay valid while this is used.
        init(_ context: xmlParserCtxtPtr?, root: String, names: [String], attribute: String?) {
            self.root = root
            unsafe self.context = context
            guard let dictionary = unsafe context?.pointee.dict else { return }
            func address(of name: String) -> UInt {
                let bytes = Array(name.utf8)
                // libxml2 reads that many bytes and copies them.
                return unsafe UInt(bitPattern: xmlDictLookup(dictionary, bytes, CInt(clamping: bytes.count)))
            }
            for (index, name) in names.enumerated() { self.names[address(of: name)] = index }
            self.attribute = attribute.map(address) ?? 0
        }

        /// The callbacks for a context whose user data is the address of this.
        static var callbacks: xmlSAXHandler {
            var handler = unsafe xmlSAXHandler()
            // Without this number, libxml2 would take this for a SAX1 handler, which has no namespaces.
            unsafe handler.initialized = XML_SAX2_MAGIC
            unsafe handler.startElementNs = { userData, name, _, _, namespaces, _, count, _, attributes in
                unsafe Reading.at(userData)?.pointee.begin(
                    name, attributes, count: Int(count), total: Int(namespaces) + Int(count))
            }
            unsafe handler.endElementNs = { userData, _, _, _ in unsafe Reading.at(userData)?.pointee.end() }
            unsafe handler.characters = { unsafe Reading.at($0)?.pointee.characters($1, count: $2) }
            // White space takes the same path, so that libxml2 does not need to distinguish it.
            unsafe handler.ignorableWhitespace = handler.characters
            unsafe handler.internalSubset = { userData, _, _, _ in
                unsafe Reading.at(userData)?.pointee.fail(
                    "the document has a document type declaration, which is not supported; remove it")
            }
            unsafe handler.reference = { userData, _ in
                unsafe Reading.at(userData)?.pointee.fail(
                    "the document uses an entity that is not one of XML's five predefined ones")
            }
            unsafe handler.serror = { unsafe Reading.at($0)?.pointee.complain($1) }
            return unsafe handler
        }

        /// Returns what a callback belongs to: parse has set its address, which is `nil` or valid during the callback.
        private static func at(_ userData: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Reading>? {
            unsafe userData?.assumingMemoryBound(to: Reading.self)
        }

        /// Removes the pieces.
        mutating func clear() {
            pieces.removeAll(keepingCapacity: true)
            text.removeAll(keepingCapacity: true)
        }

        /// Records a failure and its position, unless there is one already.
        mutating func fail(_ reason: String) {
            // An input is valid as long as the context.
            let input = unsafe context?.pointee.input
            fail(reason, line: unsafe input?.pointee.line ?? 0, column: unsafe input?.pointee.col ?? 0)
        }

        private mutating func fail(_ reason: String, line: CInt, column: CInt) {
            guard failure == nil else { return }
            let isCutOff = isEnding && depth > 0
            failure = RecordingError(
                isCutOff ? "the document is cut off: it ends before </\(root)>" : reason,
                line: line > 0 ? Int(line) : nil, column: line > 0 && column > 0 ? Int(column) : nil)
        }

        private mutating func begin(
            _ name: UnsafePointer<xmlChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int,
            total: Int
        ) {
            guard failure == nil else { return }
            // The bounds again as libxml2 sees them, for a document whose encoding hides tags from the guard.
            guard depth < XMLBounds.maximumDepth else { return fail("\(XMLBounds.Refusal.depth)") }
            guard total <= XMLBounds.maximumAttributes else { return fail("\(XMLBounds.Refusal.attributes)") }
            if depth == 0 {
                // libxml2 passes names as strings that end with a zero byte and are valid during the call.
                let found = unsafe name.map { unsafe String(cString: $0) } ?? ""
                guard found == root else {
                    return fail("the root element is <\(found.prefix(64))>, not <\(root)>")
                }
            }
            depth += 1
            pieces.append(.begin(names[UInt(bitPattern: name)]))
            guard attribute != 0, let attributes = unsafe attributes else { return }
            for index in 0..<count {
                // libxml2 passes five pointers for each attribute, which are valid during the call: to its name, its
                // prefix, its namespace, its value, and the end of the value.
                let parts = unsafe attributes + 5 * index
                guard unsafe UInt(bitPattern: parts[0]) == attribute, let start = unsafe parts[3],
                    let end = unsafe parts[4]
                else { continue }
                let first = text.count
                unsafe text.append(contentsOf: UnsafeBufferPointer(start: start, count: end - start))
                pieces.append(.attribute(first..<text.count))
            }
        }

        private mutating func end() {
            guard failure == nil, depth > 0 else { return }
            depth -= 1
            hasEnded = depth == 0
            pieces.append(.end)
        }

        private mutating func characters(_ characters: UnsafePointer<xmlChar>?, count: CInt) {
            guard failure == nil, count > 0 else { return }
            let start = text.count
            // libxml2 passes the address and length of the text, which are valid during the call.
            unsafe text.append(contentsOf: UnsafeBufferPointer(start: characters, count: Int(count)))
            pieces.append(.text(start..<text.count))
        }

        private mutating func complain(_ error: xmlErrorPtr?) {
            // The error is valid during the call. Warnings do not prevent reading, and neither do prefixes that are not
            // declared, since names count without them.
            guard let error = unsafe error, unsafe error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue,
                unsafe error.pointee.domain != CInt(XML_FROM_NAMESPACE.rawValue)
            else { return }
            let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
            let clause = message.split(whereSeparator: \.isWhitespace).prefix(40).joined(separator: " ")
            fail(
                clause.isEmpty ? "the XML is damaged" : "the XML is damaged: \(clause)",
                line: unsafe error.pointee.line, column: unsafe error.pointee.int2)
        }
    }
}
