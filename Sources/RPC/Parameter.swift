/// A parameter of a method, declared once: its name, what it looks like, what it means, and what handlers get of it.
///
/// Most are one field. One that reads several, such as a place of latitude and longitude, is given and documented as
/// these fields, and read as one value.
public struct Parameter<Value: Sendable>: Sendable {
    /// Makes the value of the fields, which fit their schemas; those left out are not there.
    public typealias Reader = @Sendable (_ members: JSONObject) throws(Refusal) -> Value

    /// What callers give.
    public let fields: [Field]
    let read: Reader

    /// A parameter of fields, and what is made of them.
    ///
    /// - Parameter read: throws error 4, naming a field, for what fits the schemas and is no value nevertheless.
    public init(_ fields: [Field], read: @escaping Reader) {
        self.fields = fields
        self.read = read
    }

    /// Its value among the parameters of a call, for a parameter that is made of several.
    public func value(in members: JSONObject) throws(Refusal) -> Value { try read(members) }

    /// A parameter that must be given.
    public static func required(_ name: String, _ schema: Schema, _ doc: String) -> Parameter
    where Value: JSONReadable {
        Parameter([.required(name, schema, doc)]) { members throws(Refusal) in
            guard let value: Value = try members.value(name) else { throw Refusal.invalid(name, "is missing") }
            return value
        }
    }

    /// A parameter that may be left out; nil then.
    public static func optional<Wrapped: JSONReadable>(
        _ name: String, _ schema: Schema, _ doc: String
    ) -> Parameter where Value == Wrapped? {
        Parameter([.optional(name, schema, doc)]) { members throws(Refusal) in try members.value(name) }
    }

    /// A parameter that has a value where it is left out; the doc should name it.
    public static func optional(
        _ name: String, _ schema: Schema, default value: Value, _ doc: String
    ) -> Parameter where Value: JSONReadable {
        Parameter([.optional(name, schema, doc)]) { members throws(Refusal) in try members.value(name) ?? value }
    }

    /// One of a few words that must be given.
    public static func required(_ name: String, _ doc: String) -> Parameter
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        Parameter([.required(name, .choice(of: Value.self), doc)]) { members throws(Refusal) in
            guard let value: Value = try members.choice(name) else { throw Refusal.invalid(name, "is missing") }
            return value
        }
    }

    /// One of a few words, which may be left out; nil then.
    public static func optional<Choice>(_ name: String, _ doc: String) -> Parameter
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String, Value == Choice? {
        Parameter([.optional(name, .choice(of: Choice.self), doc)]) { members throws(Refusal) in
            try members.choice(name)
        }
    }

    /// One of a few words, which has a value where it is left out; the doc should name it.
    public static func optional(_ name: String, default value: Value, _ doc: String) -> Parameter
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        Parameter([.optional(name, .choice(of: Value.self), doc)]) { members throws(Refusal) in
            try members.choice(name) ?? value
        }
    }

    /// The same fields, read as what is made of the value.
    public func map<New>(_ transform: @escaping @Sendable (Value) throws(Refusal) -> New) -> Parameter<New> {
        Parameter<New>(fields) { [read] members throws(Refusal) in try transform(try read(members)) }
    }
}

extension JSONObject {
    /// The value of a member; nil where it was left out.
    ///
    /// - Throws: error 4 naming the member, where its value cannot be read as `Value`.
    public func value<Value: JSONReadable>(_ name: String) throws(Refusal) -> Value? {
        guard let given = self[name], given != .null else { return nil }
        guard let value = Value(json: given) else {
            throw Refusal.invalid(name, "must be \(Value.jsonName), not \(given.kind)")
        }
        return value
    }

    /// The case that a member names; nil where it was left out.
    ///
    /// - Throws: error 4 naming the member, where it names none.
    public func choice<Choice>(_ name: String) throws(Refusal) -> Choice?
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        guard let word: String = try value(name) else { return nil }
        guard let choice = Choice(rawValue: word) else {
            throw Refusal.invalid(
                name, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}

extension Schema {
    /// One of the words that a type's cases stand for.
    public static func choice<Choice>(of type: Choice.Type) -> Schema
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        .choice(Choice.allCases.map(\.rawValue))
    }
}
