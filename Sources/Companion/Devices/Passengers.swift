package import GRDB
package import People
import RPC
package import Service
import Store

/// The people that each device carries.
///
/// All functions run in the caller's transaction.
///
/// A person's position is that of the device that carries them. Only administrators and the people on a device may see
/// who is on it, because this reveals where a person is.
package enum Passengers {
    /// The largest number of people that one device carries: as many as a coach seats.
    package static let maximumCount = People.maximumPassengers

    /// Returns the ids of the people on a device; `nil` if the viewer may not see them.
    package static func people(on device: String, for viewer: Viewer, in db: Database) throws -> [String]? {
        let people = try People.passengers(of: device, in: db)
        return viewer.isAdmin || viewer.person.map(people.contains) ?? false ? people : nil
    }

    /// Returns the ids of the people on each device.
    ///
    /// Devices whose people the viewer may not see are omitted.
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

    /// Replaces the people on a device.
    ///
    /// - Throws: `Refusal.invalid` naming `people` if an id belongs to nobody; `Refusal.conflict` if there are more than
    ///   ``maximumCount``.
    package static func set(_ people: [String], on device: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM carried WHERE device = ?").execute(arguments: [device])
        for id in people {
            guard let person = try People.find(id, in: db) else {
                throw Refusal.invalid("people", "must be ids of people; no person has the id \(id)")
            }
            try People.addPassenger(person.number, device, in: db)
        }
    }

    /// Removes a person from the people on a device.
    package static func remove(_ person: Person, from device: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM carried WHERE device = ? AND person = ?")
            .execute(arguments: [device, person.number])
    }
}
