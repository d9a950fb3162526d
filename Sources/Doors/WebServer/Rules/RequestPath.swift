/// The target of a request: the parts of its path, and the parameters of its query.
struct RequestPath: Equatable, Sendable {
    /// The decoded parts between slashes; empty for `/`.
    let parts: [String]
    /// Whether the path ends with a slash.
    let isFolder: Bool
    private let query: [String: String]

    /// The longest path with its query, in bytes.
    static let longest = 4096

    /// Parses the target in the first line of a request.
    ///
    /// The result is `nil` for a target that is no path of this server: an absolute address, a part such as `..`, or
    /// bytes that are not UTF-8.
    init?(_ target: String) {
        // Bytes, because each request has a target, and finding characters takes longer.
        let bytes = target.utf8
        guard bytes.first == Self.slash, bytes.count <= Self.longest else { return nil }
        let path = bytes.prefix { $0 != Self.question && $0 != Self.hash }
        var parts: [String] = []
        for part in path.split(separator: Self.slash) {
            guard let text = Self.decoded(part), Self.isPlain(text) else { return nil }
            parts.append(text)
        }
        self.parts = parts
        isFolder = path.last == Self.slash
        var query: [String: String] = [:]
        let rest = bytes[path.endIndex...]
        if rest.first == Self.question {
            for pair in rest.dropFirst().prefix(while: { $0 != Self.hash }).split(separator: UInt8(ascii: "&")) {
                let name = pair.prefix { $0 != UInt8(ascii: "=") }
                let value = pair[name.endIndex...].dropFirst()
                guard let name = Self.decoded(name, isQuery: true), let value = Self.decoded(value, isQuery: true)
                else { return nil }
                query[name] = value
            }
        }
        self.query = query
    }

    private static let (slash, question, hash) = (UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"))

    /// Returns a parameter of the query; `nil` if it is missing.
    subscript(_ name: String) -> String? { query[name] }

    /// All parameters of the query.
    var parameters: [String: String] { query }

    /// Decodes `%XX`, and in a query also `+` as a space; `nil` if the result is not UTF-8.
    private static func decoded(_ text: Substring.UTF8View, isQuery: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(isQuery && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            (byte | 0x20) - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Whether a part can only name something below the part before it.
    private static func isPlain(_ part: String) -> Bool {
        part != "." && part != ".."
            && !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "/" || $0 == "\\" }
    }
}
