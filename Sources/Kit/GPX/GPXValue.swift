import Positioning
import TextCoding
import Time

/// The values that the text of an element may have.
///
/// A text that is cut is only the beginning of what the document contains.
enum GPXValue {
    /// Returns the text without surrounding white space, or `nil` if nothing is left.
    ///
    /// A text that is too long is cut, and counted as malformed.
    static func string(_ text: Span<UInt8>, isCut: Bool, counting malformed: inout Tally) -> String? {
        if isCut { malformed.count("long-text") }
        var (start, end) = (0, isCut ? wholeCharacters(text) : text.count)
        while start < end, isBlank(text[start]) { start += 1 }
        while start < end, isBlank(text[end - 1]) { end -= 1 }
        guard start < end else { return nil }
        // The bytes are valid during the call, which copies them.
        return unsafe text.extracting(start..<end).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// Returns the number in the text, or `nil` if the text is empty, not a number or out of range.
    ///
    /// Only a text that is not a number is counted as malformed.
    @inline(__always)
    static func number(
        _ text: Span<UInt8>, isCut: Bool, _ reason: String, in range: ClosedRange<Double>,
        counting malformed: inout Tally
    ) -> Double? {
        if !isCut, let value = DecimalText.parse(text) { return range.contains(value) ? value : nil }
        if !isBlank(text) { malformed.count(reason) }
        return nil
    }

    /// Returns the time in the text, or `nil` if the text is empty or not a time, which is counted as malformed.
    @inline(__always)
    static func time(_ text: Span<UInt8>, isCut: Bool, counting malformed: inout Tally) -> Timestamp? {
        if !isCut, let value = Timestamp(rfc3339: text) { return value }
        if !isBlank(text) { malformed.count("time") }
        return nil
    }

    /// Returns the kind of fix in the text, or `nil` if the text is empty or unknown, which is counted as malformed.
    static func fixType(_ text: Span<UInt8>, isCut: Bool, counting malformed: inout Tally) -> GPXFixType? {
        guard let text = string(text, isCut: isCut, counting: &malformed) else { return nil }
        guard let value = GPXFixType(rawValue: text.lowercased()) else {
            malformed.count("fix")
            return nil
        }
        return value
    }

    private static func isBlank(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !isBlank(text[index]) { return false }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Returns the length of a text without an incomplete character at its end.
    private static func wholeCharacters(_ text: Span<UInt8>) -> Int {
        var start = text.count - 1
        while start >= 0, text[start] & 0xC0 == 0x80 { start -= 1 }
        guard start >= 0 else { return 0 }
        let length =
            switch text[start] {
            case ..<0x80: 1
            case ..<0xE0: 2
            case ..<0xF0: 3
            default: 4
            }
        return text.count - start < length ? start : text.count
    }
}
