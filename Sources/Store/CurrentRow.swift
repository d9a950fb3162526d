public import Foundation
public import GRDB
import GRDBSQLite

/// The values of the row that a statement stands at, read on SQLite's own handle; they are gone with its next step.
///
/// A value of another kind is what SQLite converts it to: 0 or an empty text for NULL (sqlite3_column_int64 and the
/// others). Columns are counted from 0; one that is not there reads as NULL.
///
/// Each `unsafe` passes the statement's handle to SQLite while the connection is in use, which is on its own queue. Bytes
/// are copied before they are given out.
@safe
public struct CurrentRow {
    // A reference to the statement would be counted for each row and value.
    private let handle: OpaquePointer

    /// The row of a statement, which whoever has this holds as long.
    public init(of statement: Statement) { unsafe handle = statement.sqliteStatement }

    /// How many columns it has.
    public var count: Int32 { unsafe sqlite3_column_count(handle) }

    /// Whether a value is NULL.
    public func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Whether a value is a text.
    public func isText(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT }

    /// A whole number.
    public func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// A number with a fraction.
    public func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

    /// A text.
    public func text(_ column: Int32) -> String {
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Bytes.
    public func data(_ column: Int32) -> Data {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return Data() }
        return unsafe Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
