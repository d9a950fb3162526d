/// How values stand on a command line: the same declaration that checks a parameter reads it from words.
extension Schema {
    /// The value that a word stands for; nil where it stands for none of this type.
    ///
    /// A text is the word as it is; numbers, truth values and objects are as JSON writes them; a list has one element,
    /// or of numbers those between commas.
    public func value(of word: String) -> JSONValue? {
        switch shape {
        case .string, .choice: return .string(word)
        case .array(let element, _) where element.isNumber:
            let values = word.split(separator: ",", omittingEmptySubsequences: false).map {
                element.value(of: String($0.drop { $0 == " " }))
            }
            return values.contains(nil) ? nil : .array(values.compactMap { $0 })
        case .array(let element, _): return element.value(of: word).map { .array([$0]) }
        case .anyOf(let schemas):
            for schema in schemas {
                if let value = schema.value(of: word), schema.fault(in: value) == nil { return value }
            }
            return nil
        case .any, .boolean, .integer, .number, .object, .map:
            return try? JSONValue(parsing: Array(word.utf8).span)
        }
    }

    /// Whether it is a truth value, which a word alone turns on.
    public var isFlag: Bool { shape == .boolean }

    /// Whether it is a list, of which each word is an element.
    public var isList: Bool {
        if case .array = shape { true } else { false }
    }

    private var isNumber: Bool {
        switch shape {
        case .integer, .number: true
        default: false
        }
    }

    /// What stands for a value in a usage: `text`, `N`, `heart|like|save`.
    public var placeholder: String {
        switch shape {
        case .any, .object, .map, .anyOf: "json"
        case .boolean: "true|false"
        case .integer, .number: "N"
        case .string(_, let format): format == "date-time" ? "time" : "text"
        case .choice(let words): words.joined(separator: "|")
        case .array(let element, _): element.placeholder
        }
    }
}
