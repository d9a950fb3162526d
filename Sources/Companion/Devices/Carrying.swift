import GRDB
import RPC
import Store

/// Which people devices carry, within a transaction of its caller; so "here" is theirs.
///
/// Whom a device carries is shown to them alone, and to who looks after the machine: to others it would tell where
/// someone is.
enum Carrying {
    /// The most people that one device carries: a coach.
    static let most = 100

    /// The devices that carry a person, by name.
    static func devices(of person: String, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT device FROM carried JOIN person ON number = person WHERE id = ? ORDER BY device
                    """),
            arguments: [person])
    }

    /// Those whom a device carries, by id, as far as someone may see them; nil where they may see none.
    static func people(on device: String, for viewer: Viewer, in db: Database) throws -> [String]? {
        let people = try People.carried(by: device, in: db)
        return viewer.isAdmin || viewer.person.map(people.contains) ?? false ? people : nil
    }

    /// Has a device carry these people, and nobody else.
    ///
    /// - Throws: 4 naming `people` where one of them is nobody.
    static func set(_ people: [String], on device: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM carried WHERE device = ?").execute(arguments: [device])
        for id in people {
            guard let person = try People.find(id, in: db) else {
                throw RPCError.invalid("people", "must be ids of people; there is nobody called \(id)")
            }
            try add(person, to: device, in: db)
        }
    }

    /// Has a device carry a person, too.
    static func add(_ person: Person, to device: String, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO carried (device, person) VALUES (?, ?)")
            .execute(arguments: [device, person.number])
    }

    /// Has a device carry a person no more.
    static func remove(_ person: Person, from device: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM carried WHERE device = ? AND person = ?")
            .execute(arguments: [device, person.number])
    }

    /// How many people a device carries.
    static func count(on device: String, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM carried WHERE device = ?"), arguments: [device]) ?? 0
    }
}
