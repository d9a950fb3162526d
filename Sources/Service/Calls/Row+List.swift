package import GRDB

extension Row {
    /// What `body` makes of each row of a query, in their order.
    ///
    /// A row is read where SQLite holds it: of one that was copied, as `fetchAll` gives them, GRDB searches the names of
    /// all columns for each value.
    ///
    /// - Parameter body: runs no query of the same statement.
    package static func list<Value>(
        _ statement: Statement, arguments: StatementArguments, _ body: (Row) throws -> Value
    ) throws -> [Value] {
        let rows = try fetchCursor(statement, arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try body(row)) }
        return values
    }
}
