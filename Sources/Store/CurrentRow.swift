public import Foundation
public import GRDB
import GRDBSQLite

/// The values of a statement's current row, read through SQLite's own handle.
///
/// They are valid until the statement's next step. Numbers are checked; see ``StoreDamage``. A text or binary data of
/// another type is converted as SQLite does it, so that `NULL` reads as an empty one (sqlite3_column_text and its
/// siblings). Columns are counted from 0; a column that does not exist reads as `NULL`.
///
/// Each `unsafe` passes the statement's handle to SQLite while the connection is in use, which is on its own queue.
/// Bytes are copied before they are returned.
@safe
public struct CurrentRow {
    // A strong reference to the statement would cost reference counting for each row and value.
    private let handle: OpaquePointer

    /// Creates the row of a statement, which the caller must keep alive for as long as it uses the row.
    public init(of statement: Statement) { unsafe handle = statement.sqliteStatement }

    /// The number of columns.
    public var count: Int32 { unsafe sqlite3_column_count(handle) }

    /// Whether the value of a column is `NULL`.
    public func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Whether the value of a column is a text.
    public func isText(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT }

    /// Returns an integer; `nil` if it is `NULL`, or damaged.
    public func integer(_ column: Int32) -> Int64? {
        // The usual case, without a detour.
        if unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER {
            let number = unsafe sqlite3_column_int64(handle, column)
            if StoreDamage.integers.contains(number) { return number }
        }
        return number(column).integer(of: name(column))
    }

    /// Returns an integer within the bounds of `Int32`; `nil` if it is `NULL`, or damaged.
    public func integer32(_ column: Int32) -> Int32? {
        number(column).integer(within: StoredNumber.small, of: name(column)).map { Int32(clamping: $0) }
    }

    /// Returns a floating-point number; `nil` if it is `NULL`, or damaged.
    public func real(_ column: Int32) -> Double? { number(column).real(of: name(column)) }

    /// Reports that a column is `NULL` that never is.
    public func reportEmpty(_ column: Int32) { StoreDamage.report("the column \(name(column)) is empty") }

    private func number(_ column: Int32) -> StoredNumber {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(handle, column))
        default: .other
        }
    }

    /// The name of a column in the query.
    private func name(_ column: Int32) -> String {
        // The name is a valid string until the statement is prepared again; it is copied at once.
        unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? "\(column)"
    }

    /// Returns the value of a column as a text.
    public func text(_ column: Int32) -> String {
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Returns a copy of the bytes of a column.
    public func data(_ column: Int32) -> Data {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return Data() }
        return unsafe Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
