import GRDB
import GRDBSQLite

extension DatabaseReader {
    /// Reads within one consistent snapshot, as `read` does, and leaves the connection's statements prepared.
    ///
    /// If the connection also writes, which is so for a temporary store, `read` forbids writing by `PRAGMA query_only`,
    /// twice a read. SQLite prepares each statement of the connection again after that pragma (`OP_Expire` in pragma.c
    /// of SQLite 3.40). Here, everything that `body` does is rolled back instead.
    ///
    /// - Throws: An error with the code `SQLITE_READONLY` if `body` has begun to write, and what `body` throws.
    func readKeepingStatements<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let queue = self as? DatabaseQueue, !queue.configuration.readonly else { return try read(body) }
        return try queue.unsafeRead { db in
            var value: Value?
            try db.inTransaction(.deferred) {
                value = try body(db)
                // The connection is open within `unsafeRead`. Without a name, the call asks for all its schemas.
                if unsafe sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_WRITE {
                    throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
                }
                return .rollback
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            return value
        }
    }
}
