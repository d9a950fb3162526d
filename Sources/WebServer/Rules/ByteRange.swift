/// What part of something a request wants (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// All of it: no part is asked for, or several, or in a way that nobody knows.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// A part that there is not.
    case unsatisfiable

    /// Reads the header `Range` for something of so many bytes.
    init(_ header: String?, of size: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes=") else { return }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return }
        switch (first, last) {
        case (nil, nil): return
        case (nil, let count?): self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (let first?, let last):
            if let last, last < first { return }
            self = first < size ? .part(first..<min(size, (last ?? size - 1) + 1)) : .unsatisfiable
        }
    }

    /// A number, or none where the text is empty; nil where it is no number, or beyond any file.
    private static func number(_ text: Substring) -> Int?? {
        guard !text.isEmpty else { return .some(nil) }
        guard text.utf8.count <= 15, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return Int(text).map { .some($0) }
    }
}
