#if Fleet
/// Writes whole numbers in as many bytes as they need: seven bits a byte, the lowest first (LEB128).
package struct BytePacker {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Writes the difference of two numbers, of which small ones of either sign are short.
    ///
    /// The numbers are below 2⁶² in size, so that nothing overflows.
    package mutating func difference(_ value: Int64, _ before: Int64) {
        let difference = value &- before
        var rest = UInt64(bitPattern: difference &<< 1 ^ difference &>> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes bytes as they are.
    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Writes 64 bits, the lowest byte first.
    package mutating func word(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    /// Writes a difference if there is a value; returns the last known value.
    package mutating func difference(_ value: Int64?, _ before: Int64?) -> Int64? {
        guard let value else { return before }
        difference(value, before ?? 0)
        return value
    }
}

/// Reads what a ``BytePacker`` has written.
package struct ByteReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether nothing is left.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads a byte; `nil` at the end.
    package mutating func byte() -> UInt8? { rest.popFirst() }

    /// Reads some bytes; `nil` if there are fewer.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads 64 bits, the lowest byte first; `nil` if there are fewer.
    package mutating func word() -> UInt64? {
        bytes(8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a count; `nil` at the end, and for one that is negative or above a limit.
    package mutating func count(atMost most: Int) -> Int? {
        sum(0).flatMap { $0 >= 0 && $0 <= Int64(most) ? Int($0) : nil }
    }

    /// Reads a difference, and adds it to the number before; `nil` at the end, and for a number that is too long.
    package mutating func sum(_ before: Int64) -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else {
                let difference = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
                let (sum, overflows) = before.addingReportingOverflow(difference)
                return overflows ? nil : sum
            }
        }
        return nil
    }
}
#endif
