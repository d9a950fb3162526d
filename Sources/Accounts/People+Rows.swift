package import GRDB
package import Service

extension People {
    /// The caller's number in the table `person`; nil where nobody is signed in.
    package static func number(of viewer: Viewer, in db: Database) throws -> Int64? {
        try viewer.person.flatMap { try number(of: $0, in: db) }
    }

    /// The number of the person of an id; nil where there is none.
    package static func number(of id: String, in db: Database) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM person WHERE id = ?"), arguments: [key(id)])
    }

    /// The number of the person of an id.
    ///
    /// - Throws: 1 where there is none.
    package static func getNumber(of id: String, in db: Database) throws -> Int64 {
        guard let number = try number(of: id, in: db) else { throw nobody(id) }
        return number
    }

    /// What lists say of the person of a number in the table `person`, which another row refers to.
    package static func row(of number: Int64, for viewer: Viewer, in db: Database) throws -> PersonRow {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(PersonRow.columns()) FROM person WHERE number = :number"),
            arguments: ["number": number, "me": try self.number(of: viewer, in: db)])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a person is gone") }
        return PersonRow(row)
    }
}
