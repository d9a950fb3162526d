import GRDB
public import Store

/// How far each hook for events has come in the log.
public enum EventHookPlaces {
    /// Returns the last event that a hook has taken, and the log's extent.
    ///
    /// A new hook begins at the end of the log. So does one that has taken more than the log has, because it then
    /// belongs to another log.
    static func place(of name: String, in db: Database) throws -> (seq: Int64?, log: EventLog.Extent) {
        let log = try EventLog.extent(in: db)
        let seq = try StoredRow.fetchOne(
            db, sql: "SELECT event_hook.seq FROM event_hook WHERE event_hook.name = ?", arguments: [name]
        ).map { $0[0] as Int64 }
        return (seq.flatMap { $0 <= log.last ? $0 : nil }, log)
    }

    /// Stores the last event that a hook has taken.
    static func set(_ name: String, to seq: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO event_hook VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq"
        ).execute(arguments: [name, seq])
    }

    /// Returns the last event that all of these hooks have taken; `nil` if there are no hooks, or none has begun.
    ///
    /// The log keeps later events for them, within its bound.
    public static func reached(_ hooks: [EventHookSettings], in store: LocationDatabase) async throws -> Int64? {
        let names = Set(hooks.map(\.name))
        return try await store.read { db in
            try names.compactMap { try place(of: $0, in: db).seq }.min()
        }
    }

    /// Removes the places of hooks that are no longer configured.
    public static func forget(except hooks: [EventHookSettings], in store: LocationDatabase) async throws {
        let names = Set(hooks.map(\.name))
        let known = try await store.read { try String.fetchAll($0, sql: "SELECT event_hook.name FROM event_hook") }
        let gone = known.filter { !names.contains($0) }
        guard !gone.isEmpty else { return }
        try await store.write { db in
            for name in gone { try db.execute(sql: "DELETE FROM event_hook WHERE name = ?", arguments: [name]) }
        }
    }
}
