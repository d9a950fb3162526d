public import TextCoding

/// What a value of an answer looks like and how it is written, declared once: the schema that documents an answer and
/// the text that goes out come from the same members.
public struct Shape<Value>: Sendable {
    /// What it looks like.
    public let schema: Schema
    // Declared `@inlinable`, as all that takes a closure here is: a room's declarations are then compiled for its own
    // types. Otherwise each member of each row would pass through unspecialized generic code.
    @usableFromInline let writer: @Sendable (Value, inout JSONWriter) -> Void
    @usableFromInline let isWritable: @Sendable (Value) -> Bool

    /// A shape of its own, for what the others do not say.
    ///
    /// - Parameter write: writes exactly one value, and one that fits the schema.
    /// - Parameter isWritable: whether there is something to write; an optional member is left out where not.
    @inlinable
    public init(
        _ schema: Schema, isWritable: @escaping @Sendable (Value) -> Bool = { _ in true },
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.schema = schema
        self.isWritable = isWritable
        writer = write
    }

    /// An object of members in their order.
    @inlinable
    public static func object(@MemberList<Value> _ members: () -> [Member<Value>]) -> Shape { object(members()) }

    /// An object of members in their order.
    @inlinable
    public static func object(_ members: [Member<Value>]) -> Shape {
        let write = Member.joined(members.map(\.writer)[...])
        return Shape(.object(members.flatMap(\.fields))) { value, json in json.object { write(value, &$0) } }
    }

    /// So many values of one shape, in their order.
    @inlinable
    public static func array<Element>(
        of element: Shape<Element>, count: ClosedRange<Int> = 0...Int.max
    ) -> Shape where Value == [Element] {
        Shape(.array(of: element.schema, count: count)) { [write = element.writer] elements, json in
            json.array { json in
                for value in elements { write(value, &json) }
            }
        }
    }

    /// Writes a value.
    @inlinable
    public func write(_ value: Value, to json: inout JSONWriter) { writer(value, &json) }

    /// A value as text.
    @inlinable
    public func text(of value: Value) -> JSONText { JSONText { write(value, to: &$0) } }

    /// The same, with what it means.
    @inlinable
    public func described(_ doc: String) -> Shape {
        Shape(schema.described(doc), isWritable: isWritable, write: writer)
    }

    /// The same, within closer bounds or with another meaning.
    @inlinable
    public func within(_ schema: Schema) -> Shape { Shape(schema, isWritable: isWritable, write: writer) }

    /// The shape of what has such a value, and is written as that.
    @inlinable
    public func of<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> Shape<Whole> {
        Shape<Whole>(schema, isWritable: { [isWritable] in isWritable(part($0)) }) { [writer] whole, json in
            writer(part(whole), &json)
        }
    }

}

extension Shape where Value == String {
    /// Any text.
    @inlinable
    public static var text: Shape { text(.string) }

    /// A text of that schema.
    @inlinable
    public static func text(_ schema: Schema) -> Shape { Shape(schema) { $1.string($0) } }
}

extension Shape where Value: BinaryInteger & SendableMetatype {
    /// A whole number.
    @inlinable
    public static var integer: Shape { integer(.integer) }

    /// A whole number of that schema.
    @inlinable
    public static func integer(_ schema: Schema) -> Shape { Shape(schema) { $1.integer($0) } }
}

extension Shape where Value == Bool {
    /// True or false.
    @inlinable
    public static var boolean: Shape { Shape(.boolean) { $1.boolean($0) } }
}

extension Shape where Value == Double {
    /// A number with at most so many decimals; an optional one that is not finite is left out.
    @inlinable
    public static func number(_ schema: Schema = .number, decimals: Int) -> Shape {
        Shape(schema, isWritable: \.isFinite) { $1.number($0, decimals: decimals) }
    }
}

extension Shape where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    /// One of a few words.
    @inlinable
    public static var choice: Shape { Shape(.choice(of: Value.self)) { $1.string($0.rawValue) } }
}

extension Shape where Value == JSONText {
    /// What is JSON already.
    @inlinable
    public static func json(_ schema: Schema) -> Shape { Shape(schema) { $1.raw($0.bytes) } }
}

extension Shape where Value == JSONValue {
    /// Any value as it stands.
    @inlinable
    public static func value(_ schema: Schema = .any) -> Shape { Shape(schema) { $1.value($0) } }
}

/// A member of an object in an answer: its name, what it looks like, what it means, and where it is taken from.
///
/// Members that are taken from the same part of their owner are one here.
public struct Member<Owner>: Sendable {
    /// The name, what it looks like, and what it means, of each.
    public let fields: [Field]
    @usableFromInline let writer: @Sendable (Owner, inout JSONWriter) -> Void

    /// A member that is always there.
    @inlinable
    public init<Value>(
        _ name: String, _ shape: Shape<Value>, _ doc: String, _ value: @escaping @Sendable (Owner) -> Value
    ) {
        fields = [.required(name, shape.schema, doc)]
        let (key, write) = (JSONWriter.Key(name), shape.writer)
        writer = { owner, json in
            json.key(key)
            write(value(owner), &json)
        }
    }

    /// A member that is left out where there is none.
    @inlinable
    public static func optional<Value>(
        _ name: String, _ shape: Shape<Value>, _ doc: String, _ value: @escaping @Sendable (Owner) -> Value?
    ) -> Member {
        let (key, write, isWritable) = (JSONWriter.Key(name), shape.writer, shape.isWritable)
        return Member(fields: [.optional(name, shape.schema, doc)]) { owner, json in
            guard let value = value(owner), isWritable(value) else { return }
            json.key(key)
            write(value, &json)
        }
    }

    /// A member that is there, and true, where something holds.
    @inlinable
    public static func flag(_ name: String, _ doc: String, _ holds: @escaping @Sendable (Owner) -> Bool) -> Member {
        optional(name, .boolean, doc) { holds($0) ? true : nil }
    }

    @inlinable
    init(fields: [Field], writer: @escaping @Sendable (Owner, inout JSONWriter) -> Void) {
        self.fields = fields
        self.writer = writer
    }

    /// The member of what has such an owner.
    @inlinable
    public func of<Whole>(_ part: @escaping @Sendable (Whole) -> Owner) -> Member<Whole> {
        Member<Whole>(fields: fields) { [writer] whole, json in writer(part(whole), &json) }
    }

    /// What writes some members in their order.
    ///
    /// Each half is held by what calls it. Out of an array each would be retained and released for each row.
    @inlinable
    static func joined(
        _ writers: ArraySlice<@Sendable (Owner, inout JSONWriter) -> Void>
    ) -> @Sendable (Owner, inout JSONWriter) -> Void {
        guard writers.count > 1 else { return writers.first ?? { _, _ in } }
        let middle = writers.startIndex + writers.count / 2
        let (first, second) = (joined(writers[..<middle]), joined(writers[middle...]))
        return { owner, json in
            first(owner, &json)
            second(owner, &json)
        }
    }
}

extension Array {
    /// Writes the members of an owner into an object.
    @inlinable
    public func write<Owner>(_ owner: Owner, to json: inout JSONWriter) where Element == Member<Owner> {
        for member in self { member.writer(owner, &json) }
    }

    /// The members of what has such an owner, which is taken from it once for all of them.
    @inlinable
    public func of<Whole, Owner>(
        _ part: @escaping @Sendable (Whole) -> Owner
    ) -> [Member<Whole>] where Element == Member<Owner> {
        let write = Member<Owner>.joined(map(\.writer)[...])
        return [Member<Whole>(fields: flatMap(\.fields)) { whole, json in write(part(whole), &json) }]
    }

    /// The members of what may have such an owner, all left out where it has none.
    @inlinable
    public func ofOptional<Whole, Owner>(
        _ part: @escaping @Sendable (Whole) -> Owner?
    ) -> [Member<Whole>] where Element == Member<Owner> {
        let write = Member<Owner>.joined(map(\.writer)[...])
        let fields = flatMap(\.fields).map { Field.optional($0.name, $0.schema, $0.doc) }
        return [
            Member<Whole>(fields: fields) { whole, json in
                if let owner = part(whole) { write(owner, &json) }
            }
        ]
    }
}

/// Collects the members of an object, each on a line of its own.
@resultBuilder
public enum MemberList<Owner> {
    /// One member.
    public static func buildExpression(_ member: Member<Owner>) -> [Member<Owner>] { [member] }
    /// Members that several objects share.
    public static func buildExpression(_ members: [Member<Owner>]) -> [Member<Owner>] { members }
    /// All of them.
    public static func buildBlock(_ members: [Member<Owner>]...) -> [Member<Owner>] { members.flatMap(\.self) }
}

/// A value that answers hold in one shape.
public protocol Answerable: SendableMetatype {
    /// What it looks like, and how it is written.
    static var shape: Shape<Self> { get }
}
