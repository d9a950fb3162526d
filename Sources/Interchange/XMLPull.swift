internal import Positioning
internal import TextCoding

/// Takes an XML document apart: elements and their text, one after another, and nothing else.
///
/// For documents that are read whole. It is strict where a mistake would change what is read: tags must match, entities
/// are XML's own five and numbers, and a document type is refused, so that there is no entity to expand and nothing to
/// open. Attributes are checked to be quoted and left out. Names keep what stands behind their colon alone.
struct XMLPull {
    /// What comes next.
    enum Piece: Equatable {
        /// An element begins.
        case begin(String)
        /// The element that began last ends.
        case end(String)
        /// Text, its entities expanded; several may follow one another.
        case text(String)
    }

    /// How deep elements may nest.
    static let deepest = 256

    private var bytes: ArraySlice<UInt8>
    private var line = 1
    private var open: [String] = []
    private var hasRoot = false
    /// The end of an element that is its own end, which comes next.
    private var waiting: String?

    /// A document, in UTF-8 or UTF-16 with a byte-order mark.
    init(_ document: [UInt8]) throws(RecordingError) {
        var transcoder = UnicodeTranscoder()
        var text: [UInt8] = []
        transcoder.feed(document.span, into: &text)
        transcoder.finish(into: &text)
        guard (try? UTF8Span(validating: text.span)) != nil else {
            throw RecordingError("the text is not UTF-8; save the file as UTF-8")
        }
        bytes = text[...]
    }

    /// The next piece; nil at the end of the document.
    ///
    /// - Throws: ``RecordingError`` with its line where the document is damaged.
    mutating func next() throws(RecordingError) -> Piece? {
        if let name = waiting {
            waiting = nil
            _ = open.popLast()
            return .end(name)
        }
        while let first = bytes.first {
            guard first == UInt8(ascii: "<") else {
                let text = take { $0 == UInt8(ascii: "<") }
                guard !open.isEmpty else {
                    guard text.allSatisfy(Self.isBlank) else { throw error("there is text outside the root element") }
                    continue
                }
                return .text(try expanded(text))
            }
            if let comment = try skip(from: "<!--", to: "-->") {
                _ = comment
            } else if let text = try skip(
                from: "<![CDATA[", to: "]]>")
            {
                guard !open.isEmpty else { throw error("there is text outside the root element") }
                return .text(String(decoding: text, as: UTF8.self))
            } else if try skip(from: "<?", to: "?>") != nil {
                continue
            } else if starts(with: "<!") {
                throw error("the document has a document type, which none needs and none is read")
            } else {
                return try tag()
            }
        }
        guard open.isEmpty else { throw error("the document is cut off: <\(open.last ?? "")> does not end") }
        guard hasRoot else { throw error("the document has no element") }
        return nil
    }

    private mutating func tag() throws(RecordingError) -> Piece {
        advance(1)
        let isEnd = bytes.first == UInt8(ascii: "/")
        if isEnd { advance(1) }
        let name = take { Self.isBlank($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
        guard let first = name.first, Self.isNameStart(first), !name.contains(UInt8(ascii: "<")) else {
            throw error("a < begins no tag; written in a text it is &lt;")
        }
        let full = String(decoding: name, as: UTF8.self)
        let isEmpty = try attributes()
        let local = full.lastIndex(of: ":").map { String(full[full.index(after: $0)...]) } ?? full
        if isEnd {
            guard !isEmpty, open.last == full else {
                throw error("</\(full.prefix(64))> ends <\(open.last?.prefix(64) ?? "")>")
            }
            _ = open.popLast()
            return .end(local)
        }
        guard !open.isEmpty || !hasRoot else { throw error("there is a second root element") }
        guard open.count < Self.deepest else { throw error("elements nest deeper than \(Self.deepest)") }
        hasRoot = true
        open.append(full)
        if isEmpty { waiting = local }
        return .begin(local)
    }

    /// Goes behind the end of a tag.
    ///
    /// - Returns: whether the tag ends its element too.
    private mutating func attributes() throws(RecordingError) -> Bool {
        while let byte = bytes.first {
            switch byte {
            case UInt8(ascii: ">"):
                advance(1)
                return false
            case UInt8(ascii: "/"):
                advance(1)
                guard bytes.first == UInt8(ascii: ">") else { throw error("a / in a tag does not end it") }
                advance(1)
                return true
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                advance(1)
                _ = take { $0 == byte }
                guard !bytes.isEmpty else { throw error("the document is cut off within a tag") }
                advance(1)
            case UInt8(ascii: "<"): throw error("a tag does not end before the next one begins")
            default: advance(1)
            }
        }
        throw error("the document is cut off within a tag")
    }

    /// What stands between two marks, if the first comes next; goes behind the second.
    private mutating func skip(from start: String, to end: String) throws(RecordingError) -> ArraySlice<UInt8>? {
        guard starts(with: start) else { return nil }
        advance(start.utf8.count)
        let mark = Array(end.utf8)
        var rest = bytes
        while let index = mark.first.flatMap({ rest.firstIndex(of: $0) }) {
            rest = rest[index...]
            if rest.starts(with: mark) {
                let content = bytes[..<index]
                advance(content.count + mark.count)
                return content
            }
            rest = rest.dropFirst()
        }
        throw error("the document is cut off: \(start) does not end")
    }

    private func starts(with text: String) -> Bool { bytes.starts(with: text.utf8) }

    /// Takes the bytes up to one that ends them.
    private mutating func take(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let index = bytes.firstIndex(where: isEnd) ?? bytes.endIndex
        let taken = bytes[..<index]
        advance(taken.count)
        return taken
    }

    private mutating func advance(_ count: Int) {
        for byte in bytes.prefix(count) where byte == 0x0A { line += 1 }
        bytes = bytes.dropFirst(count)
    }

    /// A text with its entities expanded.
    private func expanded(_ text: ArraySlice<UInt8>) throws(RecordingError) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
        var result = ""
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<start], as: UTF8.self)
            rest = rest[start...].dropFirst()
            guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = Self.entity(String(decoding: rest[..<end], as: UTF8.self))
            else { throw error("an & begins no entity of XML; written in a text it is &amp;") }
            result.unicodeScalars.append(character)
            rest = rest[end...].dropFirst()
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    private static func entity(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
            let number = digits.first == "+" ? nil : UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10)
            return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...0xFF: true
        default: false
        }
    }

    private func error(_ reason: String) -> RecordingError { RecordingError(reason, line: line) }
}
