public import GRDB
import GRDBSQLite

/// A prepared statement that is bound, stepped and read on SQLite's own handle.
///
/// For what is done for each of thousands of rows: it costs a fraction of a row or a record of GRDB. The statement is
/// prepared once for each connection, and free again when this goes; until then the same text must not be used by
/// another.
///
/// Each `unsafe` passes the handle of `statement`, which is held here, to SQLite
/// while `db` is in use, which is on the connection's own queue.
@safe
public struct DirectStatement: ~Copyable {
    /// The row it stands at.
    public let row: CurrentRow
    private let statement: Statement
    private let handle: OpaquePointer
    private let db: Database

    /// The statement of an SQL text, within a transaction of its caller.
    public init(_ sql: String, in db: Database) throws {
        statement = try db.cachedStatement(sql: sql)
        row = CurrentRow(of: statement)
        unsafe handle = statement.sqliteStatement
        self.db = db
    }

    /// Without this a cached statement would go on reading, and keep what was bound to it.
    deinit {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Binds a number to a parameter, counted from 1; nil is NULL.
    public func bind(_ value: Int64?, at index: Int32) throws {
        // Written out, since most of what is bound is this.
        let code =
            if let value { unsafe sqlite3_bind_int64(handle, index, value) } else {
                unsafe sqlite3_bind_null(handle, index)
            }
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Binds a text to a parameter, counted from 1; nil is NULL.
    public func bind(_ text: String?, at index: Int32) throws {
        guard var text else { return try bind(nil as Int64?, at: index) }
        // SQLite copies the text during the call (SQLITE_TRANSIENT, which sqlite3.h defines as the address -1).
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe sqlite3_bind_text(handle, index, bytes.baseAddress, Int32(clamping: bytes.count), copied)
            }
        }
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Goes to the next row.
    ///
    /// - Returns: whether there is one; where not, the statement may be run again.
    public func step() throws -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let reset = unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw error(reset) }
        return false
    }

    /// Runs a statement that gives no rows, and may be run again.
    public func run() throws { while try step() {} }

    /// Goes back before the first row.
    public func reset() { unsafe sqlite3_reset(handle) }

    /// A number in the current row, by its column counted from 0; nil where there is none.
    public func integer(_ column: Int32) -> Int64? { row.isNull(column) ? nil : row.integer(column) }

    /// A number with a fraction in the current row, by its column counted from 0; 0 where there is none.
    public func real(_ column: Int32) -> Double { row.real(column) }

    /// A text in the current row, by its column counted from 0; empty where there is none.
    public func text(_ column: Int32) -> String { row.text(column) }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
}
