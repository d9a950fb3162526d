import GRDB
import GRDBSQLite

/// Copies rows from one connection to another through SQLite's own handles.
///
/// A damaged store may have millions of good rows, and a row of GRDB costs ten times as much as one that is copied
/// here.
///
/// Each `unsafe` passes the handle of a statement, which this value holds, to SQLite while both connections are in use.
@safe
final class RowCopy {
    /// The outcome of a step.
    enum Step: Equatable {
        /// A row was copied.
        case copied
        /// A row was read, and the new store did not take it: it has such a row already, or it breaks a rule.
        case refused
        /// There are no more rows.
        case end
        /// The next row cannot be read.
        case unreadable
    }

    private let rows: Statement
    private let insertion: Statement
    private let copy: Database
    private let source: OpaquePointer
    private let target: OpaquePointer
    private let count: Int32
    private let hasIntegers: Bool

    /// Begins to read rows.
    ///
    /// - Parameters:
    ///   - rows: A statement with its arguments, whose first column is the key, followed by the columns to copy.
    ///   - insertion: A statement with a parameter for each column to copy.
    ///   - hasIntegers: Whether the keys are integers.
    init(_ rows: Statement, to insertion: Statement, in copy: Database, hasIntegers: Bool) {
        self.rows = rows
        self.insertion = insertion
        self.copy = copy
        self.hasIntegers = hasIntegers
        unsafe source = rows.sqliteStatement
        unsafe target = insertion.sqliteStatement
        count = unsafe sqlite3_column_count(source) - 1
    }

    deinit { unsafe sqlite3_reset(source) }

    /// Copies the next row.
    ///
    /// - Throws: An error if the new store cannot be written.
    func next() throws -> Step {
        switch unsafe sqlite3_step(source) {
        case SQLITE_ROW: break
        case SQLITE_DONE: return .end
        default: return .unreadable
        }
        for column in 0..<count {
            // SQLite copies the value during the call.
            let code = unsafe sqlite3_bind_value(target, column + 1, sqlite3_column_value(source, column + 1))
            guard code == SQLITE_OK else { throw error(code) }
        }
        let code = unsafe sqlite3_step(target)
        let reset = unsafe sqlite3_reset(target)
        if code == SQLITE_DONE { return copy.changesCount > 0 ? .copied : .refused }
        guard reset & 0xFF == SQLITE_CONSTRAINT else { throw error(reset) }
        return .refused
    }

    /// The key of the current row.
    var key: DatabaseValue { hasIntegers ? unsafe sqlite3_column_int64(source, 0).databaseValue : value(0) }

    /// The copied columns of the current row.
    var values: [DatabaseValue] { (0..<max(0, count)).map { value($0 + 1) } }

    private func value(_ column: Int32) -> DatabaseValue {
        switch unsafe sqlite3_column_type(source, column) {
        case SQLITE_INTEGER: unsafe sqlite3_column_int64(source, column).databaseValue
        case SQLITE_FLOAT: unsafe sqlite3_column_double(source, column).databaseValue
        case SQLITE_TEXT:
            (unsafe sqlite3_column_text(source, column).map { unsafe String(cString: $0) } ?? "").databaseValue
        default: .null
        }
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: copy.lastErrorMessage)
    }
}
