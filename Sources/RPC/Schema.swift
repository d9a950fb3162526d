/// What a value looks like: the part of JSON Schema that the interface needs.
///
/// The same declaration checks parameters (``fault(in:)``) and is printed in the OpenRPC document (``json``).
public struct Schema: Sendable, Equatable {
    /// The shape of the value.
    let shape: Shape
    /// What it means, for the document.
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

    /// Any value at all.
    public static let any = Schema(.any)
    /// True or false.
    public static let boolean = Schema(.boolean)
    /// Any whole number of 64 bits.
    public static let integer = integer(in: .min ... .max)
    /// Any number.
    public static let number = number(in: -.infinity ... .infinity)
    /// Any text.
    public static let string = string(length: 0...Int.max)

    /// A whole number in a range; a number such as 2.0 is whole.
    public static func integer(in range: ClosedRange<Int64>) -> Schema { Schema(.integer(range)) }

    /// A number in a range; an infinite bound is none.
    public static func number(in range: ClosedRange<Double>) -> Schema { Schema(.number(range)) }

    /// A text of so many Unicode scalars; `Int.max` is no bound.
    ///
    /// `format` is for the document alone ("date-time") and not checked.
    public static func string(length: ClosedRange<Int>, format: String? = nil) -> Schema {
        Schema(.string(length: length, format: format))
    }

    /// One of some texts.
    public static func choice(_ texts: [String]) -> Schema { Schema(.choice(texts)) }

    /// So many values of one schema; `Int.max` is no bound.
    public static func array(of element: Schema, count: ClosedRange<Int> = 0...Int.max) -> Schema {
        Schema(.array(element, count: count))
    }

    /// An object with these members and no others.
    public static func object(_ fields: [Field]) -> Schema { Schema(.object(fields)) }

    /// An object with members of any name and one schema.
    public static func map(of value: Schema) -> Schema { Schema(.map(value)) }

    /// A value that fits at least one of these.
    public static func anyOf(_ schemas: [Schema]) -> Schema { Schema(.anyOf(schemas)) }

    /// The same, with what it means.
    public func described(_ doc: String) -> Schema { Schema(shape, doc: doc) }
}

/// A named value: a parameter of a method, or a member of an object.
public struct Field: Sendable, Equatable {
    /// The name on the wire.
    public let name: String
    /// What the value looks like.
    public let schema: Schema
    /// Whether it must be there.
    public let isRequired: Bool
    /// What it means, with unit and default, a sentence.
    public let doc: String

    /// A field that must be there.
    public static func required(_ name: String, _ schema: Schema, _ doc: String) -> Field {
        Field(name: name, schema: schema, isRequired: true, doc: doc)
    }

    /// A field that may be left out; null stands for leaving it out.
    public static func optional(_ name: String, _ schema: Schema, _ doc: String) -> Field {
        Field(name: name, schema: schema, isRequired: false, doc: doc)
    }
}

extension Schema {
    /// The schema as JSON Schema (draft 7, which OpenRPC names).
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
