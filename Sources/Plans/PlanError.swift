import RPC

/// Why something about plans was not done.
enum PlanError: Error, Hashable, Sendable {
    /// There is none, or the caller may not see it, which is the same to them.
    case absent(String, id: String)
    /// The caller may see it and not do this.
    case forbidden(String)
    /// A field will not do, for a reason that follows its name.
    case invalid(String, String)
    /// It contradicts what is.
    case conflict(String)
    /// Someone else has changed it since the revision that the caller has seen; this is the one there is now.
    case outdated(String, id: String, revision: Int64)
    /// There are as many as there may be.
    case full(String)

    /// The error that a caller gets.
    var answer: RPCError {
        switch self {
        case .absent(let kind, let id): .notFound("There is no \(kind) \(id).")
        case .forbidden(let message): .notAllowed(message)
        case .invalid(let field, let reason): .invalid(field, reason)
        case .conflict(let message): .conflict(message)
        case .outdated(let kind, let id, let revision):
            .conflict(
                "Someone has changed the \(kind) \(id) since you read it; look at both versions and save again.",
                data: ["revision": .integer(revision)])
        case .full(let message): .unavailable(message)
        }
    }
}
