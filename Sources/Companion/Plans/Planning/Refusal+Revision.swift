import RPC

extension Refusal {
    /// Someone else has changed the object since the caller read it; `revision` is the current one.
    static func outdated(_ kind: String, id: String, revision: Int64) -> Refusal {
        conflict(
            "Someone has changed the \(kind) \(id) since you read it; look at both versions and save again.",
            data: ["revision": .integer(revision)])
    }

    /// The current revision, if the refusal is ``outdated(_:id:revision:)``; otherwise `nil`.
    var newerRevision: JSONValue? { kind == .conflict ? data?["revision"] : nil }
}
