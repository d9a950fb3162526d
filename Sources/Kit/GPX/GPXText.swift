import Positioning
import TextCoding
import Time

/// The text of an element, which arrives in pieces, and the values that it may have.
struct GPXText {
    /// A buffer whose first ``count`` bytes are the text.
    private var bytes = [UInt8](repeating: 0, count: 64)
    private var count = 0
    private var isCut = false

    /// The most bytes kept of a text: far more than any sensible value needs, even a description, and little memory.
    static let maximumLength = 65_536

    /// Removes the text.
    mutating func clear() {
        count = 0
        isCut = false
    }

    /// Appends a piece of text, up to ``maximumLength`` bytes in all.
    mutating func append(_ piece: Span<UInt8>) {
        let taken = piece.extracting(first: Self.maximumLength - count)
        if taken.count < piece.count { isCut = true }
        let end = count + taken.count
        if end > bytes.count { bytes += [UInt8](repeating: 0, count: max(bytes.count, end - bytes.count)) }
        // Both buffers are valid during the calls, and the target range is as large as the bytes copied into it.
        unsafe taken.withUnsafeBytes { taken in
            unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count..<end]).copyMemory(from: taken)
            }
        }
        count = end
    }

    /// Returns the text without surrounding white space, or `nil` if nothing is left.
    ///
    /// A text that is too long is cut, and counted as malformed.
    func string(counting malformed: inout Tally) -> String? {
        if isCut { malformed.count("long-text") }
        var kept = bytes[..<count]
        if isCut { kept = Self.wholeCharacters(kept) }
        kept = kept.drop(while: Self.isBlank)
        while let last = kept.last, Self.isBlank(last) { kept.removeLast() }
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }

    /// Returns the number in the text, or `nil` if the text is empty, not a number or out of range.
    ///
    /// Only a text that is not a number is counted as malformed.
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

    /// Returns the time in the text, or `nil` if the text is empty or not a time, which is counted as malformed.
    func time(counting malformed: inout Tally) -> Timestamp? {
        guard !isEmpty else { return nil }
        guard !isCut, let value = Timestamp(rfc3339: bytes.span.extracting(first: count)) else {
            malformed.count("time")
            return nil
        }
        return value
    }

    /// Returns the kind of fix in the text, or `nil` if the text is empty or unknown, which is counted as malformed.
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

    /// Returns the bytes without an incomplete character at their end.
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
