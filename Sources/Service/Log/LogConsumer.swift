public import GRDB
public import Store

/// Someone who works through the event log, each event that matters once and in order.
public protocol LogConsumer: Sendable {
    /// What its place in the log is kept under, for ever.
    var name: String { get }

    /// Whether it has no consequences, and so may work in the very transaction that appends an event: each transaction of
    /// its own writes more to the disk than what it is for.
    var worksInCommits: Bool { get }

    /// Whether an event may be of interest; said without looking at the store, as most are not.
    func concerns(_ event: StoredEvent) -> Bool

    /// Whether an event that may be of interest is: only then is there a transaction for it.
    ///
    /// After a restart, one that did not matter may be asked about again; the answer must be the same then.
    func matters(_ event: StoredEvent, in db: Database) throws -> Bool

    /// Works on an event that matters; what it writes is committed together with its place in the log.
    func take(_ event: StoredEvent, in db: Database, _ consequences: inout Consequences) throws
}

extension LogConsumer {
    /// It may have consequences.
    public var worksInCommits: Bool { false }

    /// Whatever concerns it matters.
    public func matters(_ event: StoredEvent, in db: Database) throws -> Bool { true }
}

/// How far each follower has come in the log.
package enum LogProgress {
    package static let migration = StoreMigration(
        at: 15, name: "companion.following.1",
        sql: """
            -- How far each of those who follow the event log has come. One without a row
            -- begins at the beginning; notifications of what was before them would be news of yesterday.
            CREATE TABLE follower (
                name TEXT PRIMARY KEY,
                seq INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO follower SELECT 'notifications', next_seq - 1 FROM log;
            """)

    /// How far a follower has come; nil where its place is beyond the end of the log, and was another log's.
    package static func place(of name: String, in db: Database) throws -> Int64? {
        let place =
            try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT seq FROM follower WHERE name = ?"), arguments: [name]) ?? 0
        return try place <= end(in: db) ? place : nil
    }

    /// The number of the last event ever given.
    package static func end(in db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT next_seq - 1 FROM log")) ?? 0
    }

    static func setPlace(of name: String, to seq: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO follower VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq"
        ).execute(arguments: [name, seq])
    }
}
