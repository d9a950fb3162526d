package import Foundation
package import GRDB

/// A row of a query, whose columns are read by name at nearly the cost of reading them by position.
///
/// GRDB folds the case of a name and looks it up for each value of each row. Here the rows of a query share what was found
/// for the first: most often the next name to be read stands where it stood in the row before.
///
/// A row is valid until the next of its query is read. As with GRDB's rows, an optional is nil where the query has no such
/// column, and any other value that is missing or of another kind stops the process: the queries and the tables are ours,
/// and the tables are `STRICT`.
package struct NamedRow {
    private let row: Row
    private let columns: ColumnNames
    private let prefix: StaticString

    fileprivate init(_ row: Row, _ columns: ColumnNames, prefix: StaticString = "") {
        self.row = row
        self.columns = columns
        self.prefix = prefix
    }

    /// The columns whose names begin with `prefix`, each by the rest of its name.
    package func under(_ prefix: StaticString) -> NamedRow { NamedRow(row, columns, prefix: prefix) }

    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ name: StaticString) -> Value {
        guard let position = columns.position(of: name, under: prefix, in: row) else { return row["\(name)"] }
        return row[position]
    }
}

/// The value of a column, of each type that columns are read as; one that may be NULL is asked for as an optional.
///
/// None is generic: what is generic for callers in other rooms looks up its types for each value. Each type has its
/// optional here: without it the compiler would take the plain one, which ends the process at NULL.
extension NamedRow {
    package subscript(name: StaticString) -> Int64 { value(name) }
    package subscript(name: StaticString) -> Int64? { value(name) }
    package subscript(name: StaticString) -> Int32 { value(name) }
    package subscript(name: StaticString) -> Int32? { value(name) }
    package subscript(name: StaticString) -> Int { value(name) }
    package subscript(name: StaticString) -> Int? { value(name) }
    package subscript(name: StaticString) -> Double { value(name) }
    package subscript(name: StaticString) -> Double? { value(name) }
    package subscript(name: StaticString) -> Bool { value(name) }
    package subscript(name: StaticString) -> Bool? { value(name) }
    package subscript(name: StaticString) -> String { value(name) }
    package subscript(name: StaticString) -> String? { value(name) }
    package subscript(name: StaticString) -> Data { value(name) }
    package subscript(name: StaticString) -> Data? { value(name) }
}

extension NamedRow {
    /// The rows of a query, one after another; only one is valid at a time.
    package struct Rows {
        private let cursor: RowCursor
        private let columns = ColumnNames()

        fileprivate init(_ cursor: RowCursor) { self.cursor = cursor }

        /// The next row; nil at the end.
        package func next() throws -> NamedRow? {
            guard let row = try cursor.next() else { return nil }
            columns.start()
            return NamedRow(row, columns)
        }
    }

    /// The rows of a query, one after another.
    package static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments = StatementArguments()
    ) throws -> Rows {
        Rows(try Row.fetchCursor(statement, arguments: arguments))
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
        try Row.fetchOne(statement, arguments: arguments).map { NamedRow($0, ColumnNames()) }
    }
}

/// Where the columns of a query stand, in the order in which they were first read.
private final class ColumnNames {
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
    private var next = 0

    /// Begins a row.
    func start() { next = 0 }

    /// The position of a column; nil where the query has none of that name.
    ///
    /// - Complexity: O(1) where it is read in the same order as in the row before, else linear in the number of columns.
    func position(of name: StaticString, under prefix: StaticString, in row: Row) -> Int? {
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
