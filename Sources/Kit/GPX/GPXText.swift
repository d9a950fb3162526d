import Positioning

/// The text of an element, which arrives in pieces.
struct GPXText {
    /// A buffer whose first ``count`` bytes are the text.
    private(set) var bytes = [UInt8](repeating: 0, count: 64)
    private(set) var count = 0
    /// Whether the text was longer.
    private(set) var isCut = false

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

    /// Returns the text; see ``GPXValue/string(_:isCut:counting:)``.
    func string(counting malformed: inout Tally) -> String? {
        GPXValue.string(bytes.span.extracting(first: count), isCut: isCut, counting: &malformed)
    }
}
