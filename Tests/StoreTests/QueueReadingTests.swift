import GRDB
import GRDBSQLite
import Testing

@testable import Store

/// Reads of a store that has one connection.
@Suite struct QueueReadingTests {
    private let store: LocationDatabase

    init() throws { store = try LocationDatabase.temporary() }

    @Test(arguments: [
        "INSERT INTO device (name) VALUES ('van')", "DELETE FROM device WHERE name = 'none'", "CREATE TABLE a (b)",
        "CREATE TEMP TABLE a (b)",
    ])
    func aReadThatWritesFailsAndChangesNothing(_ sql: String) throws {
        #expect(throws: StoreError.self) { try store.read { try $0.execute(sql: sql) } }
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM device") } == 0)
        #expect(throws: StoreError.self) { try store.read { try $0.execute(sql: "SELECT b FROM a") } }
    }

    @Test func statementsStayPreparedFromReadToRead() throws {
        let sql = "SELECT count(*) FROM device"
        for _ in 0..<3 { _ = try store.read { try Int.fetchOne($0.cachedStatement(sql: sql)) } }
        let preparedAgain = try store.read {
            unsafe sqlite3_stmt_status(
                try $0.cachedStatement(sql: sql).sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        }
        #expect(preparedAgain == 0)
    }
}
