package import GRDB
package import Service

extension People {
    /// The caller's number in the table `person`; nil where nobody is signed in.
    package static func number(of viewer: Viewer, in db: Database) throws -> Int64? {
        try viewer.person.flatMap { try find($0, in: db) }?.number
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
