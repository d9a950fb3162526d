/// Keeps people signed in on doors whose connections last for one call.
public struct SessionResumption: Sendable {
    /// The names of the methods that sign the caller in, and whose answer has the session's secret as `token`.
    public var methods: Set<String>
    /// Signs a caller in by a token; returns `false` if the token is no longer valid.
    public var resume: @Sendable (_ token: String, _ caller: Principal) async throws -> Bool

    /// Creates a way to keep people signed in.
    public init(
        methods: Set<String>, resume: @escaping @Sendable (_ token: String, _ caller: Principal) async throws -> Bool
    ) {
        self.methods = methods
        self.resume = resume
    }
}
