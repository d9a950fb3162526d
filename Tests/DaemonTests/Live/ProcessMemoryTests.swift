import GRDB
import GRDBSQLite
import Testing

@Suite struct ProcessMemoryTests {
    /// SQLite takes a lock of the whole process at each allocation while it counts them.
    @Test func sqliteCountsNoMemory() throws {
        let store = try DatabaseQueue()
        try store.read { try $0.execute(sql: "SELECT name FROM sqlite_master") }
        #expect(sqlite3_memory_used() == 0)
    }
}
