import RPC

/// The error that the thing named does not exist.
struct Unknown: Error, CustomStringConvertible {
    /// The kind of thing, which is also the command that lists things of this kind.
    let noun: String
    let id: String

    var description: String {
        guard id == "last" else { return "There is no \(noun) \(id). \"waymark \(noun) list\" lists the \(noun)s." }
        return "There is no \(noun) yet, or none that has ended."
    }
}

extension Responder {
    /// Calls a method about the thing with an id.
    ///
    /// - Throws: ``Unknown`` if the thing does not exist, and the errors of ``call(_:_:)``.
    nonisolated(nonsending) func call(
        _ method: String, about noun: String, _ id: String, _ parameters: JSONObject = [:]
    ) async throws -> JSONValue {
        var parameters = parameters
        parameters["id"] = .string(id)
        do {
            return try await call(method, parameters)
        } catch let error as RPCError where error.code == .notFound {
            throw Unknown(noun: noun, id: id)
        }
    }
}
