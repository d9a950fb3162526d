package import Store

/// The table of what hooks for events have taken.
package enum EventHookSchema {
    /// All steps.
    package static let migrations = [places]

    private static let places = StoreMigration(
        at: 71, name: "hooks.places.1",
        sql: """
            -- The last event that each hook for events has taken. A hook without a row begins at the end of the log.
            CREATE TABLE event_hook (
                name TEXT PRIMARY KEY,
                seq INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}
