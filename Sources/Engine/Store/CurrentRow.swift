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
    /// Whether the row is an entry of a list, from which it can be left out.
    private let isListed: Bool

    /// Creates the row of a statement, which the caller must keep alive for as long as it uses the row.
    public init(of statement: Statement) { self.init(of: statement, isListed: false) }

    /// Creates the row of a statement as ``init(of:)`` does; a damaged row of a list is left out of it.
    package init(of statement: Statement, isListed: Bool) {
        unsafe handle = statement.sqliteStatement
        self.isListed = isListed
    }

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
        return integer(column, within: StoreDamage.integers)
    }

    /// Returns an integer within the bounds of `Int32`; `nil` if it is `NULL`, or damaged.
    public func integer32(_ column: Int32) -> Int32? {
        integer(column, within: StoredNumber.small).map { Int32(clamping: $0) }
    }

    /// Returns a floating-point number; `nil` if it is `NULL`, or damaged.
    public func real(_ column: Int32) -> Double? { checkedReal(column) }

    /// Reports that a column is `NULL` that never is.
    public func reportEmpty(_ column: Int32) { report(column, "is empty") }

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

extension CurrentRow: CheckedColumns {
    func number(_ column: Int32) -> StoredNumber {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(handle, column))
        default: .other
        }
    }

    func report(_ column: Int32, _ words: String) {
        StoreDamage.report(
            damage(of: column, words, inRow: numberColumn(beside: column).map { number($0).words }),
            leavingOut: isListed ? content : nil)
    }

    /// Reports that the row as a whole is damaged.
    ///
    /// - Parameter words: The damage, as a clause.
    package func report(_ words: String) { StoreDamage.report(words, leavingOut: isListed ? content : nil) }

    /// Returns damage as a clause: which column of which table, and which row of it.
    func damage(of column: Int32, _ words: String, inRow number: String?) -> String {
        guard let table = table(column) else { return "the column \(name(column)) \(words)" }
        let row = number.map { ", in the row with number \($0)" } ?? ""
        return "the column \(origin(column) ?? name(column)) of the table \(table) \(words)\(row)"
    }

    /// Returns the column with the number of the row that a value was read from; `nil` if the query has none.
    func numberColumn(beside column: Int32) -> Int32? {
        guard let table = table(column) else { return nil }
        return (0..<count).first { ["number", "seq"].contains(origin($0)) && self.table($0) == table }
    }

    /// The content of the row, by which another run of the query recognises it.
    var content: RowContent {
        // The texts are valid until the statement changes, and are copied at once.
        let query = unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? ""
        return RowContent(
            query: query,
            values: (0..<count).map { column in
                switch number(column) {
                case .null: .null
                case .integer(let number): .integer(number)
                case .real(let number): .real(number.bitPattern)
                case .other: .bytes(Array(data(column)))
                }
            })
    }

    /// The name of a column in the query.
    private func name(_ column: Int32) -> String {
        unsafe copied(sqlite3_column_name(handle, column)) ?? "\(column)"
    }

    /// The name of the table that a column was read from; `nil` for an expression.
    private func table(_ column: Int32) -> String? { unsafe copied(sqlite3_column_table_name(handle, column)) }

    /// The name of a column in its table; `nil` for an expression.
    private func origin(_ column: Int32) -> String? { unsafe copied(sqlite3_column_origin_name(handle, column)) }

    /// Copies a name, which is a valid string until the statement is prepared again.
    private func copied(_ name: UnsafePointer<CChar>?) -> String? { unsafe name.map { unsafe String(cString: $0) } }
}
