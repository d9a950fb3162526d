/// Who calls: a connection, as far as the method table needs to know it.
public protocol Caller: Sendable {
    /// Whether methods that need this right may be called.
    func has(_ right: AccessRight) -> Bool
}

/// What a caller may do.
public enum AccessRight: String, Sendable, CaseIterable {
    /// Look at what there is.
    case read
    /// Change it, as an administrator.
    case change
    /// Act as a person: someone is signed in.
    case person
    /// Add to what there is, as a person or as an administrator.
    case contribute

    /// What a method that needs it says to who has it not, after the method's name.
    var refusal: String {
        switch self {
        case .read, .change: "needs the right to \(rawValue)."
        case .person: "needs a signed-in person; people.signIn signs you in."
        case .contribute: "needs a signed-in person or the right to change; people.signIn signs you in."
        }
    }
}

/// One call of a method.
public struct Call<Identity: Caller>: Sendable {
    /// Who called.
    public let caller: Identity

    /// A call of someone.
    public init(caller: Identity) { self.caller = caller }
}

/// A type that parameters are read as.
public protocol JSONReadable {
    /// What a value of this type is called in a message: "a string".
    static var jsonName: String { get }
    /// Nil where the value is of another kind or does not fit.
    init?(json: JSONValue)
}

extension String: JSONReadable {
    /// A text.
    public static var jsonName: String { "a string" }
    /// The text.
    public init?(json: JSONValue) {
        guard case .string(let text) = json else { return nil }
        self = text
    }
}

extension Bool: JSONReadable {
    /// True or false.
    public static var jsonName: String { "true or false" }
    /// The truth value.
    public init?(json: JSONValue) {
        guard case .bool(let value) = json else { return nil }
        self = value
    }
}

extension Int64: JSONReadable {
    /// A whole number.
    public static var jsonName: String { "a whole number" }
    /// The whole number; 2.0 is whole too.
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
    /// A whole number.
    public static var jsonName: String { Int64.jsonName }
    /// The whole number; 2.0 is whole too.
    public init?(json: JSONValue) {
        guard let value = Int64(json: json) else { return nil }
        self.init(exactly: value)
    }
}

extension Double: JSONReadable {
    /// A number.
    public static var jsonName: String { "a number" }
    /// The number; a whole one beyond 2⁵³ is rounded.
    public init?(json: JSONValue) {
        switch json {
        case .integer(let value): self = Double(value)
        case .number(let value): self = value
        default: return nil
        }
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// An array, and of what.
    public static var jsonName: String { "an array, each element \(Element.jsonName)" }
    /// The elements, all of them of one type.
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
    /// An object.
    public static var jsonName: String { "an object" }
    /// The object.
    public init?(json: JSONValue) {
        guard case .object(let members) = json else { return nil }
        self = members
    }
}

extension JSONValue: JSONReadable {
    /// Any value.
    public static var jsonName: String { "a value" }
    /// The value itself.
    public init?(json: JSONValue) { self = json }
}
