import RPC

extension JSONValue {
    /// Returns the value as lines for people.
    ///
    /// Each member is on its own line, nested values are indented, and a hyphen precedes each element of a list.
    /// Further lines of a text are aligned with its first line.
    ///
    /// - Parameter marked: The members whose texts contain emphasis, which is removed.
    func plainLines(marked: Set<String> = []) -> [String] {
        switch self {
        case .object(let members):
            return members.names.flatMap { Self.lines(of: $0, members[$0] ?? .null, marked) }
        case .array(let elements): return elements.flatMap { $0.elementLines(marked) }
        default: return scalarLines
        }
    }

    private static func lines(of name: String, _ value: JSONValue, _ marked: Set<String>) -> [String] {
        switch value {
        case .array(let elements):
            if elements.isEmpty { return ["\(name): none"] }
            guard elements.contains(where: { !$0.isScalar }) else {
                return ["\(name): \(elements.flatMap(\.scalarLines).joined(separator: ", "))"]
            }
            return ["\(name):"] + elements.flatMap { $0.elementLines(marked) }
        case .object: return ["\(name):"] + value.plainLines(marked: marked).map { "  \($0)" }
        case .string(let text) where marked.contains(name):
            return lines(of: name, JSONValue.string(MarkedText(text).plain).scalarLines)
        default: return lines(of: name, value.scalarLines)
        }
    }

    /// Returns a name with its text; further lines are aligned with the first line of the text.
    private static func lines(of name: String, _ text: [String]) -> [String] {
        let blanks = String(repeating: " ", count: name.count + 2)
        return text.enumerated().map { $0 == 0 ? "\(name): \($1)" : $1.isEmpty ? "" : blanks + $1 }
    }

    private func elementLines(_ marked: Set<String>) -> [String] {
        plainLines(marked: marked).enumerated().map { ($0 == 0 ? "- " : $1.isEmpty ? "" : "  ") + $1 }
    }

    private var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    /// The lines of a value that is neither a list nor an object; at least one.
    private var scalarLines: [String] {
        switch self {
        case .string(let text):
            text.replacing("\t", with: "  ").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map(String.init)
        case .bool(let flag): [flag ? "yes" : "no"]
        case .null: ["nothing"]
        default: [String(decoding: line, as: UTF8.self)]
        }
    }
}
