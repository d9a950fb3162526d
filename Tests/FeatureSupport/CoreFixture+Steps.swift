import GRDB
import GRDBSQLite
import Store
import Synchronization

extension CoreFixture {
    /// Returns the number of steps that SQLite's virtual machine takes during `body`.
    package func steps(_ body: () async throws -> Void) async throws -> Int {
        let counter = StepCounter()
        try await store.read { counter.begin(in: $0) }
        try await body()
        try await store.read { counter.end(in: $0) }
        return counter.count
    }
}

private final class StepCounter: Sendable {
    private let hits = Atomic<Int>(0)

    var count: Int { hits.load(ordering: .relaxed) }

    /// Starts counting the steps of each statement as it ends.
    ///
    /// Readers set a progress handler of their own, so this one uses a trace callback.
    func begin(in db: Database) {
        // `end(in:)` removes the callback before this object is deallocated.
        let counter = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_trace_v2(
            db.sqliteConnection, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { event, counter, statement, text in
                guard let counter = unsafe counter, let statement = unsafe statement else { return 0 }
                if event == SQLITE_TRACE_STMT, let text = unsafe text {
                    // A text that begins with a comment reports a trigger or a nested statement; both are part of a
                    // statement that continues.
                    let sql = unsafe String(cString: sqlite3_sql(OpaquePointer(statement)))
                    let told = unsafe String(cString: text.assumingMemoryBound(to: CChar.self))
                    guard told == sql || told == "-- \(sql)" else { return 0 }
                }
                let steps = unsafe sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
                guard event == SQLITE_TRACE_PROFILE else { return 0 }
                unsafe Unmanaged<StepCounter>.fromOpaque(counter).takeUnretainedValue()
                    .hits.add(Int(steps), ordering: .relaxed)
                return 0
            }, counter)
    }

    func end(in db: Database) { unsafe sqlite3_trace_v2(db.sqliteConnection, 0, nil, nil) }
}
