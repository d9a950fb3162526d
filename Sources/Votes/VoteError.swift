import RPC

/// Why something about votes was not done.
enum VoteError: Error, Hashable, Sendable {
    /// There is no vote of that id.
    case absent(String)
    /// There is none of what is named.
    case nothing(String)
    /// The caller may not do this.
    case forbidden(String)
    /// A field will not do, for a reason that follows its name.
    case invalid(String, String)
    /// It contradicts what is.
    case conflict(String)
    /// There are as many as there may be.
    case full(String)

    /// The error that a caller gets.
    var answer: RPCError {
        switch self {
        case .absent(let id): .notFound("There is no vote \(id).")
        case .nothing(let message): .notFound(message)
        case .forbidden(let message): .notAllowed(message)
        case .invalid(let field, let reason): .invalid(field, reason)
        case .conflict(let message): .conflict(message)
        case .full(let message): .unavailable(message)
        }
    }
}
