import GRDB

extension Travels {
    /// Returns an id that no trip has: the given one, or one with `+1` and so on appended.
    static func freeID(_ id: String, in db: Database) throws -> String {
        let selection = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM trip WHERE id = ?)")
        var (free, count) = (id, 0)
        while try Bool.fetchOne(selection, arguments: [free]) == true {
            count += 1
            free = "\(id)+\(count)"
        }
        return free
    }

    /// Frees an id for a trip that begins: a trip that already has the id gets another.
    ///
    /// An id names the device and the start of a trip, and events refer to it before the store is consulted. The
    /// recorded trip must therefore have it. A trip that was imported, without events, or one that an earlier recording
    /// of the same journey left gives way.
    static func vacate(_ id: String, in db: Database) throws {
        let number = try Int64.fetchOne(db, sql: "SELECT number FROM trip WHERE id = ?", arguments: [id])
        guard let number else { return }
        try db.execute(
            sql: "UPDATE trip SET id = ? WHERE number = ?", arguments: [try freeID(id, in: db), number])
    }
}
