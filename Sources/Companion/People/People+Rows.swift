package import GRDB
package import Service

extension People {
    /// Returns the caller's number in the table `person`, or `nil` if nobody is signed in.
    package static func number(of viewer: Viewer, in db: Database) throws -> Int64? {
        try viewer.person.flatMap { try number(of: $0, in: db) }
    }

    /// Returns the number of the person with an id, or `nil` if there is none.
    package static func number(of id: String, in db: Database) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM person WHERE id = ?"), arguments: [key(id)])
    }

    /// Returns the number of the person with an id.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is none.
    package static func getNumber(of id: String, in db: Database) throws -> Int64 {
        guard let number = try number(of: id, in: db) else { throw unknownPerson(id) }
        return number
    }

    /// Returns the list row of the person whose number another row refers to.
    ///
    /// - Throws: `DatabaseError` (`SQLITE_CORRUPT`) if there is no such person.
    package static func row(of number: Int64, for viewer: Viewer, in db: Database) throws -> PersonRow {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(PersonRow.columns()) FROM person WHERE number = :number"),
            arguments: ["number": number, "me": try self.number(of: viewer, in: db)])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a person is gone") }
        return PersonRow(row)
    }
}
