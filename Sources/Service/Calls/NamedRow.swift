package import Foundation
package import GRDB
import Store

/// A row of a query, whose columns are read by name at nearly the cost of reading them by position.
///
/// GRDB folds the case of a name and looks it up for each value of each row. Here the rows of a query share what was found
/// for the first: most often the next name to be read stands where it stood in the row before.
///
/// A row is valid until the next of its query is read. An optional is nil where the value is NULL or the query has no such
/// column. Any other value must be of a column of the query, which is ours; NULL is then 0 or an empty text.
package struct NamedRow {
    private let row: Row
    /// Where the statement stands, which `row` holds; nil of a row that was copied.
    private let current: CurrentRow?
    private let columns: ColumnNames
    private let prefix: StaticString

    fileprivate init(_ row: Row, _ current: CurrentRow?, _ columns: ColumnNames, prefix: StaticString = "") {
        self.row = row
        self.current = current
        self.columns = columns
        self.prefix = prefix
    }

    /// The columns whose names begin with `prefix`, each by the rest of its name.
    package func under(_ prefix: StaticString) -> NamedRow { NamedRow(row, current, columns, prefix: prefix) }

    /// What is read at the position of a column; nil where it is NULL or not there.
    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ name: StaticString, _ read: (CurrentRow, Int32) -> Value
    ) -> Value? {
        guard let position = columns.position(of: name, under: prefix, in: row) else { return nil }
        guard let current else { return row[position] }
        let column = Int32(clamping: position)
        return current.isNull(column) ? nil : read(current, column)
    }

    /// What is read at the position of a column, which the query must have; `nothing` where it is NULL.
    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ name: StaticString, or nothing: Value, _ read: (CurrentRow, Int32) -> Value
    ) -> Value {
        guard let position = columns.position(of: name, under: prefix, in: row) else {
            preconditionFailure("the query has no column \(prefix)\(name)")
        }
        guard let current else { return row[position] ?? nothing }
        return read(current, Int32(clamping: position))
    }
}

/// The value of a column, of each type that columns are read as; one that may be NULL is asked for as an optional.
///
/// None is generic: what is generic for callers in other rooms looks up its types for each value.
extension NamedRow {
    package subscript(name: StaticString) -> Int64? { value(name) { $0.integer($1) } }
    package subscript(name: StaticString) -> Int64 { value(name, or: 0) { $0.integer($1) } }
    package subscript(name: StaticString) -> Int32? { value(name) { Int32(clamping: $0.integer($1)) } }
    package subscript(name: StaticString) -> Int32 { value(name, or: 0) { Int32(clamping: $0.integer($1)) } }
    package subscript(name: StaticString) -> Int? { value(name) { Int(clamping: $0.integer($1)) } }
    package subscript(name: StaticString) -> Int { value(name, or: 0) { Int(clamping: $0.integer($1)) } }
    package subscript(name: StaticString) -> Double? { value(name) { $0.real($1) } }
    package subscript(name: StaticString) -> Double { value(name, or: 0) { $0.real($1) } }
    package subscript(name: StaticString) -> Bool? { value(name) { $0.integer($1) != 0 } }
    package subscript(name: StaticString) -> Bool { value(name, or: false) { $0.integer($1) != 0 } }
    package subscript(name: StaticString) -> String? { value(name) { $0.text($1) } }
    package subscript(name: StaticString) -> String { value(name, or: "") { $0.text($1) } }
    package subscript(name: StaticString) -> Data? { value(name) { $0.data($1) } }
    package subscript(name: StaticString) -> Data { value(name, or: Data()) { $0.data($1) } }
}

extension NamedRow {
    /// The rows of a query, one after another; only one is valid at a time.
    package struct Rows {
        private let cursor: RowCursor
        private let current: CurrentRow
        private let columns = ColumnNames()

        fileprivate init(_ cursor: RowCursor, of statement: Statement) {
            self.cursor = cursor
            current = CurrentRow(of: statement)
        }

        /// The next row; nil at the end.
        package func next() throws -> NamedRow? {
            guard let row = try cursor.next() else { return nil }
            columns.start()
            return NamedRow(row, current, columns)
        }
    }

    /// The rows of a query, one after another.
    package static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(statement, arguments: arguments), of: statement)
    }

    /// What `body` makes of each row of a query, in their order.
    ///
    /// - Parameter body: runs no query of the same statement.
    package static func list<Value>(
        _ statement: Statement, arguments: StatementArguments, _ body: (NamedRow) throws -> Value
    ) throws -> [Value] {
        let rows = try fetchCursor(statement, arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try body(row)) }
        return values
    }

    /// The first row of a query; nil where it has none.
    package static func fetchOne(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> NamedRow? {
        try Row.fetchOne(statement, arguments: arguments).map { NamedRow($0, nil, ColumnNames()) }
    }
}

/// Where the columns of a query stand, shared by its rows.
private final class ColumnNames {
    // One value, so that each column read is one access of it.
    private var order = ColumnOrder()

    /// Begins a row.
    func start() { order.next = 0 }

    /// The position of a column; nil where the query has none of that name.
    func position(of name: StaticString, under prefix: StaticString, in row: Row) -> Int? {
        order.position(of: name, under: prefix, in: row)
    }
}

/// The columns of a query in the order in which they were first read.
private struct ColumnOrder {
    private struct Column {
        let prefix: StaticString
        let name: StaticString
        /// Nil where the query has no such column.
        let position: Int?
    }

    private var columns: [Column] = []
    /// All names of the query; empty until the first is looked for.
    private var names: [String] = []
    /// The column after the one that was read last.
    var next = 0

    /// The position of a column; nil where the query has none of that name.
    ///
    /// - Complexity: O(1) where it is read in the same order as in the row before, else linear in the number of columns.
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
    /// Whether it is the same literal; another with the same text may count as another.
    fileprivate func isSame(as other: StaticString) -> Bool {
        guard hasPointerRepresentation, other.hasPointerRepresentation else { return false }
        // The addresses are compared and never read from.
        return unsafe utf8Start == other.utf8Start && utf8CodeUnitCount == other.utf8CodeUnitCount
    }
}
