import GRDB

extension DatabaseReader {
    /// Reads within one consistent snapshot, as `read` does, and leaves the connection's statements prepared.
    ///
    /// If the connection also writes, which is so for a temporary store, `read` forbids writing by `PRAGMA query_only`,
    /// twice a read. SQLite prepares each statement of the connection again after that pragma (`OP_Expire` in pragma.c
    /// of SQLite 3.40). Instead, a read that has changed rows is rolled back here.
    ///
    /// - Throws: An error with the code `SQLITE_READONLY` if `body` has changed rows, and what `body` throws.
    func readOnce<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let queue = self as? DatabaseQueue, !queue.configuration.readonly else { return try read(body) }
        return try queue.unsafeRead { db in
            var value: Value?
            try db.inTransaction(.deferred) {
                let changes = db.totalChangesCount
                value = try body(db)
                guard db.totalChangesCount == changes else {
                    throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
                }
                return .commit
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            return value
        }
    }
}
