/// How people are known again through doors whose connections last no longer than a call.
public struct SessionKeeping: Sendable {
    /// The methods that sign the caller in, and answer what they are known by as `token`.
    public var methods: Set<String>
    /// Signs a caller in by such a token; false where it is no longer good.
    public var resume: @Sendable (_ token: String, _ caller: Principal) async throws -> Bool

    /// A way to be known again.
    public init(
        methods: Set<String>, resume: @escaping @Sendable (_ token: String, _ caller: Principal) async throws -> Bool
    ) {
        self.methods = methods
        self.resume = resume
    }
}
