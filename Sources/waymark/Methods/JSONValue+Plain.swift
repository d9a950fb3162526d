import RPC

extension JSONValue {
    /// The value as people read it: a member a line, what belongs to it indented, each element of a list behind a
    /// hyphen.
    var plainLines: [String] {
        switch self {
        case .object(let members): return members.names.flatMap { Self.lines(of: $0, members[$0] ?? .null) }
        case .array(let elements): return elements.flatMap(\.elementLines)
        default: return [scalar]
        }
    }

    private static func lines(of name: String, _ value: JSONValue) -> [String] {
        switch value {
        case .array(let elements):
            if elements.isEmpty { return ["\(name): none"] }
            guard elements.contains(where: { !$0.isScalar }) else {
                return ["\(name): \(elements.map(\.scalar).joined(separator: ", "))"]
            }
            return ["\(name):"] + elements.flatMap(\.elementLines)
        case .object: return ["\(name):"] + value.plainLines.map { "  \($0)" }
        default: return ["\(name): \(value.scalar)"]
        }
    }

    private var elementLines: [String] {
        plainLines.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
    }

    private var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    private var scalar: String {
        switch self {
        case .string(let text): text
        case .bool(let flag): flag ? "yes" : "no"
        case .null: "nothing"
        default: String(decoding: line, as: UTF8.self)
        }
    }
}
