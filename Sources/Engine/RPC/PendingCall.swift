/// A call that is about to run, as an interceptor receives it.
///
/// The caller has the right that the method needs, and the parameters fit its declaration.
public struct PendingCall<Identity: Caller>: Sendable {
    /// The caller.
    public let caller: Identity
    /// The name of the method.
    public var method: String { declaration.name }
    /// The id that the client made to send this call again without repeating its change; see ``Request/once``.
    public let once: String?
    /// The given parameters by name, without nulls.
    public let parameters: JSONObject
    private let declaration: Method<Identity>

    init(_ declaration: Method<Identity>, _ parameters: JSONObject, by caller: Identity, once: String?) {
        self.declaration = declaration
        self.parameters = parameters
        self.caller = caller
        self.once = once
    }

    /// Runs the method, and returns its answer.
    public func run() async throws -> JSONText { try await declaration.handler(caller, parameters) }

    /// Returns a value encoded as the method's answer; `nil` if the method answers with a value of another type.
    public func answer(of value: any Sendable) -> JSONText? { declaration.encode(value) }
}
