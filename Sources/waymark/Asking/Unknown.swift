import RPC

/// A thing that was named and is not there.
struct Unknown: Error, CustomStringConvertible {
    /// The kind of thing, which is also the command that lists them.
    let noun: String
    let id: String

    var description: String {
        guard id == "last" else { return "There is no \(noun) \(id); \"waymark \(noun) list\" shows which there are." }
        return "There is no \(noun) yet, or none that has ended."
    }
}

extension Responder {
    /// Calls a method about the thing of an id.
    ///
    /// - Throws: ``Unknown`` where it is not there, and what ``call(_:_:)`` does.
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
