/// What a file holds, judged by how it begins.
public enum ContentKind: Sendable {
    /// It begins with `<`, as XML does.
    case xml
    /// It begins with `{`, as JSON objects do.
    case json
    /// Anything else.
    case text

    /// The kind of a file that begins so.
    ///
    /// A byte-order mark, blanks and the zero bytes of UTF-16 and UTF-32 are passed over; nothing but them is text.
    public init(of beginning: Span<UInt8>) {
        for index in beginning.indices {
            switch beginning[index] {
            case 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00, 0x20, 0x09...0x0D: continue
            case UInt8(ascii: "<"): self = .xml
            case UInt8(ascii: "{"): self = .json
            default: self = .text
            }
            return
        }
        self = .text
    }
}
