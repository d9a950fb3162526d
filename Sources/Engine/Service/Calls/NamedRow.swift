package import Foundation
package import GRDB
import Store

/// A row of a query that looks up columns by name, at nearly the cost of looking them up by position.
///
/// GRDB folds the case of a name and searches for it, for each value of each row. A `NamedRow` shares the positions
/// found for the first row with all rows of the query: the next column read is usually the one that followed in the
/// previous row.
///
/// A row is valid until the next row of its query is read. Reading an optional returns `nil` if the value is NULL or
/// the query has no such column. Reading any other type requires that the query has the column, and reports NULL as
/// damage of the store. Numbers are checked; see ``StoreDamage``, which also says when a damaged row is left out.
package struct NamedRow {
    private let row: Row
    /// The current row of the statement that `row` belongs to; `nil` if `row` is a copy.
    private let current: CurrentRow?
    private let columns: ColumnNames
    private let prefix: StaticString

    fileprivate init(_ row: Row, _ current: CurrentRow?, _ columns: ColumnNames, prefix: StaticString = "") {
        self.row = row
        self.current = current
        self.columns = columns
        self.prefix = prefix
    }

    /// Returns a view of the columns whose names begin with `prefix`, each named by the rest of its name.
    package func under(_ prefix: StaticString) -> NamedRow { NamedRow(row, current, columns, prefix: prefix) }

    /// Reads the value of a column; `nil` if it is NULL or damaged, or if the query has no such column.
    private func value<Value>(
        _ name: StaticString, _ read: (CurrentRow, Int32) -> Value?, _ copied: (StoredRow, Int) -> Value?
    ) -> Value? {
        guard let position = columns.position(of: name, under: prefix, in: row) else { return nil }
        guard let current else { return copied(columns.copy(row), position) }
        return read(current, Int32(clamping: position))
    }

    /// Reads the value of a column that the query must have.
    ///
    /// Returns `nothing`, and reports damage, if it is NULL or damaged.
    private func value<Value>(
        _ name: StaticString, or nothing: Value, _ read: (CurrentRow, Int32) -> Value?,
        _ copied: (StoredRow, Int) -> Value?
    ) -> Value {
        guard let position = columns.position(of: name, under: prefix, in: row) else {
            preconditionFailure("the query has no column \(prefix)\(name)")
        }
        if let current {
            if let value = read(current, Int32(clamping: position)) { return value }
            current.reportEmpty(Int32(clamping: position))
        } else {
            if let value = copied(columns.copy(row), position) { return value }
            columns.copy(row).reportEmpty(position)
        }
        return nothing
    }

    /// Reports that the row as a whole is damaged, and returns the error to throw.
    ///
    /// - Parameter words: The damage, as a clause.
    package func damage(_ words: String) -> DatabaseError {
        current?.report(words)
        return DatabaseError(resultCode: .SQLITE_CORRUPT, message: words)
    }
}

/// Reads a column as each supported type.
///
/// Use an optional for a column that may be NULL.
///
/// These subscripts are not generic because generic code called from another module looks up its types for each
/// value.
extension NamedRow {
    package subscript(name: StaticString) -> Int64? { value(name, { $0.integer($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Int64 { value(name, or: 0, { $0.integer($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Int32? { value(name, { $0.integer32($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Int32 { value(name, or: 0, { $0.integer32($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Int? {
        value(name, { $0.integer($1).map { Int(clamping: $0) } }, { $0[$1] })
    }
    package subscript(name: StaticString) -> Int {
        value(name, or: 0, { $0.integer($1).map { Int(clamping: $0) } }, { $0[$1] })
    }
    package subscript(name: StaticString) -> Double? { value(name, { $0.real($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Double { value(name, or: 0, { $0.real($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Bool? { value(name, { $0.integer($1).map { $0 != 0 } }, { $0[$1] }) }
    package subscript(name: StaticString) -> Bool {
        value(name, or: false, { $0.integer($1).map { $0 != 0 } }, { $0[$1] })
    }
    package subscript(name: StaticString) -> String? {
        value(name, { $0.isNull($1) ? nil : $0.text($1) }, { $0[$1] })
    }
    package subscript(name: StaticString) -> String {
        value(name, or: "", { $0.isNull($1) ? nil : $0.text($1) }, { $0[$1] })
    }
    package subscript(name: StaticString) -> Data? { value(name, { $0.isNull($1) ? nil : $0.data($1) }, { $0[$1] }) }
    package subscript(name: StaticString) -> Data {
        value(name, or: Data(), { $0.isNull($1) ? nil : $0.data($1) }, { $0[$1] })
    }
}

extension NamedRow {
    /// An iterator over the rows of a query.
    ///
    /// Only one row is valid at a time.
    package struct Rows {
        private let cursor: RowCursor
        private let current: CurrentRow
        private let columns: ColumnNames
        /// Leaves out damaged rows; `nil` if there may be none.
        private let filter: DamageFilter?

        fileprivate init(_ cursor: RowCursor, of statement: Statement, isList: Bool = false) {
            self.cursor = cursor
            current = CurrentRow(of: statement, isListed: isList)
            columns = ColumnNames(of: statement)
            filter = isList ? DamageFilter(of: statement) : nil
        }

        /// Advances to the next row, and returns it; `nil` at the end.
        package func next() throws -> NamedRow? {
            while let row = try cursor.next() {
                if let filter, !filter.admits() { continue }
                columns.start()
                return NamedRow(row, current, columns)
            }
            return nil
        }
    }

    /// Returns an iterator over the rows of a query.
    package static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(statement, arguments: arguments), of: statement)
    }

    /// Returns an iterator over the entries of a list, without damaged ones.
    ///
    /// The whole read may run several times; see ``StoreDamage``. Pass a limit through ``StoreDamage/widened(_:)``.
    package static func soundRows(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(statement, arguments: arguments), of: statement, isList: true)
    }

    /// Returns the results of `body` for each entry of a list, in their order, without damaged ones; see
    /// ``soundRows(_:arguments:)``.
    ///
    /// - Parameter body: It must not run a query with the same statement.
    package static func soundList<Value>(
        _ statement: Statement, arguments: StatementArguments, _ body: (NamedRow) throws -> Value
    ) throws -> [Value] {
        try values(of: soundRows(statement, arguments: arguments), body)
    }

    private static func values<Value>(of rows: Rows, _ body: (NamedRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        while let row = try rows.next() { values.append(try body(row)) }
        return values
    }

    /// Returns the results of `body` for each row of a query, in their order.
    ///
    /// - Parameter body: It must not run a query with the same statement.
    package static func list<Value>(
        _ statement: Statement, arguments: StatementArguments, _ body: (NamedRow) throws -> Value
    ) throws -> [Value] {
        try values(of: fetchCursor(statement, arguments: arguments), body)
    }

    /// Returns the first row of a query, copied; `nil` if there is none.
    package static func fetchOne(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> NamedRow? {
        try Row.fetchOne(statement, arguments: arguments).map { NamedRow($0, nil, ColumnNames(of: statement)) }
    }
}

/// The positions of a query's columns, shared by its rows.
private final class ColumnNames {
    private let statement: Statement
    // A single value, so that reading a column takes one exclusive access.
    private var order = ColumnOrder()

    init(of statement: Statement) { self.statement = statement }

    /// Returns a view of a copied row of the query.
    func copy(_ row: Row) -> StoredRow { StoredRow(row, of: statement) }

    /// Prepares for the next row.
    func start() { order.next = 0 }

    /// Returns the position of a column; `nil` if the query has no column of that name.
    func position(of name: StaticString, under prefix: StaticString, in row: Row) -> Int? {
        order.position(of: name, under: prefix, in: row)
    }
}

/// The columns of a query, in the order in which they were first read.
private struct ColumnOrder {
    private struct Column {
        let prefix: StaticString
        let name: StaticString
        /// The position; `nil` if the query has no such column.
        let position: Int?
    }

    private var columns: [Column] = []
    /// All column names of the query; empty until the first lookup.
    private var names: [String] = []
    /// The index in `columns` of the entry that follows the last one read.
    var next = 0

    /// Returns the position of a column; `nil` if the query has no column of that name.
    ///
    /// - Complexity: O(1) if columns are read in the same order as in the previous row, else linear in the number of
    ///   columns.
    mutating func position(of name: StaticString, under prefix: StaticString, in row: Row) -> Int? {
        for _ in 0..<columns.count {
            if next >= columns.count { next = 0 }
            let column = columns[next]
            next += 1
            if column.name.isSame(as: name), column.prefix.isSame(as: prefix) { return column.position }
        }
        if names.isEmpty { names = Array(row.columnNames) }
        let position = names.firstIndex(of: "\(prefix)\(name)")
        columns.append(Column(prefix: prefix, name: name, position: position))
        next = columns.count
        return position
    }
}

extension StaticString {
    /// Returns whether both are the same literal.
    ///
    /// Two literals with the same text may compare as different.
    fileprivate func isSame(as other: StaticString) -> Bool {
        guard hasPointerRepresentation, other.hasPointerRepresentation else { return false }
        // The addresses are compared and never read from.
        return unsafe utf8Start == other.utf8Start && utf8CodeUnitCount == other.utf8CodeUnitCount
    }
}
