extension Field {
    /// The documentation, with the members of a value that is an object or a list of objects.
    public var fullDoc: String {
        guard let members = schema.memberNames else { return doc }
        return "\(doc) \(schema.isList ? "Each" : "It") has: \(members)."
    }
}

/// Converts words of a command line to JSON values by the schema that validates them.
extension Schema {
    /// Returns the JSON value of a word; `nil` if it does not fit the type.
    ///
    /// A string is the word unchanged. Numbers, truth values and objects are written as JSON. An array has one
    /// element; an array of numbers has the elements between commas.
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

    /// Whether it is a truth value, which a command line sets by the option's name alone.
    public var isFlag: Bool { shape == .boolean }

    /// Whether it is an array, whose elements are given as separate words.
    public var isList: Bool {
        if case .array = shape { true } else { false }
    }

    private var isNumber: Bool {
        switch shape {
        case .integer, .number: true
        default: false
        }
    }

    /// The members of an object, or of each object in an array, such as `person, share (optional)`; `nil` if there are
    /// none.
    public var memberNames: String? {
        switch shape {
        case .object(let fields) where !fields.isEmpty:
            fields.map { $0.isRequired ? $0.name : "\($0.name) (optional)" }.joined(separator: ", ")
        case .array(let element, _): element.memberNames
        default: nil
        }
    }

    /// The placeholder of a value in a usage message: `text`, `N`, `heart|like|save`.
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
