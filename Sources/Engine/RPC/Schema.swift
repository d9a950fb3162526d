/// A description of a JSON value, which covers the part of JSON Schema that the interface needs.
///
/// The same declaration validates parameters (``fault(in:)``) and appears in the OpenRPC document (``json``).
public struct Schema: Sendable, Equatable {
    /// The form of the value.
    let shape: Shape
    /// The documentation of the value.
    let doc: String?

    indirect enum Shape: Sendable, Equatable {
        case any
        case boolean
        case integer(ClosedRange<Int64>)
        case number(ClosedRange<Double>)
        case string(length: ClosedRange<Int>, format: String?)
        case choice([String])
        case array(Schema, count: ClosedRange<Int>)
        case object([Field])
        case map(Schema)
        case anyOf([Schema])
    }

    private init(_ shape: Shape, doc: String? = nil) {
        self.shape = shape
        self.doc = doc
    }

    /// Any value.
    public static let any = Schema(.any)
    /// A truth value.
    public static let boolean = Schema(.boolean)
    /// An integer of 64 bits.
    public static let integer = integer(in: .min ... .max)
    /// Any number.
    public static let number = number(in: -.infinity ... .infinity)
    /// Any string.
    public static let string = string(length: 0...Int.max)

    /// Returns the schema of an integer in a range.
    ///
    /// A number such as 2.0 is an integer.
    public static func integer(in range: ClosedRange<Int64>) -> Schema { Schema(.integer(range)) }

    /// Returns the schema of a number in a range.
    ///
    /// An infinite bound means no bound.
    public static func number(in range: ClosedRange<Double>) -> Schema { Schema(.number(range)) }

    /// Returns the schema of a string.
    ///
    /// - Parameters:
    ///   - length: The length in Unicode scalars; `Int.max` means no bound.
    ///   - format: The format, such as "date-time". It is documented but not validated.
    public static func string(length: ClosedRange<Int>, format: String? = nil) -> Schema {
        Schema(.string(length: length, format: format))
    }

    /// Returns the schema of a string that nobody may see, such as a password: programs do not show what is typed.
    public static func secret(length: ClosedRange<Int>) -> Schema { string(length: length, format: secretFormat) }

    /// The format of secrets in JSON Schema, as OpenAPI names it.
    private static let secretFormat = "password"

    /// Whether the value is a secret; see ``secret(length:)``.
    public var isSecret: Bool { if case .string(_, Self.secretFormat) = shape { true } else { false } }

    /// Returns the schema of one of several strings.
    public static func choice(_ texts: [String]) -> Schema { Schema(.choice(texts)) }

    /// Returns the schema of an array.
    ///
    /// A count of `Int.max` means no bound.
    public static func array(of element: Schema, count: ClosedRange<Int> = 0...Int.max) -> Schema {
        Schema(.array(element, count: count))
    }

    /// Returns the schema of an object with exactly these fields as members.
    public static func object(_ fields: [Field]) -> Schema { Schema(.object(fields)) }

    /// Returns the schema of an object whose members have any name and share one schema.
    public static func map(of value: Schema) -> Schema { Schema(.map(value)) }

    /// Returns the schema of a value that fits at least one alternative.
    public static func anyOf(_ schemas: [Schema]) -> Schema { Schema(.anyOf(schemas)) }

    /// Returns the same schema with documentation.
    public func described(_ doc: String) -> Schema { Schema(shape, doc: doc) }
}

/// A named value: a parameter of a method, or a member of an object.
public struct Field: Sendable, Equatable {
    /// The name on the wire.
    public let name: String
    /// The schema of the value.
    public let schema: Schema
    /// Whether the field must be present.
    public let isRequired: Bool
    /// The documentation with unit and default, one sentence.
    public let doc: String

    /// Returns a required field.
    public static func required(_ name: String, _ schema: Schema, _ doc: String) -> Field {
        Field(name: name, schema: schema, isRequired: true, doc: doc)
    }

    /// Returns an optional field.
    ///
    /// Null counts as omitted.
    public static func optional(_ name: String, _ schema: Schema, _ doc: String) -> Field {
        Field(name: name, schema: schema, isRequired: false, doc: doc)
    }
}

extension Schema {
    /// The schema as JSON Schema (draft 7, which OpenRPC prescribes).
    public var json: JSONValue {
        var members = JSONObject()
        func bound(_ name: String, _ value: Int, _ none: Int) {
            if value != none { members[name] = .integer(Int64(value)) }
        }
        switch shape {
        case .any: break
        case .boolean: members["type"] = "boolean"
        case .integer(let range):
            members["type"] = "integer"
            if range.lowerBound != .min { members["minimum"] = .integer(range.lowerBound) }
            if range.upperBound != .max { members["maximum"] = .integer(range.upperBound) }
        case .number(let range):
            members["type"] = "number"
            if range.lowerBound.isFinite { members["minimum"] = .number(range.lowerBound) }
            if range.upperBound.isFinite { members["maximum"] = .number(range.upperBound) }
        case .string(let length, let format):
            members["type"] = "string"
            bound("minLength", length.lowerBound, 0)
            bound("maxLength", length.upperBound, .max)
            members["format"] = format.map { .string($0) }
        case .choice(let texts):
            members["type"] = "string"
            members["enum"] = .array(texts.map { .string($0) })
        case .array(let element, let count):
            members["type"] = "array"
            members["items"] = element.json
            bound("minItems", count.lowerBound, 0)
            bound("maxItems", count.upperBound, .max)
        case .object(let fields):
            members["type"] = "object"
            members["properties"] = .object(JSONObject(fields.map { ($0.name, $0.schema.described($0.doc).json) }))
            let required = fields.filter(\.isRequired)
            if !required.isEmpty { members["required"] = .array(required.map { .string($0.name) }) }
            members["additionalProperties"] = false
        case .map(let value):
            members["type"] = "object"
            members["additionalProperties"] = value.json
        case .anyOf(let schemas):
            members["anyOf"] = .array(schemas.map(\.json))
        }
        members["description"] = doc.map { .string($0) }
        return .object(members)
    }
}
