import RPC

extension Refusal {
    /// Someone else has changed it since the revision that the caller has seen; this is the one there is now.
    static func outdated(_ kind: String, id: String, revision: Int64) -> Refusal {
        conflict(
            "Someone has changed the \(kind) \(id) since you read it; look at both versions and save again.",
            data: ["revision": .integer(revision)])
    }

    /// The revision there is now, where it is not the one that the caller has seen; nil where that is not the reason.
    var newerRevision: JSONValue? { kind == .conflict ? data?["revision"] : nil }
}
