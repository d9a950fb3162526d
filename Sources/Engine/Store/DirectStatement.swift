public import GRDB
import GRDBSQLite

/// A prepared statement that is bound, stepped and read through SQLite's own handle.
///
/// It is meant for work on each of thousands of rows, and costs a fraction of a row or record of GRDB. Each connection
/// prepares the statement once. The statement is in use until this value is destroyed; until then no other
/// ``DirectStatement`` may have the same text.
///
/// Each `unsafe` passes the handle of `statement`, which this value holds, to SQLite while `db` is in use, which is on
/// the connection's own queue.
@safe
public struct DirectStatement: ~Copyable {
    /// The current row.
    public let row: CurrentRow
    private let statement: Statement
    private let handle: OpaquePointer
    private let db: Database
    /// Leaves out damaged rows; `nil` if there may be none.
    private let filter: DamageFilter?

    /// Prepares an SQL text, or takes the prepared statement from the cache, within the caller's transaction.
    public init(_ sql: String, in db: Database) throws { try self.init(sql, isList: false, in: db) }

    /// Prepares an SQL text as ``init(_:in:)`` does.
    ///
    /// - Parameter isList: Whether the rows are entries of a list, of which damaged ones are left out; see
    ///   ``StoreDamage``.
    package init(_ sql: String, isList: Bool, in db: Database) throws {
        try self.init(sql, arguments: nil, isList: isList, in: db)
    }

    /// Prepares an SQL text as ``init(_:isList:in:)`` does, and binds all its parameters.
    init(_ sql: String, arguments: StatementArguments?, isList: Bool = false, in db: Database) throws {
        let statement = try db.cachedStatement(sql: sql)
        if let arguments { try statement.setArguments(arguments) }
        self.statement = statement
        row = CurrentRow(of: statement, isListed: isList)
        filter = isList ? DamageFilter(of: statement) : nil
        unsafe handle = statement.sqliteStatement
        self.db = db
    }

    /// Without this, the cached statement would keep its read transaction open and its parameters bound.
    deinit {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Binds an integer to a parameter, counted from 1; `nil` is `NULL`.
    public func bind(_ value: Int64?, at index: Int32) throws {
        // Two calls in place of a shared helper, because most values are integers.
        let code =
            if let value { unsafe sqlite3_bind_int64(handle, index, value) } else {
                unsafe sqlite3_bind_null(handle, index)
            }
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Binds a text to a parameter, counted from 1; `nil` is `NULL`.
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

    /// Steps to the next row.
    ///
    /// - Returns: Whether there is one. If not, the statement is reset and can run again.
    public func step() throws -> Bool {
        var code = unsafe sqlite3_step(handle)
        if let filter { while code == SQLITE_ROW, !filter.admits() { code = unsafe sqlite3_step(handle) } }
        if code == SQLITE_ROW { return true }
        let reset = unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw error(reset) }
        return false
    }

    /// Runs a statement to its end, ignoring rows, and resets it.
    public func run() throws { while try step() {} }

    /// Resets the statement to before its first row.
    public func reset() { unsafe sqlite3_reset(handle) }

    /// Returns an integer from the current row, by its column, counted from 0; `nil` if it is `NULL`, or damaged.
    public func integer(_ column: Int32) -> Int64? { row.integer(column) }

    /// Returns an integer from the current row as ``integer(_:)`` does, within the bounds of `Int32`.
    public func integer32(_ column: Int32) -> Int32? { row.integer32(column) }

    /// Returns a floating-point number from the current row, by its column, counted from 0; 0 if it is `NULL`, or
    /// damaged.
    public func real(_ column: Int32) -> Double { row.real(column) ?? 0 }

    /// Returns a text from the current row, by its column, counted from 0; empty if it is `NULL`.
    public func text(_ column: Int32) -> String { row.text(column) }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
}
