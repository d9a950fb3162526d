import GRDB

extension Travels {
    /// An id that no trip has: this one, or else with `+1` and so on.
    static func freeID(_ id: String, in db: Database) throws -> String {
        let selection = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM trip WHERE id = ?)")
        var (free, count) = (id, 0)
        while try Bool.fetchOne(selection, arguments: [free]) == true {
            count += 1
            free = "\(id)+\(count)"
        }
        return free
    }

    /// Frees an id for a trip that begins: one that has it gets another.
    ///
    /// An id names what a device began at a moment, and events tell of it by that before the store is asked. So the
    /// trip that is recorded has it, and not one that was imported before, of which no event tells, or that an earlier
    /// recording of the same left.
    static func vacate(_ id: String, in db: Database) throws {
        let number = try Int64.fetchOne(db, sql: "SELECT number FROM trip WHERE id = ?", arguments: [id])
        guard let number else { return }
        try db.execute(
            sql: "UPDATE trip SET id = ? WHERE number = ?", arguments: [try freeID(id, in: db), number])
    }
}
