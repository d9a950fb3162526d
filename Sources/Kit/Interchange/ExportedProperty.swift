/// A named property of a point that is written to a file.
public struct ExportedProperty: Hashable, Sendable {
    /// The value of a property.
    public enum Value: Hashable, Sendable {
        /// A text.
        case text(String)
        /// A finite number, written with at most 7 decimals.
        case number(Double)
    }

    /// The name of the property.
    public var name: String
    /// The value of the property.
    public var value: Value

    /// Creates a property with a text.
    public init(_ name: String, _ text: String) {
        self.name = name
        value = .text(text)
    }

    /// Creates a property with a number, which must be finite.
    public init(_ name: String, _ number: Double) {
        self.name = name
        value = .number(number)
    }
}
