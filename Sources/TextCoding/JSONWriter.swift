/// Writes JSON whose bytes depend on nothing but what is written: keys in the order given, no blanks, numbers with a
/// bounded count of decimals (see ``DecimalText``), only what must be escaped and all control characters escaped.
///
/// Commas are its own affair; balancing begin and end is the caller's, which the closure forms do by themselves.
public struct JSONWriter: Sendable {
    /// What was written so far, UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// An empty text.
    public init() {}

    /// What was written so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Where a text ends, to go back to.
    public struct Mark: Sendable {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    /// Where the text ends now.
    public var mark: Mark { Mark(count: bytes.count, needsComma: needsComma) }

    /// Takes back what was written after a mark of this text.
    public mutating func goBack(to mark: Mark) {
        bytes.removeSubrange(min(mark.count, bytes.count)...)
        needsComma = mark.needsComma
    }

    /// Writes an object, with its members written by `body`.
    public mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }

    /// Writes an array, with its elements written by `body`.
    public mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

    /// Writes a member that is an object.
    public mutating func object(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// Writes a member that is an array.
    public mutating func array(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// Writes a member that is a string; nothing where there is none.
    public mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }

    /// Writes a member that is a whole number; nothing where there is none.
    public mutating func member(_ key: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.key(key)
        integer(value)
    }

    /// Writes a member that is true or false; nothing where there is neither.
    public mutating func member(_ key: String, _ value: Bool?) {
        guard let value else { return }
        self.key(key)
        boolean(value)
    }

    /// Writes a member that is a number with at most so many decimals; nothing where there is none, or none that is
    /// finite.
    public mutating func member(_ key: String, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return }
        self.key(key)
        number(value, decimals: decimals)
    }

    /// The key of a member that is written often, as it stands in the text.
    public struct Key: Sendable {
        fileprivate let bytes: [UInt8]

        /// The key of a name.
        public init(_ name: String) {
            var writer = JSONWriter()
            writer.key(name)
            bytes = writer.bytes
        }
    }

    /// Writes the key of a member; its value is to follow.
    public mutating func key(_ key: Key) {
        separate()
        append(key.bytes.span)
        needsComma = false
    }

    /// Writes the key of a member; its value is to follow.
    public mutating func key(_ key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string as a value.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    /// Writes a string as a value, which `body` appends and in which nothing must be escaped: a time, an address.
    public mutating func plain(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        body(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number as a value.
    @inlinable
    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) { integer(value) } else { raw(String(value).utf8) }
    }

    /// Writes a whole number as a value.
    public mutating func integer(_ value: Int64) {
        separate()
        DecimalText.append(unscaled: value, decimals: 0, to: &bytes)
    }

    /// Writes true or false as a value.
    public mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes null as a value.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a number as a value, rounded to at most so many decimals; null where it is not finite.
    public mutating func number(_ value: Double, decimals: Int) {
        guard value.isFinite else { return null() }
        separate()
        DecimalText.append(value, decimals: decimals, to: &bytes)
    }

    /// Writes a value that is JSON already, as it stands.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a value that is JSON already, as it stands.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    private mutating func nest(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quote(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        // Nearly all text is without such characters, and is copied at once.
        let text = value.utf8.span
        if Self.isPlain(text) { append(text) } else { escape(value) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Copies bytes without a reference to what holds them, which counts where a row has ten short texts.
    private mutating func append(_ text: Span<UInt8>) {
        bytes.append(addingCapacity: text.count) { room in
            for index in text.indices { room.append(text[index]) }
        }
    }

    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !isPlain(text[index]) { return false }
        return true
    }

    /// Whether a byte stands for itself, whatever is about it.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F && byte != 0xC2
    }

    private mutating func escape(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [0x5C, byte])
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F: escape(byte)
            // U+0080 to U+009F: no byte but the first of a character of two is C2.
            case 0x80..<0xA0 where bytes.last == 0xC2:
                bytes.removeLast()
                escape(byte)
            default: bytes.append(byte)
            }
        }
    }

    /// Writes a control character below U+00A0 as `\u` and four digits.
    private mutating func escape(_ control: UInt8) {
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(hexadecimal(control >> 4))
        bytes.append(hexadecimal(control & 15))
    }

    /// The digit of a number below 16.
    private func hexadecimal(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }
}
