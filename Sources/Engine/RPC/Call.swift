/// A caller, as far as the method table needs to know it.
public protocol Caller: Sendable {
    /// Returns whether the caller may call methods that need a right.
    func has(_ right: AccessRight) -> Bool
}

/// A right that a method may need.
public enum AccessRight: String, Sendable, CaseIterable {
    /// The right to read.
    case read
    /// The right to make changes as an administrator.
    case change
    /// The right to act as the signed-in person.
    case person
    /// The right to add content, as a signed-in person or as an administrator.
    case contribute

    /// The message for a caller who lacks the right, to follow the method's name.
    var refusal: String {
        switch self {
        case .read, .change: "needs the right to \(rawValue)."
        case .person: "needs a signed-in person. Call people.signIn first."
        case .contribute: "needs a signed-in person or the right to change. Call people.signIn first."
        }
    }
}

/// One call of a method.
public struct Call<Identity: Caller>: Sendable {
    /// The caller.
    public let caller: Identity

    /// Creates a call by `caller`.
    public init(caller: Identity) { self.caller = caller }
}

/// A type that a parameter's JSON value can be converted to.
public protocol JSONReadable {
    /// The type's name in messages, such as "a string".
    static var jsonName: String { get }
    /// Converts a value; `nil` if it is of another type or out of range.
    init?(json: JSONValue)
}

extension String: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { "a string" }
    /// Converts a JSON string.
    public init?(json: JSONValue) {
        guard case .string(let text) = json else { return nil }
        self = text
    }
}

extension Bool: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { "true or false" }
    /// Converts a JSON truth value.
    public init?(json: JSONValue) {
        guard case .bool(let value) = json else { return nil }
        self = value
    }
}

extension Int64: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { "a whole number" }
    /// Converts a JSON number without a fraction, such as 2 or 2.0.
    public init?(json: JSONValue) {
        switch json {
        case .integer(let value): self = value
        case .number(let value):
            guard let whole = Int64(exactly: value) else { return nil }
            self = whole
        default: return nil
        }
    }
}

extension Int: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { Int64.jsonName }
    /// Converts a JSON number without a fraction, such as 2 or 2.0.
    public init?(json: JSONValue) {
        guard let value = Int64(json: json) else { return nil }
        self.init(exactly: value)
    }
}

extension Double: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { "a number" }
    /// Converts a JSON number.
    ///
    /// An integer beyond 2⁵³ is rounded.
    public init?(json: JSONValue) {
        switch json {
        case .integer(let value): self = Double(value)
        case .number(let value): self = value
        default: return nil
        }
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// The name in messages, including the type of the elements.
    public static var jsonName: String { "an array, each element \(Element.jsonName)" }
    /// Converts a JSON array; `nil` if an element cannot be converted.
    public init?(json: JSONValue) {
        guard case .array(let values) = json else { return nil }
        self = []
        for value in values {
            guard let element = Element(json: value) else { return nil }
            append(element)
        }
    }
}

extension JSONObject: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { "an object" }
    /// Converts a JSON object.
    public init?(json: JSONValue) {
        guard case .object(let members) = json else { return nil }
        self = members
    }
}

extension JSONValue: JSONReadable {
    /// The name in messages.
    public static var jsonName: String { "a value" }
    /// Accepts any JSON value unchanged.
    public init?(json: JSONValue) { self = json }
}
