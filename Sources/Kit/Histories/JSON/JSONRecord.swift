internal import Geodesy
internal import Positioning
internal import Time

/// The wanted members of one object of a JSON text, such as one location, held whole.
///
/// Nodes stand in the order of the text: an object or array is followed by its content. Node 0 is the object itself.
struct JSONRecord {
    /// The most values in a record: thirty times what the longest segment of Google's has.
    static let maximumNodes = 1 << 17
    /// The most bytes in the texts of a record.
    static let maximumText = 1 << 21

    private enum Value {
        case null
        case logical
        case number(Double)
        case text(start: Int32, end: Int32)
        case object
        case array
    }

    private struct Node {
        var field: JSONField
        var value: Value
        /// The index of the first node behind this one's content.
        var end: Int32
    }

    private var nodes: [Node] = []
    private var texts: [UInt8] = []
    private var open: [Int] = []

    /// The number of objects and arrays that are open.
    var depth: Int { open.count }
    var isEmpty: Bool { nodes.isEmpty }

    /// Forgets everything, but keeps the memory.
    mutating func removeAll() {
        nodes.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
    }

    mutating func begin(_ field: JSONField, isArray: Bool) throws(RecordingError) {
        open.append(nodes.count)
        try append(field, isArray ? .array : .object)
    }

    mutating func end() {
        guard let index = open.popLast() else { return }
        nodes[index].end = Int32(truncatingIfNeeded: nodes.count)
    }

    mutating func append(
        _ field: JSONField, _ scalar: JSONScalar, of bytes: Span<UInt8>
    ) throws(RecordingError) {
        switch scalar {
        case .literal(let literal): try append(field, literal == .null ? .null : .logical)
        case .number(let range):
            var at = range.lowerBound
            try append(field, .number(DecimalReader.prefix(of: bytes, from: &at) ?? .nan))
        case .text(let range, let isPlain):
            guard texts.count + range.count <= Self.maximumText else {
                throw RecordingError("one location or segment has more than \(Self.maximumText) bytes of text")
            }
            let start = texts.count
            if isPlain {
                for index in range { texts.append(bytes[index]) }
            } else {
                JSONEscape.append(range, of: bytes, to: &texts)
            }
            try append(
                field,
                .text(start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: texts.count)))
        }
    }

    private mutating func append(_ field: JSONField, _ value: Value) throws(RecordingError) {
        guard nodes.count < Self.maximumNodes else {
            throw RecordingError("one location or segment has more than \(Self.maximumNodes) values")
        }
        nodes.append(Node(field: field, value: value, end: Int32(truncatingIfNeeded: nodes.count + 1)))
    }
}

extension JSONRecord {
    /// Returns the node of a member of an object; `nil` if there is none or it is null.
    func member(_ field: JSONField, of node: Int = 0) -> Int? {
        guard node < nodes.count, case .object = nodes[node].value else { return nil }
        var index = node + 1
        let end = Int(nodes[node].end)
        while index < end {
            if nodes[index].field == field {
                if case .null = nodes[index].value { return nil }
                return index
            }
            index = Int(nodes[index].end)
        }
        return nil
    }

    /// Calls a function with the node of each element of an array.
    func forEachElement(of node: Int, _ body: (Int) -> Void) {
        guard case .array = nodes[node].value else { return }
        var index = node + 1
        let end = Int(nodes[node].end)
        while index < end {
            body(index)
            index = Int(nodes[index].end)
        }
    }

    /// Returns a number, also one that is written as text; `nil` if there is none.
    func number(_ field: JSONField, of node: Int = 0) -> Double? {
        guard let index = member(field, of: node) else { return nil }
        return switch nodes[index].value {
        case .number(let number): number
        case .text(let start, let end): DecimalReader.value(texts.span.extracting(Int(start)..<Int(end)))
        default: nil
        }
    }

    /// Returns a number that must be one if the member is there.
    func required(_ field: JSONField, of node: Int = 0) throws(DroppedPoint) -> Double {
        guard member(field, of: node) != nil else { throw .noPosition }
        guard let number = number(field, of: node), !number.isNaN else { throw .notANumber }
        return number
    }

    /// Returns the time that a member holds, in any form; `nil` if there is no such member.
    func time(_ field: JSONField, of node: Int = 0) throws(DroppedPoint) -> Timestamp? {
        guard let index = member(field, of: node) else { return nil }
        return switch nodes[index].value {
        case .number(let number): try HistoryTime.time(number)
        case .text(let start, let end): try HistoryTime.time(texts.span.extracting(Int(start)..<Int(end)))
        default: throw .noTime
        }
    }

    /// Returns the time that a member holds in milliseconds since 1970, as a number or text.
    func millisecondTime(_ field: JSONField, of node: Int = 0) throws(DroppedPoint) -> Timestamp? {
        guard member(field, of: node) != nil else { return nil }
        guard let number = number(field, of: node), number.rounded() == number else { throw .noTime }
        return try HistoryTime.time(milliseconds: number)
    }

    /// Returns the plausible time of a member, or of another member in milliseconds if the first is missing.
    func plausibleTime(
        _ field: JSONField, orMilliseconds other: JSONField? = nil, of node: Int = 0
    ) throws(DroppedPoint) -> Timestamp {
        if let time = try time(field, of: node) { return try HistoryTime.plausible(time) }
        guard let other, let time = try millisecondTime(other, of: node) else { throw .noTime }
        return try HistoryTime.plausible(time)
    }

    /// Returns how somebody travelled, as a text or the first text of an array says; `nil` if it says nothing known.
    func kind(_ field: JSONField, of node: Int = 0) -> TripKind? {
        guard let index = firstElement(field, of: node) ?? member(field, of: node),
            case .text(let start, let end) = nodes[index].value
        else { return nil }
        return TripKind(word: texts[Int(start)..<Int(end)])
    }

    /// Returns the first element of the array that a member holds; `nil` if it holds none.
    func firstElement(_ field: JSONField, of node: Int = 0) -> Int? {
        guard let index = member(field, of: node), case .array = nodes[index].value, Int(nodes[index].end) > index + 1
        else { return nil }
        return index + 1
    }

    /// Returns the place that a text holds; see ``HistoryValues/place(_:)``.
    func place(at node: Int) throws(DroppedPoint) -> Coordinate {
        guard case .text(let start, let end) = nodes[node].value else { throw .noPosition }
        return try HistoryValues.place(texts.span.extracting(Int(start)..<Int(end)))
    }

    /// Returns whether a node is an object.
    func isObject(_ node: Int) -> Bool {
        if case .object = nodes[node].value { true } else { false }
    }

    /// Returns whether a member is a certain text.
    func has(_ field: JSONField, _ word: StaticString, of node: Int = 0) -> Bool {
        guard let index = member(field, of: node), case .text(let start, let end) = nodes[index].value else {
            return false
        }
        return texts[Int(start)..<Int(end)].elementsEqual(word.description.utf8)
    }

    /// Returns a text of at most `length` characters; `nil` if there is none or it is empty.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    func string(_ field: JSONField, of node: Int = 0, length: Int = 200) -> String? {
        guard let index = member(field, of: node), case .text(let start, let end) = nodes[index].value, start < end
        else { return nil }
        return String(String(decoding: texts[Int(start)..<Int(end)], as: UTF8.self).prefix(length))
    }
}
