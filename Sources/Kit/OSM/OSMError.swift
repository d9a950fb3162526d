/// The reason why an extract of OpenStreetMap cannot be read, as a clause.
public struct OSMError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The reason for bytes that do not have the format.
    static func damaged(_ part: String) -> OSMError { OSMError("\(part) in it is damaged; download it again") }
}
