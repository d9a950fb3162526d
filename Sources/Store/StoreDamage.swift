package import Foundation
package import GRDB
import Synchronization

/// What a store holds that no version of Waymark has written: values of a wrong type, or beyond all bounds.
///
/// A damaged card and a person with an SQLite shell may put anything into a column. Everything that reads a column
/// therefore goes through ``CurrentRow``, ``StoredRow`` or `NamedRow`. They pass on only values within bounds, for
/// which arithmetic does not overflow, and report what is not. The read or write that came across it then fails with
/// ``StoreError/damaged(path:detail:)`` as a whole, and a write changes nothing.
package enum StoreDamage {
    /// The integers that a column may hold.
    ///
    /// These are the times of a ``Timestamp``, amounts of money, counts and sequence numbers. The product with 1000 of
    /// any of them, and the sum of 8,000, is a valid number, too.
    package static let integers: ClosedRange<Int64> = -1 << 50...1 << 50

    final class Note: Sendable {
        private let first = Mutex<String?>(nil)

        var detail: String? { first.withLock { $0 } }

        func take(_ detail: String) { first.withLock { if $0 == nil { $0 = detail } } }
    }

    /// The note of the read or write that this thread or task is in.
    @TaskLocal static var note: Note?

    /// Reports damage that was found; nothing is reported outside ``checking(at:_:)``.
    package static func report(_ detail: @autoclosure () -> String) {
        if let note { note.take(detail()) }
    }

    /// Runs `body`, and fails if it has come across damage.
    ///
    /// An error that `body` throws gives way to the damage, which may be its cause.
    ///
    /// - Throws: ``StoreError/damaged(path:detail:)``, and what `body` throws.
    static func checking<Value>(at path: String, _ body: () throws -> Value) throws -> Value {
        let note = Note()
        let result = Result { try $note.withValue(note) { try body() } }
        if let detail = note.detail { throw StoreError.damaged(path: path, detail: detail) }
        return try result.get()
    }
}

/// A value of a column, as far as it is a number.
enum StoredNumber {
    case null
    case integer(Int64)
    case real(Double)
    /// A text, or binary data.
    case other

    /// The integers that an `Int32` can hold.
    static let small = Int64(Int32.min)...Int64(Int32.max)

    /// The integer; `nil` for `NULL`, and for what is not within ``StoreDamage/integers``, which is reported.
    func integer(
        within bounds: ClosedRange<Int64> = StoreDamage.integers, of column: @autoclosure () -> String
    ) -> Int64? {
        switch self {
        case .null: return nil
        case .integer(let number) where bounds.contains(number): return number
        case .real(let number):
            if let number = Int64(exactly: number.rounded(.towardZero)), bounds.contains(number) { return number }
        default: break
        }
        StoreDamage.report("the column \(column()) holds \(words)")
        return nil
    }

    /// The finite number; `nil` for `NULL`, and for anything else, which is reported.
    func real(of column: @autoclosure () -> String) -> Double? {
        switch self {
        case .null: return nil
        case .integer(let number): return Double(number)
        case .real(let number) where number.isFinite: return number
        default: break
        }
        StoreDamage.report("the column \(column()) holds \(words)")
        return nil
    }

    private var words: String {
        switch self {
        case .null: "nothing"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .other: "no number"
        }
    }
}

/// Returns the value of a column that is never `NULL`, or reports that it is and returns `nothing`.
@inline(__always)
func required<Value>(_ value: Value?, or nothing: Value, _ column: @autoclosure () -> String) -> Value {
    if let value { return value }
    StoreDamage.report("the column \(column()) is empty")
    return nothing
}

/// A row of a query, copied or current, whose columns are read by position; see ``StoreDamage``.
///
/// Reading an optional returns `nil` if the value is `NULL`. Reading any other type reports `NULL` as damage. Columns
/// are counted from 0.
package struct StoredRow {
    private let row: Row

    /// Creates a view of a row of GRDB's.
    package init(_ row: Row) { self.row = row }

    private func number(_ column: Int) -> StoredNumber {
        switch (row[column] as DatabaseValue).storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        default: .other
        }
    }

    private func name(_ column: Int) -> String { Array(row.columnNames)[column] }

    /// The value of a column, as each supported type.
    package subscript(column: Int) -> Int64? { number(column).integer(of: name(column)) }
    package subscript(column: Int) -> Int64 { required(self[column], or: 0, name(column)) }
    package subscript(column: Int) -> Int? { (self[column] as Int64?).map { Int(clamping: $0) } }
    package subscript(column: Int) -> Int { required(self[column], or: 0, name(column)) }
    package subscript(column: Int) -> Int32? {
        number(column).integer(within: StoredNumber.small, of: name(column)).map { Int32(clamping: $0) }
    }
    package subscript(column: Int) -> Int32 { required(self[column], or: 0, name(column)) }
    package subscript(column: Int) -> Bool? { (self[column] as Int64?).map { $0 != 0 } }
    package subscript(column: Int) -> Bool { required(self[column], or: false, name(column)) }
    package subscript(column: Int) -> Double? { number(column).real(of: name(column)) }
    package subscript(column: Int) -> Double { required(self[column], or: 0, name(column)) }
    package subscript(column: Int) -> String? {
        switch (row[column] as DatabaseValue).storage {
        case .null: nil
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        case .blob(let data): String(decoding: data, as: UTF8.self)
        }
    }
    package subscript(column: Int) -> String { required(self[column], or: "", name(column)) }
    package subscript(column: Int) -> Data? {
        switch (row[column] as DatabaseValue).storage {
        case .null: nil
        case .blob(let data): data
        default: (self[column] as String?).map { Data($0.utf8) }
        }
    }
    package subscript(column: Int) -> Data { required(self[column], or: Data(), name(column)) }

    /// Returns a sum of numbers that may be beyond the bounds of one.
    package func sum(_ column: Int) -> Int64 {
        required(number(column).integer(within: .min + 1 ... .max, of: name(column)), or: 0, name(column))
    }
}

extension StoredRow {
    /// The rows of a query, one at a time.
    package struct Rows {
        private let cursor: RowCursor

        fileprivate init(_ cursor: RowCursor) { self.cursor = cursor }

        /// Advances to the next row, and returns it; `nil` at the end.
        package func next() throws -> StoredRow? { try cursor.next().map(StoredRow.init) }
    }

    /// Returns the first row of a query; `nil` if there is none.
    package static func fetchOne(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> StoredRow? {
        try Row.fetchOne(statement, arguments: arguments).map(StoredRow.init)
    }

    /// Returns the first row of a query; `nil` if there is none.
    package static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> StoredRow? {
        try Row.fetchOne(db, sql: sql, arguments: arguments).map(StoredRow.init)
    }

    /// Returns all rows of a query.
    package static func fetchAll(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> [StoredRow] {
        try Row.fetchAll(statement, arguments: arguments).map(StoredRow.init)
    }

    /// Returns all rows of a query.
    package static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [StoredRow] {
        try Row.fetchAll(db, sql: sql, arguments: arguments).map(StoredRow.init)
    }

    /// Returns the rows of a query, of which each is valid until the next one is read.
    package static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(statement, arguments: arguments))
    }

    /// Returns the rows of a query, of which each is valid until the next one is read.
    package static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(db, sql: sql, arguments: arguments))
    }

    /// Returns the integer in the first column of a query's first row; `nil` if it is `NULL` or there is no row.
    package static func integer(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Int64? {
        try fetchOne(statement, arguments: arguments)?[0]
    }
}
