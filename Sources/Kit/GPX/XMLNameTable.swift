/// The names, prefixes and namespaces of a document, each with a number.
///
/// The numbers of ``GPXName`` come first. Others follow in the order in which a document first uses them, which is the
/// order in which libxml2 would store them.
struct XMLNameTable {
    /// The number of a name.
    typealias Number = Int16

    /// The most names that a table takes.
    ///
    /// GPX and its extensions have fewer; libxml2 reads the documents that have more.
    static let maximumCount = 160
    /// The most bytes of a name that a table takes.
    static let maximumLength = 200
    /// No name.
    static let none: Number = -1
    /// The number of `xmlns`, the prefix of declarations.
    static let declaration = Number(GPXName.allCases.count)
    /// The number of `xml`, the prefix that needs no declaration.
    static let reserved = declaration + 1

    /// The names by number.
    private(set) var names: [[UInt8]] = []
    /// Numbers by a hash of their names, with linear probing; there are always empty slots.
    private var slots = [Slot](repeating: Slot(), count: 512)

    private struct Slot {
        /// The first and the last eight bytes, which are the same for a short name.
        var first: UInt64 = 0
        var last: UInt64 = 0
        var length: Int16 = 0
        var number: Number = -1
        var isNamespace = false
    }

    init() {
        let known = GPXName.allCases.map(\.text) + ["xmlns", "xml"]
        for name in known {
            let bytes = Array(name.utf8) + [UInt8](repeating: 0, count: 8)
            _ = number(of: bytes.span, at: 0, length: name.utf8.count)
        }
    }

    /// The names that a document has added, in order.
    var added: ArraySlice<[UInt8]> { names.dropFirst(GPXName.allCases.count + 2) }

    /// Returns the number of a name, and stores it if it is new.
    ///
    /// Eight bytes must follow the beginning of the name, whatever they are.
    ///
    /// Returns `nil` if the name is not one of ASCII letters, digits, `_`, `-` and `.`, or if there is no room.
    @inline(__always)
    mutating func number(of bytes: Span<UInt8>, at start: Int, length: Int) -> Number? {
        let slot = slot(of: bytes, at: start, length: length)
        let number = slots[slot].number
        return number >= 0 ? number : add(bytes, at: start, length: length, to: slot, isName: true)
    }

    /// Returns the number of a namespace, and stores it if it is new; `nil` if it may not be valid or there is no room.
    mutating func number(ofNamespace bytes: Span<UInt8>, at start: Int, length: Int) -> Number? {
        let slot = slot(of: bytes, at: start, length: length)
        let number = slots[slot].number
        if number >= 0 { return slots[slot].isNamespace ? number : nil }
        guard Self.isNamespace(bytes.extracting(start..<start + length)) else { return nil }
        return add(bytes, at: start, length: length, to: slot, isName: false)
    }

    /// Returns the slot of a name, which is empty if the name is new.
    @inline(__always)
    private func slot(of bytes: Span<UInt8>, at start: Int, length: Int) -> Int {
        let first = XMLMarks.prefix(bytes.word(at: start), length)
        let last = length <= 8 ? first : bytes.word(at: start + length - 8)
        let hash = (first ^ (last &* 31) ^ UInt64(truncatingIfNeeded: length)) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(truncatingIfNeeded: hash >> 55)
        while slots[slot].number >= 0 {
            if slots[slot].first == first, slots[slot].last == last, Int(slots[slot].length) == length,
                length <= 16 || isEqual(slots[slot].number, bytes, start, length)
            {
                return slot
            }
            slot = (slot + 1) & 511
        }
        return slot
    }

    private func isEqual(_ number: Number, _ bytes: Span<UInt8>, _ start: Int, _ length: Int) -> Bool {
        let name = names[Int(number)]
        for index in name.indices where name[index] != bytes[start + index] { return false }
        return true
    }

    @inline(never)
    private mutating func add(
        _ bytes: Span<UInt8>, at start: Int, length: Int, to slot: Int, isName: Bool
    ) -> Number? {
        guard names.count < Self.maximumCount, 1...Self.maximumLength ~= length else { return nil }
        var name: [UInt8] = []
        for index in start..<start + length { name.append(bytes[index]) }
        if isName {
            guard let head = name.first, Self.isLetter(head),
                name.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == 0x2D || $0 == 0x2E })
            else { return nil }
        }
        let first = XMLMarks.prefix(bytes.word(at: start), length)
        let number = Number(names.count)
        slots[slot] = Slot(
            first: first, last: length <= 8 ? first : bytes.word(at: start + length - 8), length: Int16(length),
            number: number, isNamespace: !isName)
        names.append(name)
        return number
    }

    /// Whether a text is certainly an absolute URI, and not one of the two namespaces that XML reserves.
    ///
    /// It accepts the common forms: `http` or `https` with a host and a path, and `urn`.
    private static func isNamespace(_ text: Span<UInt8>) -> Bool {
        guard text.count <= maximumLength else { return false }
        var plain: [UInt8] = []
        for index in text.indices { plain.append(text[index]) }
        for scheme in ["http://", "https://", "urn:"] where plain.starts(with: scheme.utf8) {
            let rest = plain.dropFirst(scheme.utf8.count)
            guard let head = rest.first, isLetter(head) || isDigit(head) else { return false }
            // XML's own namespaces are there.
            if plain.starts(with: "http://www.w3.org/XML/".utf8) || plain.starts(with: "http://www.w3.org/2000/".utf8) {
                return false
            }
            return rest.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x2F }
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == 0x5F }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
