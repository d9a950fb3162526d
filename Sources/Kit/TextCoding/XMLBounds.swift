/// A guard that refuses XML on which a parser would spend far more time or memory than its length warrants.
///
/// Every reader of XML passes the bytes of a document through it before they reach libxml2, in pieces of any length.
/// libxml2 compares each attribute of an element with all others, and searches all namespaces in scope for each
/// prefix, so the time grows with the square of their numbers. The guard counts them as the bytes come, and needs no
/// more memory than the depth of the document.
///
/// It judges only the bounds, and leaves errors to the parser. The bytes must be in an encoding in which XML's marks
/// are those of ASCII. A document type may hide a few tags from it; the readers refuse what could use that.
public struct XMLBounds: Sendable {
    /// The deepest nesting of elements.
    ///
    /// GPX needs 7 levels, and its extensions a few more; KML's folders a few more. It is libxml2's own limit for
    /// documents that are read as a whole.
    public static let maximumDepth = 256
    /// The most attributes and namespaces of an element, and the most namespaces in scope.
    ///
    /// An element of GPX or KML has at most 4, and the root about 20.
    public static let maximumAttributes = 256
    /// The longest name of an element or attribute with its prefix, in bytes.
    public static let maximumName = 1024
    /// The most bytes of incomplete markup: a tag, a comment, a CDATA section or a document type.
    public static let maximumMarkup = 1 << 19

    /// The reasons for a refusal, as clauses.
    public enum Refusal: Hashable, Sendable, CustomStringConvertible {
        case depth, attributes, namespaces, name

        /// The reason.
        public var description: String {
            switch self {
            case .depth: "elements are nested deeper than \(maximumDepth) levels"
            case .attributes: "an element has more than \(maximumAttributes) attributes"
            case .namespaces: "more than \(maximumAttributes) namespaces are in scope"
            case .name: "a name is longer than \(maximumName) bytes"
            }
        }
    }

    private enum State {
        /// Outside all markup.
        case text
        /// After `<`.
        case markup
        /// Within the tag that begins an element, outside quotes.
        case begin
        /// Within a value of a tag, up to this quote.
        case value(UInt8)
        /// Within the tag that ends an element.
        case end
        /// Within a processing instruction, a comment or a CDATA section, up to these last bytes.
        case until(UInt32, mask: UInt32)
        /// After `<!`, with the bytes that follow.
        case opening
        /// Within a document type, at this nesting of `<` and `>`.
        case type(Int)
        /// Within a quoted text of a document type, up to this quote.
        case quoted(UInt8, Int)
        /// Within a comment of a document type.
        case remark(Int)

        static let instruction = State.until(0x3F3E, mask: 0xFFFF)  // ?>
        static let comment = State.until(0x2D_2D3E, mask: 0xFF_FFFF)  // -->
        static let section = State.until(0x5D_5D3E, mask: 0xFF_FFFF)  // ]]>
    }

    private var state = State.text
    /// The last four bytes of markup, the latest in the lowest bits.
    private var recent: UInt32 = 0
    /// The number of bytes since `<!`.
    private var opened = 0
    private var attributes = 0
    /// The bytes of the current name so far, and its first ones.
    private var nameLength = 0
    private var nameStart: UInt64 = 0
    /// The namespaces that the current tag declares, and those that each open element has declared.
    private var declared = 0
    private var namespaces: [Int] = []
    private var inScope = 0

    /// Creates a guard at the beginning of a document.
    public init() {}

    /// Reads a piece of the document.
    ///
    /// - Returns: The bound that it exceeds; `nil` if it exceeds none. Nothing may follow after a refusal.
    public mutating func refusal(of bytes: Span<UInt8>) -> Refusal? {
        for index in bytes.indices {
            if let refusal = read(bytes[index]) { return refusal }
        }
        return nil
    }

    private mutating func read(_ byte: UInt8) -> Refusal? {
        if case .text = state {
            if byte == UInt8(ascii: "<") { state = .markup }
            return nil
        }
        recent = recent << 8 | UInt32(byte)
        switch state {
        case .text: break
        case .markup: open(byte)
        case .begin: return readTag(byte)
        case .value(let quote): if byte == quote { (state, nameLength) = (.begin, 0) }
        case .end: if byte == UInt8(ascii: ">") { close() }
        case .until(let end, let mask): if recent & mask == end { state = .text }
        case .opening: readOpening(byte)
        case .type(let depth): readType(byte, depth)
        case .quoted(let quote, let depth): if byte == quote { state = .type(depth) }
        case .remark(let depth): if recent & 0xFF_FFFF == 0x2D_2D3E { state = .type(depth) }
        }
        return nil
    }

    private mutating func open(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "?"): (state, recent) = (.instruction, 0)
        case UInt8(ascii: "!"): (state, opened) = (.opening, 0)
        case UInt8(ascii: "/"): state = .end
        default: (state, attributes, declared, nameLength, recent) = (.begin, 0, 0, 1, 0)
        }
    }

    private mutating func close() {
        state = .text
        inScope = inScope &- (namespaces.popLast() ?? 0)
    }

    private mutating func readOpening(_ byte: UInt8) {
        opened += 1
        switch (opened, byte) {
        case (1, UInt8(ascii: "-")): break
        case (2, UInt8(ascii: "-")): (state, recent) = (.comment, 0)
        case (1, UInt8(ascii: "[")): (state, recent) = (.section, 0)
        case (_, UInt8(ascii: ">")): state = .text
        default: state = .type(1)
        }
    }

    private mutating func readType(_ byte: UInt8, _ depth: Int) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .quoted(byte, depth)
        case UInt8(ascii: "<"): state = .type(min(depth, Self.maximumDepth) + 1)
        case UInt8(ascii: ">"): state = depth <= 1 ? .text : .type(depth - 1)
        case UInt8(ascii: "-") where recent == 0x3C21_2D2D: state = .remark(max(1, depth - 1))  // <!--
        default: break
        }
    }

    private mutating func readTag(_ byte: UInt8) -> Refusal? {
        switch byte {
        case UInt8(ascii: ">"):
            guard recent >> 8 & 0xFF != UInt32(UInt8(ascii: "/")) else {
                state = .text
                return nil
            }
            state = .text
            namespaces.append(declared)
            inScope = inScope &+ declared
            if namespaces.count > Self.maximumDepth { return .depth }
            return inScope > Self.maximumAttributes ? .namespaces : nil
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .value(byte)
        case UInt8(ascii: "="):
            attributes += 1
            if nameStart == 0x78_6D6C_6E73 { declared += 1 }  // xmlns
            nameLength = 0
            return attributes > Self.maximumAttributes ? .attributes : nil
        case 0x20, 0x09, 0x0A, 0x0D: nameLength = 0
        case UInt8(ascii: "/"): nameLength = 0
        default:
            if nameLength < 5 { nameStart = (nameLength == 0 ? 0 : nameStart << 8) | UInt64(byte) }
            nameLength += 1
            return nameLength > Self.maximumName ? .name : nil
        }
        return nil
    }
}
