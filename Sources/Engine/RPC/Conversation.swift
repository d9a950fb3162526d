/// How a program for people, such as the command line, goes on with the call of a method.
///
/// The server does not read it.
public struct Conversation: Sendable {
    /// What a call does to the session that the program keeps for the person.
    public enum SessionChange: Sendable, Equatable {
        /// The answer's member `token` is the secret of a new session.
        case begins
        /// The answer's member `ticket` is the secret of a sign-up, which the parameter `ticket` of other methods takes.
        case waits
        /// The session ends.
        case ends
    }

    /// What the call does to the session; `nil` if it leaves it as it is.
    public let session: SessionChange?
    private let next: @Sendable (_ answer: JSONValue) -> String?
    private let asks: @Sendable (_ isGiven: (String) -> Bool, _ isSignedIn: Bool) -> [String]

    /// Creates a conversation.
    ///
    /// - Parameters:
    ///   - session: What the call does to the session.
    ///   - next: Returns what to do after the call, from the answer; `nil` if there is nothing to say.
    ///   - asks: Returns the names of the optional parameters to ask for. It is told whether a parameter is given, and
    ///     whether the person is signed in.
    public init(
        session: SessionChange? = nil, next: @escaping @Sendable (_ answer: JSONValue) -> String? = { _ in nil },
        asks: @escaping @Sendable (_ isGiven: (String) -> Bool, _ isSignedIn: Bool) -> [String] = { _, _ in [] }
    ) {
        self.session = session
        self.next = next
        self.asks = asks
    }

    /// Returns the names of the optional parameters to ask for before the call.
    public func questions(given: JSONObject, isSignedIn: Bool) -> [String] {
        asks({ given[$0] != nil }, isSignedIn).filter { given[$0] == nil }
    }

    /// Returns what to do after the call; `nil` if there is nothing to say.
    public func advice(after answer: JSONValue) -> String? { next(answer) }
}
