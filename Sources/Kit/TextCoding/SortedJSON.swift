/// Writes values as JSON, in bytes that depend on the value alone: equal values have equal bytes.
///
/// The members of each object are in the order of their keys. There is no white space, slashes are not escaped, and
/// numbers have as many digits as tell them apart. These are the bytes of Foundation's `JSONEncoder` with sorted keys, at a
/// fraction of its cost: values go into one array of bytes, and no tree is built.
public enum SortedJSON {
    /// Returns a value as JSON.
    ///
    /// - Throws: `EncodingError` for a number that is not finite, and if the value writes to a container after a later one
    ///   of the same parent; errors of the value itself.
    /// - Complexity: O(*n* *d*) for *n* bytes in objects that are nested *d* deep, besides the sorting of each object's keys.
    public static func text(of value: some Encodable) throws -> String {
        let output = SortedJSONOutput()
        try output.write(value)
        if let failure = output.text.failure { throw failure }
        return String(decoding: output.text.bytes, as: UTF8.self)
    }
}

/// The text of a value so far, and the containers that are open.
private struct SortedJSONText {
    /// A container that is open: its elements, or the values of its members, follow one another from `start`.
    private struct Frame {
        let place: Place
        let isObject: Bool
        let start: Int
        let firstMember: Int
        var isEmpty = true
    }

    /// Where a container is among those that are open; the number tells it from others that were there before.
    struct Place: Equatable {
        let depth: Int
        let number: Int
    }

    private struct Member {
        let key: String
        let start: Int
        var end: Int
    }

    private(set) var bytes: [UInt8] = []
    private var frames: [Frame] = []
    /// The members of all objects that are open.
    private var members: [Member] = []
    private var scratch: [UInt8] = []
    private var number = 0
    /// The first failure of a call that cannot throw.
    var failure: EncodingError?

    /// The number of containers that are open.
    var depth: Int { frames.count }

    // MARK: Containers

    mutating func open(isObject: Bool) -> Place {
        number += 1
        let place = Place(depth: frames.count + 1, number: number)
        if !isObject { bytes.append(UInt8(ascii: "[")) }
        frames.append(Frame(place: place, isObject: isObject, start: bytes.count, firstMember: members.count))
        return place
    }

    /// Closes the containers that are deeper than `depth`.
    mutating func close(to depth: Int) {
        while frames.count > depth, let frame = frames.popLast() {
            if frame.isObject { arrange(frame) } else { bytes.append(UInt8(ascii: "]")) }
        }
    }

    /// Puts the members of an object in order.
    private mutating func arrange(_ frame: Frame) {
        endMember(since: frame.firstMember)
        members[frame.firstMember...].sort { $0.key < $1.key }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(ascii: "{"))
        for member in members[frame.firstMember...] where member.end > member.start {
            if scratch.count > 1 { scratch.append(UInt8(ascii: ",")) }
            Self.quote(member.key, to: &scratch)
            scratch.append(UInt8(ascii: ":"))
            scratch.append(contentsOf: bytes[member.start..<member.end])
        }
        scratch.append(UInt8(ascii: "}"))
        members.removeSubrange(frame.firstMember...)
        bytes.removeSubrange(frame.start...)
        bytes.append(contentsOf: scratch)
    }

    private mutating func endMember(since first: Int) {
        if members.count > first { members[members.count - 1].end = bytes.count }
    }

    /// Begins the value of a member, or the next element if there is no key.
    mutating func begin(_ key: String?, in place: Place) throws(EncodingError) {
        close(to: place.depth)
        guard let frame = frames.last, frame.place == place else {
            throw EncodingError.invalidValue(
                key ?? "", .init(codingPath: [], debugDescription: "its container is closed"))
        }
        if let key {
            endMember(since: frame.firstMember)
            members.append(Member(key: key, start: bytes.count, end: bytes.count))
        } else {
            if !frame.isEmpty { bytes.append(UInt8(ascii: ",")) }
            frames[frames.count - 1].isEmpty = false
        }
    }

    // MARK: Values

    mutating func writeNull() { bytes.append(contentsOf: "null".utf8) }

    mutating func write(isTrue: Bool) { bytes.append(contentsOf: (isTrue ? "true" : "false").utf8) }

    mutating func write(integer: Int64) { DecimalText.append(unscaled: integer, decimals: 0, to: &bytes) }

    mutating func write(number: some BinaryFloatingPoint & CustomStringConvertible) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: [], debugDescription: "JSON has only finite numbers"))
        }
        let text = number.description.utf8
        bytes.append(contentsOf: text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...])
    }

    mutating func write(plain text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func write(_ text: String) { Self.quote(text, to: &bytes) }

    private static func quote(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(0x22)
        let span = text.utf8.span
        var isPlain = true
        for index in span.indices where isEscaped(span[index]) { isPlain = false }
        if isPlain { bytes.append(contentsOf: text.utf8) } else { escape(text, to: &bytes) }
        bytes.append(0x22)
    }

    @inline(__always)
    private static func isEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    private static func escape(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, byte])
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case ..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
    }
}

/// The text that the containers of a value share.
private final class SortedJSONOutput {
    // Each access is checked, so each call below has one.
    var text = SortedJSONText()

    /// Begins the value of a member or the next element, for a call that cannot throw.
    func attemptToBegin(_ key: String?, in place: SortedJSONText.Place) {
        do throws(EncodingError) {
            try text.begin(key, in: place)
        } catch {
            text.failure = text.failure ?? error
        }
    }

    func write<Value: Encodable>(_ value: Value) throws {
        // These compare two addresses. A cast to a protocol would look the conformance up each time.
        if Value.self == Double.self, let value = value as? Double { return try text.write(number: value) }
        if Value.self == Int64.self, let value = value as? Int64 { return text.write(integer: value) }
        if Value.self == Int.self, let value = value as? Int { return text.write(integer: Int64(value)) }
        if Value.self == Int32.self, let value = value as? Int32 { return text.write(integer: Int64(value)) }
        if Value.self == String.self, let value = value as? String { return text.write(value) }
        if Value.self == Bool.self, let value = value as? Bool { return text.write(isTrue: value) }
        if Value.self == UInt8.self, let value = value as? UInt8 { return text.write(integer: Int64(value)) }
        if Value.self == UInt32.self, let value = value as? UInt32 { return text.write(integer: Int64(value)) }
        if Self.isRareNumber(Value.self) { return try write(rareNumber: value) }
        let (depth, count) = (text.depth, text.bytes.count)
        try value.encode(to: SortedJSONEncoder(output: self))
        text.close(to: depth)
        // What encodes nothing is an empty object.
        if text.bytes.count == count { text.write(plain: "{}") }
    }

    private static func isRareNumber(_ type: Any.Type) -> Bool {
        type == Float.self || type == UInt64.self || type == UInt.self || type == Int16.self || type == UInt16.self
            || type == Int8.self || type == Int128.self || type == UInt128.self
    }

    private func write(rareNumber value: Any) throws {
        if let value = value as? Float { try text.write(number: value) } else { text.write(plain: "\(value)") }
    }
}

private struct SortedJSONEncoder: Encoder {
    let output: SortedJSONOutput
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(SortedJSONObject(output: output, place: output.text.open(isObject: true)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        SortedJSONArray(output: output, place: output.text.open(isObject: false))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SortedJSONValue(output: output) }
}

private struct SortedJSONObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: SortedJSONOutput
    let place: SortedJSONText.Place
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try output.text.begin(key.stringValue, in: place)
        output.text.writeNull()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try output.text.begin(key.stringValue, in: place)
        try output.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        output.attemptToBegin(key.stringValue, in: place)
        return SortedJSONEncoder(output: output).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        output.attemptToBegin(key.stringValue, in: place)
        return SortedJSONEncoder(output: output).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        output.attemptToBegin("super", in: place)
        return SortedJSONEncoder(output: output)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        output.attemptToBegin(key.stringValue, in: place)
        return SortedJSONEncoder(output: output)
    }
}

private struct SortedJSONArray: UnkeyedEncodingContainer {
    let output: SortedJSONOutput
    let place: SortedJSONText.Place
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(output: SortedJSONOutput, place: SortedJSONText.Place) { (self.output, self.place) = (output, place) }

    mutating func encodeNil() throws {
        try output.text.begin(nil, in: place)
        output.text.writeNull()
        count += 1
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try output.text.begin(nil, in: place)
        try output.write(value)
        count += 1
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        output.attemptToBegin(nil, in: place)
        count += 1
        return SortedJSONEncoder(output: output).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        output.attemptToBegin(nil, in: place)
        count += 1
        return SortedJSONEncoder(output: output).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        output.attemptToBegin(nil, in: place)
        count += 1
        return SortedJSONEncoder(output: output)
    }
}

private struct SortedJSONValue: SingleValueEncodingContainer {
    let output: SortedJSONOutput
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { output.text.writeNull() }

    func encode<Value: Encodable>(_ value: Value) throws { try output.write(value) }
}
