/// A parameter's declaration: its name, schema, documentation, and conversion for handlers.
///
/// Most parameters are one field. A parameter with several fields, such as a place with latitude and longitude, is
/// given and documented as these fields, and converted to one value.
public struct Parameter<Value: Sendable>: Sendable {
    /// Converts fields to the value.
    ///
    /// The fields fit their schemas, and omitted ones are absent.
    public typealias Reader = @Sendable (_ members: JSONObject) throws(Refusal) -> Value

    /// The fields that callers give.
    public let fields: [Field]
    let read: Reader

    /// Creates a parameter from its fields and their conversion.
    ///
    /// - Parameter read: Converts the fields. It throws error 4 (invalid value), naming a field, for values that fit
    ///   the schemas and still are invalid.
    public init(_ fields: [Field], read: @escaping Reader) {
        self.fields = fields
        self.read = read
    }

    /// Returns the value from the parameters of a call, for use within a compound parameter.
    public func value(in members: JSONObject) throws(Refusal) -> Value { try read(members) }

    /// Returns a required parameter.
    public static func required(_ name: String, _ schema: Schema, _ doc: String) -> Parameter
    where Value: JSONReadable {
        Parameter([.required(name, schema, doc)]) { members throws(Refusal) in
            guard let value: Value = try members.value(name) else { throw Refusal.invalid(name, "is missing") }
            return value
        }
    }

    /// Returns an optional parameter, whose value is `nil` if it is omitted.
    public static func optional<Wrapped: JSONReadable>(
        _ name: String, _ schema: Schema, _ doc: String
    ) -> Parameter where Value == Wrapped? {
        Parameter([.optional(name, schema, doc)]) { members throws(Refusal) in try members.value(name) }
    }

    /// Returns a parameter with a default value.
    ///
    /// The documentation should name the default.
    public static func optional(
        _ name: String, _ schema: Schema, default value: Value, _ doc: String
    ) -> Parameter where Value: JSONReadable {
        Parameter([.optional(name, schema, doc)]) { members throws(Refusal) in try members.value(name) ?? value }
    }

    /// Returns a required parameter for a choice of words.
    public static func required(_ name: String, _ doc: String) -> Parameter
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        Parameter([.required(name, .choice(of: Value.self), doc)]) { members throws(Refusal) in
            guard let value: Value = try members.choice(name) else { throw Refusal.invalid(name, "is missing") }
            return value
        }
    }

    /// Returns an optional parameter for a choice of words; its value is `nil` if it is omitted.
    public static func optional<Choice>(_ name: String, _ doc: String) -> Parameter
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String, Value == Choice? {
        Parameter([.optional(name, .choice(of: Choice.self), doc)]) { members throws(Refusal) in
            try members.choice(name)
        }
    }

    /// Returns a parameter for a choice of words with a default.
    ///
    /// The documentation should name the default.
    public static func optional(_ name: String, default value: Value, _ doc: String) -> Parameter
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        Parameter([.optional(name, .choice(of: Value.self), doc)]) { members throws(Refusal) in
            try members.choice(name) ?? value
        }
    }

    /// Returns a parameter with the same fields and a transformed value.
    public func map<New>(_ transform: @escaping @Sendable (Value) throws(Refusal) -> New) -> Parameter<New> {
        Parameter<New>(fields) { [read] members throws(Refusal) in try transform(try read(members)) }
    }
}

extension JSONObject {
    /// Returns the value of a member; `nil` if it is omitted.
    ///
    /// - Throws: Error 4 (invalid value), naming the member, if it cannot be converted to `Value`.
    public func value<Value: JSONReadable>(_ name: String) throws(Refusal) -> Value? {
        guard let given = self[name], given != .null else { return nil }
        guard let value = Value(json: given) else {
            throw Refusal.invalid(name, "must be \(Value.jsonName), not \(given.kind)")
        }
        return value
    }

    /// Returns the case that a member names; `nil` if it is omitted.
    ///
    /// - Throws: Error 4 (invalid value), naming the member, if it names no case.
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
    /// Returns the schema of a choice of the type's cases.
    public static func choice<Choice>(of type: Choice.Type) -> Schema
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        .choice(Choice.allCases.map(\.rawValue))
    }
}
