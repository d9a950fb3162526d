/// A JSON value (RFC 8259).
///
/// A number without fraction and exponent that fits 64 bits is an ``integer(_:)``. Any other number is a
/// ``number(_:)``.
public enum JSONValue: Sendable, Equatable {
    /// The literal `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer of 64 bits.
    case integer(Int64)
    /// Any other number, which is finite if it was parsed.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The member with a name; `nil` if there is none, or the value is not an object.
    public subscript(_ name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The name of the value's type in messages, such as "a string".
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

/// The members of a JSON object, in insertion order and with unique names.
///
/// Two objects are equal if they have the same members in any order.
public struct JSONObject: Sendable, Equatable {
    /// The names of the members, in order.
    public private(set) var names: [String] = []
    private var values: [String: JSONValue] = [:]

    /// Creates an object without members.
    public init() {}

    /// The number of members.
    public var count: Int { names.count }

    /// The value of the member with a name; `nil` if there is none.
    ///
    /// Setting a value appends a new name, and keeps the position of an existing name. Setting `nil` removes the
    /// member in O(*n*).
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

    /// Returns whether both objects have the same members in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.values == right.values }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object with its members in the written order.
    ///
    /// The last value of a repeated name wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with its members in the written order.
    ///
    /// The last value of a repeated name wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    /// Creates an object with its members in the given order.
    ///
    /// The last value of a repeated name wins.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }
}
