/// The reason why a request to a web server failed, phrased as a clause: "cannot reach example.org (connection refused)".
public struct WebFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The clause.
    public let description: String

    /// Creates a failure from its clause.
    public init(_ description: String) { self.description = description }
}
