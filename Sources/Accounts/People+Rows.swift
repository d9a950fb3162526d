package import GRDB
package import Service

extension People {
    /// The number of who asks in the table `person`; nil for nobody.
    package static func number(of viewer: Viewer, in db: Database) throws -> Int64? {
        try viewer.person.flatMap { try find($0, in: db) }?.number
    }

    /// What lists say of the person of a number in the table `person`, which another row refers to.
    package static func row(of number: Int64, for viewer: Viewer, in db: Database) throws -> PersonRow {
        guard let person = try find(number: number, in: db) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a person is gone")
        }
        return try person.rowMembers(for: viewer, in: db)
    }
}
