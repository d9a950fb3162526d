public import GRDB
public import Store

/// Someone who works through the event log, each event once and in order.
public protocol LogFollower: Sendable {
    /// What its place in the log is kept under, for ever.
    var name: String { get }

    /// Whether an event may be of interest; said without looking at the store, as most are not.
    func concerns(_ event: StoredEvent) -> Bool

    /// Works on an event; what it writes is committed together with its place in the log.
    ///
    /// An event may come again where nothing was written for it or after it.
    func take(_ event: StoredEvent, in db: Database, _ consequences: inout Consequences) throws
}

/// How far each follower has come in the log.
enum LogFollowing {
    static let migration = StoreMigration(
        name: "companion.following.1",
        sql: """
            -- How far each of those who follow the event log has come. One without a row
            -- begins at the beginning; notifications of what was before them would be news of yesterday.
            CREATE TABLE follower (
                name TEXT PRIMARY KEY,
                seq INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO follower SELECT 'notifications', next_seq - 1 FROM log;
            """)
}
