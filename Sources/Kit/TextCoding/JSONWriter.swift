/// Writes JSON deterministically.
///
/// Keys keep the order in which they are written. There is no white space. Numbers have a limited count of decimals
/// (see ``DecimalText``). Only control characters, quotes and backslashes are escaped.
///
/// The writer inserts commas. The functions with closures also balance brackets.
public struct JSONWriter: Sendable {
    /// The text written so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Creates a writer without text.
    public init() {}

    /// The text written so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Removes the text, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// A position in a text, for ``goBack(to:)``.
    public struct Mark: Sendable {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    /// The current end of the text.
    public var mark: Mark { Mark(count: bytes.count, needsComma: needsComma) }

    /// Removes what was written after a mark of this text.
    public mutating func goBack(to mark: Mark) {
        bytes.removeSubrange(min(mark.count, bytes.count)...)
        needsComma = mark.needsComma
    }

    /// Writes an object, whose members `body` writes.
    public mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }

    /// Writes an array, whose elements `body` writes.
    public mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

    /// Writes a member whose value is an object.
    public mutating func object(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// Writes a member whose value is an array.
    public mutating func array(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// Writes a member whose value is a string; writes nothing if the value is `nil`.
    public mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }

    /// Writes a member whose value is an integer; writes nothing if the value is `nil`.
    public mutating func member(_ key: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.key(key)
        integer(value)
    }

    /// Writes a member whose value is a truth value; writes nothing if the value is `nil`.
    public mutating func member(_ key: String, _ value: Bool?) {
        guard let value else { return }
        self.key(key)
        boolean(value)
    }

    /// Writes a member whose value is a number with at most `decimals` decimals; writes nothing if it is `nil` or not
    /// finite.
    public mutating func member(_ key: String, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return }
        self.key(key)
        number(value, decimals: decimals)
    }

    /// The encoded key of a member that is written often.
    public struct Key: Sendable {
        fileprivate let bytes: [UInt8]

        /// Encodes a key.
        public init(_ name: String) {
            var writer = JSONWriter()
            writer.key(name)
            bytes = writer.bytes
        }
    }

    /// Writes the key of a member.
    ///
    /// Its value must follow.
    public mutating func key(_ key: Key) {
        separate()
        append(key.bytes.span)
        needsComma = false
    }

    /// Writes the key of a member.
    ///
    /// Its value must follow.
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

    /// Writes a string as a value without escaping it.
    ///
    /// `body` appends the bytes, such as those of a time or an address.
    public mutating func plain(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        body(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer as a value.
    @inlinable
    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) { integer(value) } else { raw(String(value).utf8) }
    }

    /// Writes an integer as a value.
    public mutating func integer(_ value: Int64) {
        separate()
        DecimalText.append(unscaled: value, decimals: 0, to: &bytes)
    }

    /// Writes a truth value.
    public mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null` as a value.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a number as a value, rounded to at most `decimals` decimals; writes `null` if it is not finite.
    public mutating func number(_ value: Double, decimals: Int) {
        guard value.isFinite else { return null() }
        separate()
        DecimalText.append(value, decimals: decimals, to: &bytes)
    }

    /// Writes a value that is already JSON, unchanged.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a value that is already JSON, unchanged.
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
        // Nearly all text needs no escaping, and is copied at once.
        let text = value.utf8.span
        if Self.isPlain(text) { append(text) } else { escape(value) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Copies bytes without retaining their owner, which is measurable for a row with ten short texts.
    private mutating func append(_ text: Span<UInt8>) {
        bytes.append(addingCapacity: text.count) { room in
            for index in text.indices { room.append(text[index]) }
        }
    }

    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !isPlain(text[index]) { return false }
        return true
    }

    /// Returns whether a byte never needs escaping, regardless of the bytes around it.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F && byte != 0xC2
    }

    private mutating func escape(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [0x5C, byte])
            // Readers of the protocol refuse U+0000. A column that others have damaged may hold it.
            case 0: bytes.append(contentsOf: "\u{FFFD}".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F: escape(byte)
            // U+0080 to U+009F. The byte C2 occurs only as the first byte of a two-byte character.
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

    /// Returns the hexadecimal digit of a number below 16.
    private func hexadecimal(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }
}
