package import GRDB
package import RPC

extension Editor {
    /// Makes a change that may come to a refusal which is to be kept in mind, such as a wrong code.
    ///
    /// - Throws: what `body` returns as a failure, once all is committed; what it throws undoes the change.
    package func decide<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Result<Value, Refusal>
    ) async throws -> Value {
        try await change(body).get()
    }
}
