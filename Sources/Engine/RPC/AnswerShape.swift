public import TextCoding

/// The schema of an answer's value, and the code that writes the value.
///
/// Both come from one declaration of its members.
public struct AnswerShape<Value>: Sendable {
    /// The schema of the value.
    public let schema: Schema
    // This and everything here that takes a closure is `@inlinable`, so that a room's declarations are specialised
    // for its own types. Otherwise each member of each row would pass through unspecialised generic code.
    @usableFromInline let writer: @Sendable (Value, inout JSONWriter) -> Void
    @usableFromInline let isWritable: @Sendable (Value) -> Bool

    /// Creates a shape from a schema and a function, for values that the other shapes do not cover.
    ///
    /// - Parameters:
    ///   - isWritable: Whether the value can be written. If not, an optional member is omitted.
    ///   - write: Writes exactly one value, which must fit the schema.
    @inlinable
    public init(
        _ schema: Schema, isWritable: @escaping @Sendable (Value) -> Bool = { _ in true },
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.schema = schema
        self.isWritable = isWritable
        writer = write
    }

    /// Returns the shape of an object whose members are written in order.
    @inlinable
    public static func object(@MemberList<Value> _ members: () -> [Member<Value>]) -> AnswerShape { object(members()) }

    /// Returns the shape of an object whose members are written in order.
    @inlinable
    public static func object(_ members: [Member<Value>]) -> AnswerShape {
        let write = Member.joined(members.map(\.writer)[...])
        return AnswerShape(.object(members.flatMap(\.fields))) { value, json in
            let owner = SharedOwner(value)
            json.object { write(owner, &$0) }
        }
    }

    /// Returns the shape of an array whose elements share one shape.
    ///
    /// The schema documents `count`, which is not enforced.
    @inlinable
    public static func array<Element>(
        of element: AnswerShape<Element>, count: ClosedRange<Int> = 0...Int.max
    ) -> AnswerShape where Value == [Element] {
        AnswerShape(.array(of: element.schema, count: count)) { [write = element.writer] elements, json in
            json.array { json in
                for value in elements { write(value, &json) }
            }
        }
    }

    /// Writes a value.
    @inlinable
    public func write(_ value: Value, to json: inout JSONWriter) { writer(value, &json) }

    /// Returns a value as text.
    @inlinable
    public func text(of value: Value) -> JSONText { JSONText { write(value, to: &$0) } }

    /// Returns the same shape with documentation.
    @inlinable
    public func described(_ doc: String) -> AnswerShape {
        AnswerShape(schema.described(doc), isWritable: isWritable, write: writer)
    }

    /// Returns the same shape with another schema, for example one with narrower bounds.
    @inlinable
    public func within(_ schema: Schema) -> AnswerShape { AnswerShape(schema, isWritable: isWritable, write: writer) }

    /// Returns the shape of a value that is written as one of its parts.
    @inlinable
    public func of<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> AnswerShape<Whole> {
        AnswerShape<Whole>(schema, isWritable: { [isWritable] in isWritable(part($0)) }) { [writer] whole, json in
            writer(part(whole), &json)
        }
    }

}

extension AnswerShape where Value == String {
    /// Any string.
    @inlinable
    public static var text: AnswerShape { text(.string) }

    /// Returns the shape of a string with a schema.
    @inlinable
    public static func text(_ schema: Schema) -> AnswerShape { AnswerShape(schema) { $1.string($0) } }
}

extension AnswerShape where Value: BinaryInteger & SendableMetatype {
    /// Any integer.
    @inlinable
    public static var integer: AnswerShape { integer(.integer) }

    /// Returns the shape of an integer with a schema.
    @inlinable
    public static func integer(_ schema: Schema) -> AnswerShape { AnswerShape(schema) { $1.integer($0) } }
}

extension AnswerShape where Value == Bool {
    /// A truth value.
    @inlinable
    public static var boolean: AnswerShape { AnswerShape(.boolean) { $1.boolean($0) } }
}

extension AnswerShape where Value == Double {
    /// Returns the shape of a number with at most `decimals` decimals.
    ///
    /// An optional member that is not finite is omitted.
    @inlinable
    public static func number(_ schema: Schema = .number, decimals: Int) -> AnswerShape {
        AnswerShape(schema, isWritable: { $0.isFinite }) { $1.number($0, decimals: decimals) }
    }
}

extension AnswerShape where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    /// A choice of the type's cases, written as their raw values.
    @inlinable
    public static var choice: AnswerShape { AnswerShape(.choice(of: Value.self)) { $1.string($0.rawValue) } }
}

extension AnswerShape where Value == JSONText {
    /// Returns the shape of a value that is already JSON.
    @inlinable
    public static func json(_ schema: Schema) -> AnswerShape { AnswerShape(schema) { $1.raw($0.bytes) } }
}

extension AnswerShape where Value == JSONValue {
    /// Returns the shape of a JSON value that is written unchanged.
    @inlinable
    public static func value(_ schema: Schema = .any) -> AnswerShape { AnswerShape(schema) { $1.value($0) } }
}

/// A member of an object in an answer: its name, schema, documentation, and the function that reads it from its
/// owner.
///
/// Members that are read from the same part of their owner can be combined into one ``Member``.
public struct Member<Owner>: Sendable {
    /// The names, schemas and documentation of the members.
    public let fields: [Field]
    // A closure of a generic type copies its arguments, so that each member of a large struct would copy the whole.
    @usableFromInline let writer: @Sendable (SharedOwner<Owner>, inout JSONWriter) -> Void

    /// Creates a member that is always present.
    @inlinable
    public init<Value>(
        _ name: String, _ shape: AnswerShape<Value>, _ doc: String, _ value: @escaping @Sendable (Owner) -> Value
    ) {
        fields = [.required(name, shape.schema, doc)]
        let (key, write) = (JSONWriter.Key(name), shape.writer)
        writer = { owner, json in
            json.key(key)
            write(value(owner.value), &json)
        }
    }

    /// Returns a member that is omitted if its value is `nil`.
    @inlinable
    public static func optional<Value>(
        _ name: String, _ shape: AnswerShape<Value>, _ doc: String, _ value: @escaping @Sendable (Owner) -> Value?
    ) -> Member {
        let (key, write, isWritable) = (JSONWriter.Key(name), shape.writer, shape.isWritable)
        return Member(fields: [.optional(name, shape.schema, doc)]) { owner, json in
            guard let value = value(owner.value), isWritable(value) else { return }
            json.key(key)
            write(value, &json)
        }
    }

    /// Returns a member that is `true` if a condition holds, and omitted otherwise.
    @inlinable
    public static func flag(_ name: String, _ doc: String, _ holds: @escaping @Sendable (Owner) -> Bool) -> Member {
        optional(name, .boolean, doc) { holds($0) ? true : nil }
    }

    @inlinable
    init(fields: [Field], writer: @escaping @Sendable (SharedOwner<Owner>, inout JSONWriter) -> Void) {
        self.fields = fields
        self.writer = writer
    }

    /// Returns the member for a type that has the owner as a part.
    @inlinable
    public func of<Whole>(_ part: @escaping @Sendable (Whole) -> Owner) -> Member<Whole> {
        Member<Whole>(fields: fields) { [writer] whole, json in
            writer(SharedOwner(part(whole.value)), &json)
        }
    }

    /// Returns a function that calls all writers in order.
    ///
    /// It builds a binary tree of closures, each of which holds its two halves. Calling the writers from an array
    /// would retain and release each of them for each row.
    @inlinable
    static func joined(
        _ writers: ArraySlice<@Sendable (SharedOwner<Owner>, inout JSONWriter) -> Void>
    ) -> @Sendable (SharedOwner<Owner>, inout JSONWriter) -> Void {
        guard writers.count > 1 else { return writers.first ?? { _, _ in } }
        let middle = writers.startIndex + writers.count / 2
        let (first, second) = (joined(writers[..<middle]), joined(writers[middle...]))
        return { owner, json in
            first(owner, &json)
            second(owner, &json)
        }
    }
}

/// The owner of members, which all of them read without copying it.
@usableFromInline final class SharedOwner<Owner> {
    @usableFromInline let value: Owner

    @inlinable
    init(_ value: Owner) { self.value = value }
}

extension Array {
    /// Writes the members of an owner into an object.
    @inlinable
    public func write<Owner>(_ owner: Owner, to json: inout JSONWriter) where Element == Member<Owner> {
        let owner = SharedOwner(owner)
        for member in self { member.writer(owner, &json) }
    }

    /// Returns the members for a type that has the owner as a part, which is read once for all members.
    @inlinable
    public func of<Whole, Owner>(
        _ part: @escaping @Sendable (Whole) -> Owner
    ) -> [Member<Whole>] where Element == Member<Owner> {
        let write = Member<Owner>.joined(map(\.writer)[...])
        return [
            Member<Whole>(fields: flatMap(\.fields)) { whole, json in
                write(SharedOwner(part(whole.value)), &json)
            }
        ]
    }

    /// Returns the members for a type that may have the owner as a part.
    ///
    /// If it has none, all members are omitted.
    @inlinable
    public func ofOptional<Whole, Owner>(
        _ part: @escaping @Sendable (Whole) -> Owner?
    ) -> [Member<Whole>] where Element == Member<Owner> {
        let write = Member<Owner>.joined(map(\.writer)[...])
        let fields = flatMap(\.fields).map { Field.optional($0.name, $0.schema, $0.doc) }
        return [
            Member<Whole>(fields: fields) { whole, json in
                if let owner = part(whole.value) { write(SharedOwner(owner), &json) }
            }
        ]
    }
}

/// Builds the members of an object, one on each line.
@resultBuilder
public enum MemberList<Owner> {
    /// Accepts one member.
    public static func buildExpression(_ member: Member<Owner>) -> [Member<Owner>] { [member] }
    /// Accepts members that several objects share.
    public static func buildExpression(_ members: [Member<Owner>]) -> [Member<Owner>] { members }
    /// Joins all members.
    public static func buildBlock(_ members: [Member<Owner>]...) -> [Member<Owner>] { members.flatMap(\.self) }
}

/// A type that has the same shape in all answers.
public protocol Answerable: SendableMetatype {
    /// The schema, and the code that writes a value.
    static var shape: AnswerShape<Self> { get }
}
