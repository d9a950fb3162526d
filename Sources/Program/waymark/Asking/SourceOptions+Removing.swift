import RPC

extension SourceOptions {
    /// Removes things one by one after asking for confirmation, and prints each that was removed.
    ///
    /// - Parameters:
    ///   - kind: The noun for one thing; its methods begin with the plural.
    ///   - found: Returns the ids for the words that the person typed; by default, the words are the ids.
    ///   - name: Returns the name of a thing for the question, from the answer about it and its id.
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
                    try output.line(json ? answer.line : Array("Removed \(EventFormatter.printable(id)).".utf8))
                }
            }
        }
    }
}
