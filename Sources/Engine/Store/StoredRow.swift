package import Foundation
package import GRDB
import Geodesy

/// A row of a query, copied or current, whose columns are read by position; see ``StoreDamage``.
///
/// Reading an optional returns `nil` if the value is `NULL`. Reading any other type reports `NULL` as damage. Columns
/// are counted from 0.
package struct StoredRow: CheckedColumns {
    private let source: Source

    private enum Source {
        /// A copied row of GRDB's, and the statement that it came from.
        case copy(Row, of: Statement)
        /// The current row of a statement, from which values are read without GRDB's types.
        ///
        /// The statement is kept alive if whoever reads the row may not do so.
        case current(CurrentRow, of: Statement?)
    }

    /// Creates a view of a copied row of GRDB's, which came from `statement`.
    package init(_ row: Row, of statement: Statement) { source = .copy(row, of: statement) }

    /// Creates a view of the current row of a statement that a caller keeps alive for as long as it uses the row.
    private init(_ current: CurrentRow, of statement: Statement? = nil) { source = .current(current, of: statement) }

    func number(_ column: Int32) -> StoredNumber {
        switch source {
        case .current(let current, _): current.number(column)
        case .copy(let row, _):
            switch (row[Int(column)] as DatabaseValue).storage {
            case .null: .null
            case .int64(let number): .integer(number)
            case .double(let number): .real(number)
            default: .other
            }
        }
    }

    func report(_ column: Int32, _ words: String) {
        switch source {
        case .current(let current, _): current.report(column, words)
        case .copy(_, let statement):
            // The copy outlives the statement's current row, but has the same columns.
            let current = CurrentRow(of: statement)
            let key = current.numberColumn(beside: column).map { number($0).words }
            StoreDamage.report(current.damage(of: column, words, inRow: key), leavingOut: nil)
        }
    }

    /// Reports that a column is `NULL` that never is.
    package func reportEmpty(_ column: Int) { report(Int32(clamping: column), "is empty") }

    /// Reports that a column is `NULL` that never is, and returns `nothing`.
    private func required<Value>(_ value: Value?, or nothing: Value, _ column: Int) -> Value {
        if let value { return value }
        reportEmpty(column)
        return nothing
    }

    /// The value of a column, as each supported type.
    package subscript(column: Int) -> Int64? { integer(Int32(clamping: column), within: StoreDamage.integers) }
    package subscript(column: Int) -> Int64 { required(self[column], or: 0, column) }
    package subscript(column: Int) -> Int? { (self[column] as Int64?).map { Int(clamping: $0) } }
    package subscript(column: Int) -> Int { required(self[column], or: 0, column) }
    package subscript(column: Int) -> Int32? {
        integer(Int32(clamping: column), within: StoredNumber.small).map { Int32(clamping: $0) }
    }
    package subscript(column: Int) -> Int32 { required(self[column], or: 0, column) }
    package subscript(column: Int) -> Bool? { (self[column] as Int64?).map { $0 != 0 } }
    package subscript(column: Int) -> Bool { required(self[column], or: false, column) }
    package subscript(column: Int) -> Double? { checkedReal(Int32(clamping: column)) }
    package subscript(column: Int) -> Double { required(self[column], or: 0, column) }
    package subscript(column: Int) -> String? {
        switch source {
        case .current(let current, _):
            let column = Int32(clamping: column)
            return current.isNull(column) ? nil : current.text(column)
        case .copy(let row, _):
            return switch (row[column] as DatabaseValue).storage {
            case .null: nil
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            case .string(let text): text
            case .blob(let data): String(decoding: data, as: UTF8.self)
            }
        }
    }
    package subscript(column: Int) -> String { required(self[column], or: "", column) }
    package subscript(column: Int) -> Data? {
        switch source {
        case .current(let current, _):
            let column = Int32(clamping: column)
            return current.isNull(column) ? nil : current.data(column)
        case .copy(let row, _):
            return switch (row[column] as DatabaseValue).storage {
            case .null: nil
            case .blob(let data): data
            default: (self[column] as String?).map { Data($0.utf8) }
            }
        }
    }
    package subscript(column: Int) -> Data { required(self[column], or: Data(), column) }

    /// Returns the place in two columns; one that is not on earth is reported.
    func place(latitude: Int, longitude: Int) -> Coordinate {
        if let place = Coordinate(latitudeE7: self[latitude], longitudeE7: self[longitude]) { return place }
        report(Int32(clamping: latitude), "is no place on earth")
        return .origin
    }

    /// Returns a sum of numbers that may be beyond the bounds of one.
    package func sum(_ column: Int) -> Int64 {
        required(integer(Int32(clamping: column), within: StoredNumber.sums), or: 0, column)
    }
}

extension StoredRow {
    /// The rows of a query, one at a time.
    package struct Rows {
        private let cursor: RowCursor
        private let statement: Statement

        fileprivate init(_ cursor: RowCursor, of statement: Statement) {
            self.cursor = cursor
            self.statement = statement
        }

        /// Advances to the next row, and returns it; `nil` at the end.
        package func next() throws -> StoredRow? {
            try cursor.next().map { _ in StoredRow(CurrentRow(of: statement), of: statement) }
        }
    }

    /// Returns the first row of a query; `nil` if there is none.
    package static func fetchOne(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> StoredRow? {
        try Row.fetchOne(statement, arguments: arguments).map { StoredRow($0, of: statement) }
    }

    /// Returns the first row of a query; `nil` if there is none.
    ///
    /// The connection keeps the compiled query, so its text must be one of a few.
    package static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> StoredRow? {
        try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    /// Returns all rows of a query.
    package static func fetchAll(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> [StoredRow] {
        try Row.fetchAll(statement, arguments: arguments).map { StoredRow($0, of: statement) }
    }

    /// Returns all rows of a query.
    ///
    /// The connection keeps the compiled query, so its text must be one of a few.
    package static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [StoredRow] {
        try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }

    /// Returns the results of `body` for each entry of a list, in their order, without damaged ones.
    ///
    /// The whole read may run several times; see ``StoreDamage``. Pass a limit through ``StoreDamage/widened(_:)``.
    ///
    /// The connection keeps the compiled query, so its text must be one of a few.
    ///
    /// - Parameter body: It must not keep the row, nor run the same query.
    package static func soundList<Value>(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        _ body: (StoredRow) throws -> Value
    ) throws -> [Value] {
        let rows = try DirectStatement(sql, arguments: arguments, isList: true, in: db)
        var values: [Value] = []
        while try rows.step() { values.append(try body(StoredRow(rows.row))) }
        return values
    }

    /// Returns the result of `body` for the first row of a query; `nil` if there is none.
    ///
    /// It takes a fraction of the time of ``fetchOne(_:sql:arguments:)``, which copies the row. The connection keeps
    /// the compiled query, so its text must be one of a few.
    ///
    /// - Parameter body: It must not keep the row, nor run the same query.
    package static func first<Value>(
        _ db: Database, sql: String, arguments: StatementArguments? = nil, _ body: (StoredRow) throws -> Value
    ) throws -> Value? {
        let rows = try DirectStatement(sql, arguments: arguments, in: db)
        guard try rows.step() else { return nil }
        return try withExtendedLifetime(rows) { try body(StoredRow($0.row)) }
    }

    /// Returns the rows of a query, of which each is valid until the next one is read.
    package static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(statement, arguments: arguments), of: statement)
    }

    /// Returns the rows of a query, of which each is valid until the next one is read.
    package static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments)
    }

    /// Returns the integer in the first column of a query's first row; `nil` if it is `NULL` or there is no row.
    package static func integer(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Int64? {
        try fetchOne(statement, arguments: arguments)?[0]
    }
}

/// Tells the damaged rows of a list, which are left out, from the others.
package struct DamageFilter {
    private let current: CurrentRow
    private let leftOut: Set<RowContent>

    /// Creates the filter of a list, whose statement the caller must keep alive for as long as it uses the filter.
    package init(of statement: Statement) {
        current = CurrentRow(of: statement)
        leftOut = StoreDamage.note?.rows ?? []
    }

    /// Returns whether the statement's current row belongs to the list.
    package func admits() -> Bool { leftOut.isEmpty || !leftOut.contains(current.content) }
}
