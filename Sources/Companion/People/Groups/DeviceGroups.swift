import Callers
package import GRDB
import RPC
package import Service
import Store

/// The groups of devices, the people in them, and who drove which trip.
///
/// All functions run in the caller's transaction. ``DeviceAccess`` says what follows from them.
package enum DeviceGroups {
    static let migration = StoreMigration(
        at: 58, name: "companion.groups.1",
        sql: """
            -- Groups of devices. As soon as there is one, people see only the devices that carry them and those of the
            -- groups that they are in.
            CREATE TABLE device_group (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE CHECK (id <> ''),
                title TEXT NOT NULL CHECK (title <> '')
            ) STRICT;
            CREATE TABLE grouped_device (
                device_group INTEGER NOT NULL REFERENCES device_group (number) ON DELETE CASCADE,
                device TEXT NOT NULL,
                PRIMARY KEY (device_group, device)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE group_member (
                device_group INTEGER NOT NULL REFERENCES device_group (number) ON DELETE CASCADE,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                PRIMARY KEY (device_group, person)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX group_member_by_person ON group_member (person);
            -- The person who drove a trip, and sees it for that reason.
            CREATE TABLE trip_driver (
                trip INTEGER PRIMARY KEY REFERENCES trip (number) ON DELETE CASCADE,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE
            ) STRICT;
            CREATE INDEX trip_driver_by_person ON trip_driver (person);
            """)

    /// A group.
    package struct Group: Hashable, Sendable {
        package var number: Int64
        package var id: String
        package var title: String
        /// The names of its devices, sorted.
        package var devices: [String]
        /// The ids of its people, sorted.
        package var people: [String]
    }

    /// The most groups.
    package static let maximumCount = 1000
    /// The most devices of a group, and the most people.
    package static let maximumMembers = 1000

    /// Whether there is a group, so that people see only some of the devices.
    package static func exist(in db: Database) throws -> Bool {
        try StoredRow.first(db, sql: "SELECT EXISTS (SELECT 1 FROM device_group)") { $0[0] } ?? false
    }

    /// Returns the groups that a viewer may see, by title: all for administrators, their own for a person.
    package static func list(for viewer: Viewer, in db: Database) throws -> [Group] {
        let rows = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT device_group.number AS number, device_group.id AS id, device_group.title AS title
                    FROM device_group
                    WHERE :decides OR device_group.number IN (
                        SELECT group_member.device_group FROM group_member
                        WHERE group_member.person = (SELECT person.number FROM person WHERE person.id = :me))
                    ORDER BY device_group.title, device_group.number
                    """), arguments: ["decides": viewer.isAdmin, "me": viewer.person]
        ) { row in Group(number: row["number"], id: row["id"], title: row["title"], devices: [], people: []) }
        return try rows.map { try filled($0, in: db) }
    }

    /// Returns the group with an id; `nil` if there is none.
    package static func find(_ id: String, in db: Database) throws -> Group? {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT number, id, title FROM device_group WHERE id = ?"), arguments: [id])
        return try row.map { row in
            try filled(
                Group(number: row["number"], id: row["id"], title: row["title"], devices: [], people: []), in: db)
        }
    }

    private static func filled(_ group: Group, in db: Database) throws -> Group {
        var group = group
        group.devices = try String.fetchAll(
            db.cachedStatement(sql: "SELECT device FROM grouped_device WHERE device_group = ? ORDER BY device"),
            arguments: [group.number])
        group.people = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT person.id FROM group_member JOIN person ON person.number = group_member.person
                    WHERE group_member.device_group = ? ORDER BY person.id
                    """), arguments: [group.number])
        return group
    }

    /// Adds a group without devices and people.
    ///
    /// - Throws: `Refusal.conflict` if there is a group with the id, or the number of groups is ``maximumCount``.
    package static func add(_ id: String, title: String, in db: Database) throws {
        guard try find(id, in: db) == nil else { throw Refusal.conflict("There is a group \(id) already.") }
        let count = try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM device_group")) ?? 0
        guard count < maximumCount else {
            throw Refusal.conflict("There are \(maximumCount) groups, the maximum. Remove one first.")
        }
        try db.cachedStatement(sql: "INSERT INTO device_group (id, title) VALUES (?, ?)")
            .execute(arguments: [id, title])
    }

    /// Changes the title of a group.
    package static func setTitle(_ title: String, of group: Group, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE device_group SET title = ? WHERE number = ?")
            .execute(arguments: [title, group.number])
    }

    /// Replaces the devices of a group.
    package static func setDevices(_ devices: [String], of group: Group, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM grouped_device WHERE device_group = ?")
            .execute(arguments: [group.number])
        for device in Set(devices).sorted() {
            try Devices.add(device, to: db)
            try db.cachedStatement(sql: "INSERT INTO grouped_device (device_group, device) VALUES (?, ?)")
                .execute(arguments: [group.number, device])
        }
    }

    /// Replaces the people of a group.
    ///
    /// - Throws: `Refusal.invalid` naming `people` if an id belongs to nobody.
    package static func setPeople(_ people: [String], of group: Group, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM group_member WHERE device_group = ?")
            .execute(arguments: [group.number])
        for id in people {
            guard let person = try People.find(id, in: db) else {
                throw Refusal.invalid("people", "must be ids of people; no person has the id \(id)")
            }
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO group_member (device_group, person) VALUES (?, ?)")
                .execute(arguments: [group.number, person.number])
        }
    }

    /// Removes a group.
    package static func remove(_ group: Group, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM device_group WHERE number = ?").execute(arguments: [group.number])
    }

    /// Returns the names of the devices of some groups, sorted; groups that do not exist have none.
    package static func devices(ofGroups ids: [String], in db: Database) throws -> [String] {
        var devices: Set<String> = []
        for id in ids { devices.formUnion(try find(id, in: db)?.devices ?? []) }
        return devices.sorted()
    }

    /// Returns the people whom a phone carries, as viewers; `nil` if there is no group.
    ///
    /// The phone is told what all of them may see.
    package static func viewers(ofPhone device: String, in db: Database) throws -> [Viewer]? {
        guard try exist(in: db) else { return nil }
        return try People.passengers(of: device, in: db).map { id in
            Viewer(person: id, isAdmin: try Administrators.includes(id, in: db))
        }
    }

    /// Returns the usernames of those who drove trips, by the trips' ids; trips without one are absent.
    package static func drivers(ofTrips ids: [String], in db: Database) throws -> [String: String] {
        let list = JSONText(.array(ids.map { .string($0) }))
        let rows = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT trip.id AS trip, person.id AS person
                    FROM json_each(?) AS asked CROSS JOIN trip ON trip.id = asked.value
                        JOIN trip_driver ON trip_driver.trip = trip.number
                        JOIN person ON person.number = trip_driver.person
                    """), arguments: [String(decoding: list.bytes, as: UTF8.self)]
        ) { row in (trip: row["trip"] as String, person: row["person"] as String) }
        return Dictionary(rows.map { ($0.trip, $0.person) }) { first, _ in first }
    }

    /// Says who drove a trip; `nil` for nobody.
    ///
    /// - Throws: `Refusal.invalid` naming `username` if nobody has that id.
    package static func setDriver(_ person: String?, ofTrip id: String, in db: Database) throws {
        guard let person else {
            return try db.cachedStatement(
                sql: "DELETE FROM trip_driver WHERE trip = (SELECT trip.number FROM trip WHERE trip.id = ?)"
            ).execute(arguments: [id])
        }
        guard let found = try People.find(person, in: db) else {
            throw Refusal.invalid("username", "must be a username; nobody has \(person)")
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO trip_driver (trip, person) SELECT trip.number, ? FROM trip WHERE trip.id = ?
                ON CONFLICT (trip) DO UPDATE SET person = excluded.person
                """
        ).execute(arguments: [found.number, id])
    }
}
