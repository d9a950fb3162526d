import GRDB
import RPC
import TextCoding

/// What a list says of a person.
struct PersonBrief: Hashable, Sendable {
    /// The username.
    var id: String
    /// First and last name.
    var name: String
    /// Whether who asks follows them; nil where nobody asks, or they themselves.
    var isFollowed: Bool?

    /// The person of a number in the table `person`, as a viewer of that number sees them.
    static func get(_ number: Int64, for viewer: Int64?, in db: Database) throws -> PersonBrief {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, first_name, last_name, EXISTS (SELECT 1 FROM follow WHERE person = ? AND other = number)
                FROM person WHERE number = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [viewer, number]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a person is gone")
        }
        let (first, last): (String, String) = (row[1], row[2])
        return PersonBrief(
            id: row[0], name: last.isEmpty ? first : "\(first) \(last)",
            isFollowed: viewer == nil || viewer == number ? nil : row[3])
    }

    /// Writes it as a member.
    func write(_ key: String, to json: inout JSONWriter) {
        json.object(key) { writeMembers(to: &$0) }
    }

    /// Writes its members.
    func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("name", name)
        json.member("followed", isFollowed)
    }

    static let schema = Schema.object([
        .required("id", .string, "The username."),
        .required("name", .string, "First and last name."),
        .optional(
            "followed", .boolean, "Whether one follows them; left out for oneself, and where nobody is signed in."),
    ])
}

extension People {
    /// The number of who asks in the table `person`; nil for nobody.
    static func number(of viewer: Viewer, in db: Database) throws -> Int64? {
        try viewer.person.flatMap { try find($0, in: db) }?.number
    }
}
