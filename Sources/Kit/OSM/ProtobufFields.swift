/// The fields of a message of Protocol Buffers, one after the other.
///
/// - SeeAlso: https://protobuf.dev/programming-guides/encoding/
struct ProtobufFields {
    /// The value of a field.
    enum Value {
        /// A number of variable length.
        case number(UInt64)
        /// The place of bytes: a text, a message, or packed numbers.
        case bytes(Range<Int>)
        /// A number of a fixed length, which no field that we read has.
        case fixed
    }

    /// The bytes in which the message lies.
    let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// The most bytes of a number: 64 bits, seven in each.
    private static let longestNumber = 10

    /// Begins to read a message at a place in some bytes, which must be within them.
    init(_ bytes: [UInt8], _ place: Range<Int>) {
        self.bytes = bytes
        position = place.lowerBound
        end = min(place.upperBound, bytes.count)
    }

    /// Begins to read a message that takes all the bytes.
    init(_ bytes: [UInt8]) { self.init(bytes, bytes.indices) }

    /// Returns the next field; `nil` at the end.
    mutating func next() throws(OSMError) -> (number: UInt64, value: Value)? {
        guard let tag = try nextNumber() else { return nil }
        let field = tag >> 3
        switch tag & 7 {
        case 0:
            guard let number = try nextNumber() else { throw .damaged("a field") }
            return (field, .number(number))
        case 1:
            _ = try skip(8)
            return (field, .fixed)
        case 2:
            guard let length = try nextNumber() else { throw .damaged("a field") }
            return (field, .bytes(try skip(Int(clamping: length))))
        case 5:
            _ = try skip(4)
            return (field, .fixed)
        default: throw .damaged("a field")
        }
    }

    /// Returns the next number of packed ones; `nil` at the end.
    mutating func nextNumber() throws(OSMError) -> UInt64? {
        guard position < end else { return nil }
        var number: UInt64 = 0
        var shift: UInt64 = 0
        let last = min(end, position + Self.longestNumber)
        while position < last {
            let byte = bytes[position]
            position += 1
            number |= UInt64(truncatingIfNeeded: byte & 0x7F) << shift
            guard byte >= 0x80 else { return number }
            shift += 7
        }
        throw .damaged("a number")
    }

    /// Returns the next of packed numbers that can be negative; `nil` at the end.
    mutating func nextSigned() throws(OSMError) -> Int64? { try nextNumber().map(Self.signed) }

    /// Returns the number that its zigzag encoding stands for: 0, -1, 1, -2 and so on.
    static func signed(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number >> 1) ^ (0 &- Int64(bitPattern: number & 1))
    }

    /// Passes over some bytes, and returns their place.
    private mutating func skip(_ count: Int) throws(OSMError) -> Range<Int> {
        guard count <= end - position else { throw .damaged("a field") }
        defer { position += count }
        return position..<position + count
    }
}
