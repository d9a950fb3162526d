public import GRDB
package import Store
public import Tracking

/// A part of a feature that processes the event log, each event that matters once and in order.
public protocol LogConsumer: Sendable {
    /// The name under which its position in the log is stored.
    ///
    /// It must never change.
    var name: String { get }

    /// Whether the consumer has no consequences, so that it can work in the transaction that appends an event.
    ///
    /// A separate transaction for each event would write more to the disk than the work itself.
    var worksInCommits: Bool { get }

    /// Returns whether an event may be of interest, without reading the store.
    ///
    /// Most events are not.
    func concerns(_ event: EventRecord) -> Bool

    /// Returns whether an event that may be of interest matters.
    ///
    /// Only such an event gets a transaction.
    ///
    /// After a restart, the consumer may be asked again about an event that did not matter. The answer must then be
    /// the same.
    func matters(_ event: EventRecord, in db: Database) throws -> Bool

    /// Processes an event that matters.
    ///
    /// Its writes are committed together with the consumer's position in the log.
    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws
}

extension LogConsumer {
    /// The default is `false`: the consumer may have consequences.
    public var worksInCommits: Bool { false }

    /// The default is `true`: every event that concerns the consumer matters.
    public func matters(_ event: EventRecord, in db: Database) throws -> Bool { true }
}

/// The position of each consumer in the log.
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

    /// Returns the number of the last event that a consumer has processed; 0 if it has no stored position.
    ///
    /// It returns `nil` if the stored position is beyond the end of the log. The position then belongs to another
    /// log.
    package static func position(of name: String, in db: Database) throws -> Int64? {
        let place =
            try StoredRow.integer(
                db.cachedStatement(sql: "SELECT seq FROM follower WHERE name = ?"), arguments: [name]) ?? 0
        return try place <= end(in: db) ? place : nil
    }

    /// Returns the number of the last event ever appended.
    package static func end(in db: Database) throws -> Int64 {
        try StoredRow.integer(db.cachedStatement(sql: "SELECT next_seq - 1 FROM log")) ?? 0
    }

    static func setPosition(of name: String, to seq: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO follower VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq"
        ).execute(arguments: [name, seq])
    }
}
