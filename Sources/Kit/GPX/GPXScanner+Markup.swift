import Geodesy
import Positioning
import TextCoding

// Every function here takes the bytes of the buffer with their padding, and the limit where the padding begins, with a
// `<`. A search for a mark ends there at the latest, because `<` is among the marks of every search.
extension GPXScanner {
    // MARK: Before and after the root

    /// Reads the declaration and comments, and returns the index of the root's tag; `nil` if there is something else.
    func readProlog(_ bytes: Span<UInt8>, to limit: Int) -> Int? {
        var at = Self.hasMark(bytes) ? 3 : 0
        if has("<?", bytes, at, limit) {
            guard let next = readDeclaration(bytes, at, limit) else { return nil }
            at = next
        }
        while true {
            at = skipBlanks(bytes, at)
            if has("<!--", bytes, at, limit) {
                guard case .next(let next) = readComment(bytes, at, limit) else { return nil }
                at = next
            } else {
                return at < limit && bytes[at] == UInt8(ascii: "<") ? at : nil
            }
        }
    }

    /// Reads a declaration of version 1.0 and UTF-8.
    private func readDeclaration(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> Int? {
        guard has("<?xml", bytes, start, limit) else { return nil }
        var at = start + 5
        for (name, values) in [("version", ["1.0"]), ("encoding", ["UTF-8", "utf-8"]), ("standalone", ["yes", "no"])] {
            let afterBlanks = skipBlanks(bytes, at)
            guard afterBlanks > at, has(name, bytes, afterBlanks, limit) else {
                if name == "version" { return nil }
                continue
            }
            at = skipBlanks(bytes, afterBlanks + name.utf8.count)
            guard has("=", bytes, at, limit) else { return nil }
            at = skipBlanks(bytes, at + 1)
            let found = values.lazy.flatMap { ["\"\($0)\"", "'\($0)'"] }.first { has($0, bytes, at, limit) }
            guard let found else { return nil }
            at += found.utf8.count
        }
        at = skipBlanks(bytes, at)
        return has("?>", bytes, at, limit) ? at + 2 : nil
    }

    func readEpilog(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> Step {
        let visible = skipBlanks(bytes, at)
        guard visible == at else { return .next(visible) }
        guard at < limit else { return .incomplete }
        return isComment(bytes, at, limit) ?? .unknown
    }

    // MARK: Content

    /// Reads a text up to the next markup.
    mutating func readText(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> Step {
        let end = markup(bytes, at)
        guard end < limit else { return .incomplete }
        if needsCare, !isPlain(bytes, at..<end) { return readCarefully(bytes, at, end) }
        if builder.wantsText { builder.characters(bytes.extracting(at..<end)) }
        return .next(end)
    }

    /// Reads a text with references, carriage returns or brackets.
    private mutating func readCarefully(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Step {
        let isWanted = builder.wantsText
        var at = start
        var pieceStart = start
        while at < end {
            switch bytes[at] {
            case UInt8(ascii: "]"):
                if at + 2 < end, bytes[at + 1] == UInt8(ascii: "]"), bytes[at + 2] == UInt8(ascii: ">") {
                    return .unknown
                }
                at += 1
            case 0x0D:
                // A line ends with a line feed, however it is written.
                if isWanted {
                    builder.characters(bytes.extracting(pieceStart..<at))
                    if bytes[at + 1] != 0x0A { builder.characters(Self.lineFeed.span) }
                }
                at += 1
                pieceStart = at
            case UInt8(ascii: "&"):
                guard let reference = reference(bytes, at, end) else { return .unknown }
                if isWanted {
                    builder.characters(bytes.extracting(pieceStart..<at))
                    builder.characters(reference.text.span)
                }
                at = reference.end
                pieceStart = at
            default: at += 1
            }
        }
        if isWanted { builder.characters(bytes.extracting(pieceStart..<end)) }
        return .next(end)
    }

    private static let lineFeed: [UInt8] = [0x0A]

    /// Reads a reference to a character or to one of XML's own entities.
    ///
    /// Returns its text and the index behind it, or `nil` if it is not valid.
    private mutating func reference(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> (text: [UInt8], end: Int)? {
        var semicolon = start + 1
        while semicolon < end, semicolon - start < 10, bytes[semicolon] != UInt8(ascii: ";") { semicolon += 1 }
        guard semicolon < end, bytes[semicolon] == UInt8(ascii: ";") else { return nil }
        var name: [UInt8] = []
        for index in start + 1..<semicolon { name.append(bytes[index]) }
        if name.first == UInt8(ascii: "#") {
            let isHexadecimal = name.dropFirst().first == UInt8(ascii: "x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard !digits.isEmpty, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let value = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
                let scalar = Unicode.Scalar(value), Self.isAllowed(scalar)
            else { return nil }
            return (Array(String(Character(scalar)).utf8), semicolon + 1)
        }
        let entities: [(String, UInt8)] = [("lt", 0x3C), ("gt", 0x3E), ("amp", 0x26), ("quot", 0x22), ("apos", 0x27)]
        guard let entity = entities.first(where: { name.elementsEqual($0.0.utf8) }),
            names.number(of: bytes, at: start + 1, length: name.count) != nil
        else { return nil }
        return ([entity.1], semicolon + 1)
    }

    /// Whether XML allows a character.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Reads a tag, a comment or a section, which begins with `<`.
    mutating func readMarkup(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> Step {
        guard at + 1 < limit else { return .incomplete }
        switch bytes[at + 1] {
        case UInt8(ascii: "/"): return readEnd(bytes, at, limit)
        case UInt8(ascii: "!"): return isComment(bytes, at, limit) ?? readSection(bytes, at, limit)
        default: return readTag(bytes, at, limit)
        }
    }

    /// Reads a comment, or returns `nil` if there is none.
    private func isComment(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> Step? {
        if has("<!--", bytes, at, limit) { return readComment(bytes, at, limit) }
        return limit - at < 4 && begins("<!--", bytes, at, limit) ? .incomplete : nil
    }

    private func readComment(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> Step {
        var at = start + 4
        while at + 2 < limit {
            if bytes[at] == UInt8(ascii: "-"), bytes[at + 1] == UInt8(ascii: "-") {
                return bytes[at + 2] == UInt8(ascii: ">") ? .next(at + 3) : .unknown
            }
            at += 1
        }
        return .incomplete
    }

    private mutating func readSection(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> Step {
        let opening = "<![CDATA["
        guard has(opening, bytes, start, limit) else {
            return begins(opening, bytes, start, limit) ? .incomplete : .unknown
        }
        let text = start + opening.utf8.count
        var at = text
        while at + 2 < limit {
            // libxml2 leaves carriage returns as they are.
            if bytes[at] == 0x0D { return .unknown }
            if bytes[at] == UInt8(ascii: "]"), bytes[at + 1] == UInt8(ascii: "]"), bytes[at + 2] == UInt8(ascii: ">") {
                if builder.wantsText { builder.characters(bytes.extracting(text..<at)) }
                sections.append(text..<at)
                return .next(at + 3)
            }
            at += 1
        }
        return .incomplete
    }

    private mutating func readEnd(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> Step {
        let element = open[depth - 1]
        var behind = at + 2 + element.nameLength
        guard behind < limit else { return .incomplete }
        guard isSame(bytes, at + 2, element.nameStart, element.nameLength) else { return .unknown }
        if bytes[behind] != UInt8(ascii: ">") {
            behind = skipBlanks(bytes, behind)
            guard behind < limit else { return .incomplete }
            guard bytes[behind] == UInt8(ascii: ">") else { return .unknown }
        }
        builder.end()
        depth -= 1
        (declarationCount, namespace) = (element.declarations, element.namespace)
        if depth == 0 { rootHasEnded = true }
        return .next(behind + 1)
    }

    // MARK: Tags

    /// What the attributes of a tag say.
    private struct Attributes {
        /// The ranges of the values that are used.
        var latitude: Range<Int>?
        var longitude: Range<Int>?
        var version: Range<Int>?
        var creator: Range<Int>?
        var count = 0
        /// Prefixes and names.
        var keys = InlineArray<24, UInt32>(repeating: 0)
    }

    private struct Name {
        var prefix = XMLNameTable.none
        var local = XMLNameTable.none
        var end = 0
    }

    private enum NameStep {
        case name(Name)
        case incomplete
        case unknown
    }

    /// Reads the tag that begins an element, and the whole element if it contains only a text.
    mutating func readTag(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> Step {
        let name: Name
        switch readName(bytes, start + 1, limit) {
        case .name(let read): name = read
        case .incomplete: return .incomplete
        case .unknown: return .unknown
        }
        let outer = (declarations: declarationCount, namespace: namespace)
        var attributes = Attributes()
        var at = name.end
        if bytes[at] != UInt8(ascii: ">") {
            switch readAttributes(bytes, at, limit, &attributes) {
            case .next(let next): at = next
            case .incomplete:
                (declarationCount, namespace) = outer
                return .incomplete
            case .unknown: return .unknown
            }
        }
        let isEmpty = bytes[at] == UInt8(ascii: "/")
        let behind = at + (isEmpty ? 2 : 1)
        guard name.prefix != XMLNameTable.reserved, name.prefix != XMLNameTable.declaration,
            let own = namespace(of: name.prefix), depth < open.count
        else { return .unknown }
        let meaning = GPXName(rawValue: Int(name.local))
        let nameLength = name.end - start - 1

        if !rootHasBegun {
            guard meaning == .gpx, isUsable(bytes, attributes.version), isUsable(bytes, attributes.creator) else {
                return .unknown
            }
            rootHasBegun = true
            rootNamespace = own
            builder.begin(version: text(bytes, attributes.version), creator: text(bytes, attributes.creator))
            open[0] = OpenElement(tagStart: 0, tagEnd: behind, nameStart: start + 1, nameLength: nameLength)
            if isEmpty {
                builder.end()
                (rootHasEnded, rootIsEmpty) = (true, true)
            } else {
                depth = 1
            }
            return .next(behind)
        }

        let isGPX = own == rootNamespace
        if !isEmpty, declarationCount == outer.declarations, namespace == outer.namespace {
            let end = markup(bytes, behind)
            let next = end + 3 + nameLength
            if next <= limit, end - behind <= Self.maximumPlainText, bytes[end + 1] == UInt8(ascii: "/"),
                bytes[next - 1] == UInt8(ascii: ">"), isSame(bytes, end + 2, start + 1, nameLength),
                !needsCare || isPlain(bytes, behind..<end),
                builder.element(meaning, isGPX: isGPX, text: bytes.extracting(behind..<end))
            {
                return .next(next)
            }
        }

        if builder.keepsLines { builder.line = countLines(bytes, to: at) }
        if builder.begin(meaning, isGPX: isGPX) {
            let place: Coordinate? =
                if let latitude = attributes.latitude, let longitude = attributes.longitude {
                    GPXPosition.read(bytes.extracting(latitude), bytes.extracting(longitude))
                } else {
                    nil
                }
            builder.place(at: place)
            // The handler of libxml2 shows references and white space as libxml2 reads them.
            if place == nil {
                guard isUsable(bytes, attributes.latitude), isUsable(bytes, attributes.longitude) else {
                    return .unknown
                }
                if badPosition == nil {
                    badPosition = GPXBadPosition(
                        line: countLines(bytes, to: at), latitude: text(bytes, attributes.latitude),
                        longitude: text(bytes, attributes.longitude))
                }
            }
        }
        if isEmpty {
            builder.end()
            (declarationCount, namespace) = outer
        } else {
            open[depth] = OpenElement(
                tagStart: start, tagEnd: behind, nameStart: start + 1, nameLength: nameLength,
                declarations: outer.declarations, namespace: outer.namespace)
            depth += 1
        }
        return .next(behind)
    }

    /// Reads attributes and declarations up to the `>` or `/>`, and returns its index.
    private mutating func readAttributes(
        _ bytes: Span<UInt8>, _ start: Int, _ limit: Int, _ attributes: inout Attributes
    ) -> Step {
        var hasPrefixes = false
        var at = start
        while true {
            let visible = skipBlanks(bytes, at)
            guard visible < limit else { return .incomplete }
            if bytes[visible] == UInt8(ascii: ">") {
                at = visible
                break
            }
            if bytes[visible] == UInt8(ascii: "/") {
                guard visible + 1 < limit else { return .incomplete }
                guard bytes[visible + 1] == UInt8(ascii: ">") else { return .unknown }
                at = visible
                break
            }
            guard visible > at else { return .unknown }
            let name: Name
            switch readName(bytes, visible, limit) {
            case .name(let read): name = read
            case .incomplete: return .incomplete
            case .unknown: return .unknown
            }
            at = skipBlanks(bytes, name.end)
            guard at < limit else { return .incomplete }
            guard bytes[at] == UInt8(ascii: "=") else { return .unknown }
            at = skipBlanks(bytes, at + 1)
            guard at < limit else { return .incomplete }
            let quote = bytes[at]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return .unknown }
            let begin = at + 1
            let end = valueEnd(bytes, begin, quote)
            guard end < limit else { return .incomplete }
            guard bytes[end] == quote else { return .unknown }
            if needsCare, !hasValidReferences(bytes, begin..<end) { return .unknown }
            at = end + 1

            // The same name twice is an error, and so are two prefixes of the same namespace.
            guard attributes.count < attributes.keys.count else { return .unknown }
            let key = UInt32(UInt16(bitPattern: name.prefix)) << 16 | UInt32(UInt16(bitPattern: name.local))
            for index in 0..<attributes.count where attributes.keys[index] & 0xFFFF == key & 0xFFFF {
                if attributes.keys[index] == key || hasPrefixes { return .unknown }
            }
            attributes.keys[attributes.count] = key
            attributes.count += 1

            if name.prefix == XMLNameTable.declaration || name.local == XMLNameTable.declaration {
                guard declare(bytes, begin..<end, name) else { return .unknown }
            } else if name.prefix != XMLNameTable.none {
                guard name.prefix != XMLNameTable.reserved else { return .unknown }
                hasPrefixes = true
            } else {
                switch name.local {
                case Self.lat: attributes.latitude = begin..<end
                case Self.lon: attributes.longitude = begin..<end
                case Self.version: attributes.version = begin..<end
                case Self.creator: attributes.creator = begin..<end
                default: break
                }
            }
        }
        guard hasPrefixes else { return .next(at) }
        for index in 0..<attributes.count {
            let prefix = XMLNameTable.Number(truncatingIfNeeded: attributes.keys[index] >> 16)
            if prefix != XMLNameTable.none, prefix != XMLNameTable.declaration, namespace(of: prefix) == nil {
                return .unknown
            }
        }
        return .next(at)
    }

    /// Declares a namespace; returns `false` if that is unusual.
    private mutating func declare(_ bytes: Span<UInt8>, _ value: Range<Int>, _ name: Name) -> Bool {
        guard let number = names.number(ofNamespace: bytes, at: value.lowerBound, length: value.count) else {
            return false
        }
        if name.prefix == XMLNameTable.none {
            namespace = number
            return true
        }
        guard name.local != XMLNameTable.declaration, name.local != XMLNameTable.reserved,
            declarationCount < declarations.count
        else { return false }
        declarations[declarationCount] = Declaration(prefix: name.local, namespace: number)
        declarationCount += 1
        return true
    }

    /// Returns the namespace of names with a prefix, or without one; `nil` if the prefix is not declared.
    @inline(__always)
    private func namespace(of prefix: XMLNameTable.Number) -> XMLNameTable.Number? {
        if prefix == XMLNameTable.none { return namespace }
        var index = declarationCount
        while index > 0 {
            index -= 1
            if declarations[index].prefix == prefix { return declarations[index].namespace }
        }
        return nil
    }

    /// Reads a name, perhaps with a prefix.
    @inline(__always)
    private mutating func readName(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> NameStep {
        var name = Name()
        name.end = nameEnd(bytes, start)
        guard name.end < limit else { return .incomplete }
        guard let first = names.number(of: bytes, at: start, length: name.end - start) else { return .unknown }
        name.local = first
        guard bytes[name.end] == UInt8(ascii: ":") else { return .name(name) }
        let second = name.end + 1
        name.prefix = first
        name.end = nameEnd(bytes, second)
        guard name.end < limit else { return .incomplete }
        guard let local = names.number(of: bytes, at: second, length: name.end - second),
            bytes[name.end] != UInt8(ascii: ":")
        else { return .unknown }
        name.local = local
        return .name(name)
    }

    private static let lat = XMLNameTable.Number(GPXName.lat.rawValue)
    private static let lon = XMLNameTable.Number(GPXName.lon.rawValue)
    private static let version = XMLNameTable.Number(GPXName.version.rawValue)
    private static let creator = XMLNameTable.Number(GPXName.creator.rawValue)

    // MARK: Values

    /// Whether a value is what is written, without a reference or white space that is replaced.
    private func isUsable(_ bytes: Span<UInt8>, _ range: Range<Int>?) -> Bool {
        guard let range else { return true }
        for index in range where bytes[index] < 0x20 || bytes[index] == UInt8(ascii: "&") { return false }
        return true
    }

    /// Returns the text of a value as libxml2's handler does.
    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>?) -> String? {
        guard let range else { return nil }
        var text = GPXText()
        var ignored = Tally()
        text.append(bytes.extracting(range))
        return text.string(counting: &ignored)
    }

    private mutating func hasValidReferences(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            if bytes[at] == UInt8(ascii: "&") {
                guard let reference = reference(bytes, at, range.upperBound) else { return false }
                at = reference.end
            } else {
                at += 1
            }
        }
        return true
    }

    /// Whether a text is what is written.
    private func isPlain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            let byte = bytes[index]
            if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "]") || byte == 0x0D { return false }
        }
        return true
    }

    // MARK: Marks

    /// Returns the index of the next `<`.
    @inline(__always)
    private func markup(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while true {
            let places = XMLMarks.places(of: UInt8(ascii: "<"), in: bytes.word(at: at))
            if places != 0 { return at + places.trailingZeroBitCount >> 3 }
            at += 8
        }
    }

    /// Returns the index of the quote that ends a value, or of a `<` before it.
    @inline(__always)
    private func valueEnd(_ bytes: Span<UInt8>, _ start: Int, _ quote: UInt8) -> Int {
        var at = start
        while true {
            let word = bytes.word(at: at)
            let places = XMLMarks.places(of: quote, in: word) | XMLMarks.places(of: UInt8(ascii: "<"), in: word)
            if places != 0 { return at + places.trailingZeroBitCount >> 3 }
            at += 8
        }
    }

    /// Returns the index of the first byte that belongs to no name.
    @inline(__always)
    private func nameEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while true {
            let places = XMLMarks.nameEnds(in: bytes.word(at: at))
            if places == 0 {
                at += 8
                continue
            }
            at += places.trailingZeroBitCount >> 3
            guard bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: ".") else { return at }
            at += 1
        }
    }

    @inline(__always)
    private func skipBlanks(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x09 || bytes[at] == 0x0D { at += 1 }
        return at
    }

    /// Whether two ranges of the same length have the same bytes.
    @inline(__always)
    private func isSame(_ bytes: Span<UInt8>, _ one: Int, _ other: Int, _ length: Int) -> Bool {
        var at = 0
        while at < length {
            let difference = bytes.word(at: one + at) ^ bytes.word(at: other + at)
            if XMLMarks.prefix(difference, length - at) != 0 { return false }
            at += 8
        }
        return true
    }

    /// Whether the bytes before the limit continue with a text.
    private func has(_ text: String, _ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> Bool {
        limit - at >= text.utf8.count && begins(text, bytes, at, limit)
    }

    /// Whether the bytes before the limit continue with a text or with its beginning.
    private func begins(_ text: String, _ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> Bool {
        var at = start
        for byte in text.utf8 {
            guard at < limit else { return true }
            guard bytes[at] == byte else { return false }
            at += 1
        }
        return true
    }
}
