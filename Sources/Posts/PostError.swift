import RPC

/// Why something about posts was not done.
enum PostError: Error, Hashable, Sendable {
    /// There is none, or the caller may not see it, which is the same to them.
    case absent(String, id: String)
    /// The product of an id is not on the caller's shopping list.
    case unlisted(String)
    /// The caller may see it and not do this.
    case forbidden(String)
    /// A field will not do, for a reason that follows its name.
    case invalid(String, String)
    /// It contradicts what is.
    case conflict(String)
    /// There are as many as there may be.
    case full(String, limit: Int)

    /// The error that a caller gets.
    var answer: RPCError {
        switch self {
        case .absent(let kind, let id): .notFound("There is no \(kind) \(id).")
        case .unlisted(let id): .notFound("The product \(id) is not on your shopping list.")
        case .forbidden(let message): .notAllowed(message)
        case .invalid(let field, let reason): .invalid(field, reason)
        case .conflict(let message): .conflict(message)
        case .full(let message, let limit):
            RPCError(.unavailable, message, data: ["reason": "quota", "limit": .integer(Int64(clamping: limit))])
        }
    }
}
