/// One JSON value (RFC 8259).
///
/// A number without fraction and exponent that fits 64 bits is an ``integer(_:)``, any other a ``number(_:)``.
public enum JSONValue: Sendable, Equatable {
    /// The literal null.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// Any other number; always finite where it was parsed.
    case number(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// A list of members.
    case object(JSONObject)

    /// The member of that name; nil where there is none, or where this is no object.
    public subscript(_ name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// What kind of value this is, for a message: "a string".
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object, in the order they were given, each name once.
///
/// Two objects are equal where their members are, whatever their order.
public struct JSONObject: Sendable, Equatable {
    /// The names, in order.
    public private(set) var names: [String] = []
    private var values: [String: JSONValue] = [:]

    /// An object without members.
    public init() {}

    /// The number of members.
    public var count: Int { names.count }

    /// The value of that name; nil where there is none.
    ///
    /// Setting it appends a new name and leaves an old one in its place; setting nil removes it, in O(*n*).
    public subscript(_ name: String) -> JSONValue? {
        get { values[name] }
        set {
            if let newValue {
                if values.updateValue(newValue, forKey: name) == nil { names.append(name) }
            } else if values.removeValue(forKey: name) != nil {
                names.removeAll { $0 == name }
            }
        }
    }

    /// Equal where the members are, whatever their order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.values == right.values }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// A list of values.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with its members in the order written; of a name written twice, the last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members in the order written; of a name written twice, the last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    /// The members in the order given; of a name given twice, the last value.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }
}
