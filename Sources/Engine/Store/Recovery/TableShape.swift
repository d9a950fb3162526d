import GRDB

/// The properties of a table that matter for copying it.
struct TableShape {
    let name: String
    /// All columns that are stored; generated columns are left out.
    let columns: [String]
    /// The columns of the primary key of a `WITHOUT ROWID` table; `rowid` for any other.
    let key: [KeyColumn]
    /// Whether rows are identified by a `rowid`, which is not one of `columns`.
    let hasRowNumbers: Bool

    struct KeyColumn {
        let name: String
        let isInteger: Bool

        var quoted: String { name.quotedDatabaseIdentifier }
    }

    var quoted: String { name.quotedDatabaseIdentifier }

    /// Returns the tables of a schema by name, without the internal tables of SQLite, GRDB and search indexes.
    static func all(in db: Database) throws -> [TableShape] {
        let tables = try Row.fetchAll(
            db,
            sql: """
                SELECT name, wr FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
                ORDER BY name
                """)
        return try tables.map { table in
            let name: String = table[0]
            let columns = try String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", arguments: [name])
            let key = try Row.fetchAll(
                db, sql: "SELECT name, type = 'INTEGER' FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk",
                arguments: [name])
            let hasRowNumbers: Bool = table[1] == false
            return TableShape(
                name: name, columns: columns,
                key: hasRowNumbers
                    ? [KeyColumn(name: "rowid", isInteger: true)]
                    : key.map { KeyColumn(name: $0[0], isInteger: $0[1]) },
                hasRowNumbers: hasRowNumbers)
        }
    }

    /// A foreign key of a table.
    struct Reference {
        let table: TableShape
        let parent: String
        let pairs: [(from: String, to: String)]
        /// Whether a column of the key may be `NULL`.
        let isOptional: Bool

        static func all(of table: TableShape, in db: Database) throws -> [Reference] {
            let optional = Set(
                try String.fetchAll(
                    db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE \"notnull\" = 0 AND pk = 0",
                    arguments: [table.name]))
            let rows = try Row.fetchAll(
                db, sql: "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?) ORDER BY id, seq",
                arguments: [table.name])
            return try Dictionary(grouping: rows) { $0[0] as Int }.sorted { $0.key < $1.key }.map { _, rows in
                let parent: String = rows[0][1]
                let primary = try db.primaryKey(parent).columns
                let pairs = rows.enumerated().map { index, row in
                    (from: row[2] as String, to: row[3] as String? ?? primary[index])
                }
                return Reference(
                    table: table, parent: parent, pairs: pairs,
                    isOptional: pairs.contains { optional.contains($0.from) })
            }
        }

        /// Sets references to missing rows to `NULL`, and returns how many.
        ///
        /// A row for which the schema forbids `NULL` stays as it is.
        func forget(in db: Database) throws -> Int {
            let nothing = pairs.map { "\($0.from.quotedDatabaseIdentifier) = NULL" }.joined(separator: ", ")
            try db.execute(sql: "UPDATE OR IGNORE \(table.quoted) SET \(nothing) WHERE \(isDangling)")
            return db.changesCount
        }

        /// Deletes the rows that refer to missing rows, and returns how many.
        func removeRows(in db: Database) throws -> Int {
            try db.execute(sql: "DELETE FROM \(table.quoted) WHERE \(isDangling)")
            return db.changesCount
        }

        private var isDangling: String {
            let own = pairs.map { "\(table.quoted).\($0.from.quotedDatabaseIdentifier)" }
            let isSet = own.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            let matches = zip(pairs, own).map { "parent.\($0.to.quotedDatabaseIdentifier) = \($1)" }
                .joined(separator: " AND ")
            return """
                \(isSet) AND NOT EXISTS (
                    SELECT 1 FROM \(parent.quotedDatabaseIdentifier) AS parent WHERE \(matches))
                """
        }
    }
}
