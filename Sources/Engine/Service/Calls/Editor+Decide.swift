package import GRDB
package import RPC

extension Editor {
    /// Makes a change that is committed even if it ends in a refusal, such as counting a wrong code.
    ///
    /// - Throws: The failure that `body` returns, after the commit. An error that `body` throws undoes the change.
    package func decide<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Result<Value, Refusal>
    ) async throws -> Value {
        try await change(body).get()
    }
}
