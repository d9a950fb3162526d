import RPC

extension SourceOptions {
    /// Removes things one after another, each after asking whether that is meant, and prints which were.
    ///
    /// - Parameters:
    ///   - kind: what one is called; its methods are those of the plural.
    ///   - found: gives the ids of what someone means by words; the words are the ids if left out.
    ///   - name: what the question calls one, from what is known of it and its id.
    func remove(
        _ kind: String, _ ids: [String], if consent: Consent, json: Bool,
        found: (any Responder, [String]) async throws -> [String] = { $1 }, name: (JSONValue, String) -> String
    ) async throws {
        try consent.check()
        try await Failure.printing { output in
            try await change { responder in
                for id in try await found(responder, ids) {
                    let known = try await responder.call("\(kind)s.get", about: kind, id)
                    guard consent.isGiven(for: "Remove the \(kind) \(name(known, id))?") else { continue }
                    let answer = try await responder.call("\(kind)s.remove", about: kind, id)
                    try output.line(json ? answer.line : Array("Removed \(EventLines.printable(id)).".utf8))
                }
            }
        }
    }
}
