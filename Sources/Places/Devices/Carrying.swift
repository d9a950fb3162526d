package import Accounts
package import GRDB
import RPC
package import Service
import Store

/// Which people devices carry, within a transaction of its caller; so "here" is theirs.
///
/// Whom a device carries is shown to them alone, and to administrators: to others it would tell where
/// someone is.
package enum Carrying {
    /// The most people that one device carries: a coach.
    package static let most = People.mostCarried

    /// Those whom a device carries, by id, as far as someone may see them; nil where they may see none.
    package static func people(on device: String, for viewer: Viewer, in db: Database) throws -> [String]? {
        let people = try People.carried(by: device, in: db)
        return viewer.isAdmin || viewer.person.map(people.contains) ?? false ? people : nil
    }

    /// Those whom devices carry, by id, as far as someone may see them: of a device where they may see none, nothing.
    package static func people(for viewer: Viewer, in db: Database) throws -> [String: [String]] {
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT device, person.id AS person FROM carried JOIN person ON person.number = carried.person
                    WHERE :decides OR device IN (
                        SELECT device FROM carried WHERE person = (SELECT number FROM person WHERE id = :me))
                    ORDER BY device, person.id
                    """), arguments: ["decides": viewer.isAdmin, "me": viewer.person])
        var people: [String: [String]] = [:]
        while let row = try rows.next() { people[row["device"], default: []].append(row["person"]) }
        return people
    }

    /// Has a device carry these people, and nobody else.
    ///
    /// - Throws: 4 naming `people` where one of them is nobody.
    package static func set(_ people: [String], on device: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM carried WHERE device = ?").execute(arguments: [device])
        for id in people {
            guard let person = try People.find(id, in: db) else {
                throw Refusal.invalid("people", "must be ids of people; there is nobody called \(id)")
            }
            try add(person, to: device, in: db)
        }
    }

    /// Has a device carry a person, too.
    package static func add(_ person: Person, to device: String, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO carried (device, person) VALUES (?, ?)")
            .execute(arguments: [device, person.number])
    }

    /// Has a device carry a person no more.
    package static func remove(_ person: Person, from device: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM carried WHERE device = ? AND person = ?")
            .execute(arguments: [device, person.number])
    }

    /// How many people a device carries.
    package static func count(on device: String, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM carried WHERE device = ?"), arguments: [device]) ?? 0
    }
}
