package import GRDB
package import RPC

extension Editor {
    /// Makes a change that is committed even if it ends in a refusal, such as counting a wrong code.
    ///
    /// - Throws: The failure that `body` returns, after the commit. An error that `body` throws undoes the change.
    package func decide<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Result<Value, Refusal>
    ) async throws -> Value {
        guard let witness = Self.witness else { return try await change(body).get() }
        let beside = Witness { kept, db in
            // A call that is refused may be made again.
            if case .success(let value)? = kept as? Result<Value, Refusal> { try witness.write(value, db) }
        }
        return try await Self.$witness.withValue(beside) { try await change(body).get() }
    }
}
