/// Something said of a point that is written to a file.
public struct ExportedProperty: Hashable, Sendable {
    /// What it is.
    public enum Value: Hashable, Sendable {
        /// Text.
        case text(String)
        /// A finite number, written with 7 decimals at most.
        case number(Double)
    }

    /// What it is called.
    public var name: String
    /// What it is.
    public var value: Value

    /// Some text by a name.
    public init(_ name: String, _ text: String) {
        self.name = name
        value = .text(text)
    }

    /// A finite number by a name.
    public init(_ name: String, _ number: Double) {
        self.name = name
        value = .number(number)
    }
}
