import Positioning
import TextCoding

/// The text of an element, as it comes in pieces, and what it says.
struct GPXText {
    /// The text at its beginning, and room for more.
    private var bytes = [UInt8](repeating: 0, count: 64)
    private var count = 0
    private var isCut = false

    /// How many bytes of a text are kept: far more than a name, a number or a time needs and a description should
    /// have, and little memory.
    static let maximumLength = 65_536

    /// Begins anew.
    mutating func clear() {
        count = 0
        isCut = false
    }

    /// The text goes on.
    mutating func append(_ piece: Span<UInt8>) {
        let taken = piece.extracting(first: Self.maximumLength - count)
        if taken.count < piece.count { isCut = true }
        let end = count + taken.count
        if end > bytes.count { bytes += [UInt8](repeating: 0, count: max(bytes.count, end - bytes.count)) }
        // Both are valid during the calls, and the room is as large as what is copied into it.
        unsafe taken.withUnsafeBytes { taken in
            unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count..<end]).copyMemory(from: taken)
            }
        }
        count = end
    }

    /// The text without the blanks around it; nil where nothing is left.
    ///
    /// Too long a one is cut, and counted.
    func string(counting malformed: inout Tally) -> String? {
        if isCut { malformed.count("long-text") }
        var kept = bytes[..<count]
        if isCut { kept = Self.wholeCharacters(kept) }
        kept = kept.drop(while: Self.isBlank)
        while let last = kept.last, Self.isBlank(last) { kept.removeLast() }
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }

    /// The number it says; nil where it is empty, out of range, or no number, which alone is counted.
    func number(
        _ reason: String, in range: ClosedRange<Double> = -.infinity ... .infinity, counting malformed: inout Tally
    ) -> Double? {
        guard !isEmpty else { return nil }
        guard !isCut, let value = DecimalText.parse(bytes.span.extracting(first: count)) else {
            malformed.count(reason)
            return nil
        }
        return range.contains(value) ? value : nil
    }

    /// The moment it says; nil where it is empty or none, which is counted.
    func time(counting malformed: inout Tally) -> Timestamp? {
        guard !isEmpty else { return nil }
        guard !isCut, let value = Timestamp(rfc3339: bytes.span.extracting(first: count)) else {
            malformed.count("time")
            return nil
        }
        return value
    }

    /// The kind of fix it says; nil where it is empty or none, which is counted.
    func fixType(counting malformed: inout Tally) -> GPXFixType? {
        guard let text = string(counting: &malformed) else { return nil }
        guard let value = GPXFixType(rawValue: text.lowercased()) else {
            malformed.count("fix")
            return nil
        }
        return value
    }

    private var isEmpty: Bool { bytes[..<count].allSatisfy(Self.isBlank) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The bytes without the beginning of a character at their end.
    private static func wholeCharacters(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return [] }
        let length =
            switch bytes[start] {
            case ..<0x80: 1
            case ..<0xE0: 2
            case ..<0xF0: 3
            default: 4
            }
        return bytes.endIndex - start < length ? bytes[..<start] : bytes
    }
}
