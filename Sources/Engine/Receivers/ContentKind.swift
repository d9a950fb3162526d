/// The kind of a file's content, judged by its first bytes.
public enum ContentKind: Sendable {
    /// The content begins with `<`, like XML.
    case xml
    /// The content begins with `{`, like a JSON object.
    case json
    /// The content begins with anything else.
    case text

    /// Determines the kind from the first bytes of a file.
    ///
    /// A byte-order mark, white space and the zero bytes of UTF-16 and UTF-32 are skipped. A beginning that consists
    /// only of these is text.
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
