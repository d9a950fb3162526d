/// The part of a resource that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// The whole resource: the request names no range, several ranges, or one in an unknown form.
    case whole
    /// The bytes of one range.
    case part(Range<Int>)
    /// A range that lies outside the resource.
    case unsatisfiable

    /// Parses the header `Range` for a resource of `size` bytes.
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

    /// Parses a number; the inner value is `nil` for an empty text, the outer for an invalid one or one beyond any
    /// file.
    private static func number(_ text: Substring) -> Int?? {
        guard !text.isEmpty else { return .some(nil) }
        guard text.utf8.count <= 15, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return Int(text).map { .some($0) }
    }
}
