public import GRDB
public import Positioning
import TextCoding
public import Tracking

/// An event on its way into the log, which knows of it no more than this.
public struct EventRecord: Hashable, Sendable {
    /// When it happened.
    public var time: Timestamp
    /// Its type on the wire, such as `geofence.enter`.
    public var type: String
    /// To which device, where to one.
    public var device: String?
    /// What it is about, as `KIND/ID`.
    public var subject: String?
    /// The id of the person it is for alone; nil where it is for everybody.
    public var recipient: String?
    /// Its members in JSON, UTF-8, without the braces around them and without `seq`.
    public var members: [UInt8]

    /// An event of any type.
    public init(
        time: Timestamp, type: String, device: String?, subject: String?, recipient: String? = nil, members: [UInt8]
    ) {
        self.time = time
        self.type = type
        self.device = device
        self.subject = subject
        self.recipient = recipient
        self.members = members
    }

    /// An event of a tracker.
    public init(_ event: Event) {
        var json = JSONWriter()
        event.writeMembers(to: &json)
        self.init(
            time: event.time, type: event.type, device: event.device, subject: event.subject, members: json.bytes)
    }
}

/// An event in the log.
public struct StoredEvent: Hashable, Sendable {
    /// Its number, which only grows, has no gaps and never changes its meaning.
    public var seq: Int64
    /// When it happened.
    public var time: Timestamp
    /// Its type on the wire.
    public var type: String
    /// To which device, where to one.
    public var device: String?
    /// What it is about, as `KIND/ID`.
    public var subject: String?
    /// The id of the person it is for alone; nil where it is for everybody.
    public var recipient: String?
    /// The JSON object as it is served, UTF-8, without a newline.
    public var line: [UInt8]
}

/// The log of durable events, within a transaction of its caller.
public enum EventLog {
    /// What the log is called and how far it reaches.
    public struct Extent: Hashable, Sendable {
        /// The random name, 32 hexadecimal digits; another log has another.
        public var name: String
        /// The number of the first event that is kept; nil while there is none.
        public var first: Int64?
        /// The number of the last event ever given; 0 before any.
        public var last: Int64
    }

    /// Appends events, numbered without a gap in the order given.
    ///
    /// - Complexity: O(*n*) for *n* events.
    public static func append(_ records: [EventRecord], to db: Database) throws -> [StoredEvent] {
        guard !records.isEmpty else { return [] }
        guard var seq = try Int64.fetchOne(db.cachedStatement(sql: "SELECT next_seq FROM log")) else { throw nameless }
        let insertion = try DirectStatement(
            "INSERT INTO event (seq, time, type, device, subject, body, recipient) VALUES (?, ?, ?, ?, ?, ?, ?)", in: db
        )
        var stored: [StoredEvent] = []
        stored.reserveCapacity(records.count)
        for record in records {
            let line = Array("{\"seq\":\(seq),".utf8) + record.members + [UInt8(ascii: "}")]
            try insertion.bind(seq, at: 1)
            try insertion.bind(record.time.milliseconds, at: 2)
            try insertion.bind(record.type, at: 3)
            try insertion.bind(record.device, at: 4)
            try insertion.bind(record.subject, at: 5)
            try insertion.bind(String(decoding: line, as: UTF8.self), at: 6)
            try insertion.bind(record.recipient, at: 7)
            try insertion.run()
            stored.append(
                StoredEvent(
                    seq: seq, time: record.time, type: record.type, device: record.device, subject: record.subject,
                    recipient: record.recipient, line: line))
            seq += 1
        }
        return stored
    }

    /// At most `limit` events with a greater number than `seq`, in order.
    public static func events(after seq: Int64, limit: Int, in db: Database) throws -> [StoredEvent] {
        let selection = try db.cachedStatement(
            sql: "SELECT \(StoredEvent.columns) FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
        return try Row.fetchAll(selection, arguments: [seq, limit]).map(StoredEvent.init)
    }

    /// The last event of each device that tells whether its receiver is there: `source.online` or `source.offline`.
    ///
    /// - Complexity: O(*d* log *n*) for *d* devices and *n* events.
    public static func lastSourceEvents(in db: Database) throws -> [StoredEvent] {
        // The condition is the index's own, word for word; each device is found by a step of its own in it.
        let isOfSource = "type IN ('source.online', 'source.offline')"
        let rows = try Row.fetchAll(
            db,
            sql: """
                WITH RECURSIVE source (device) AS (
                    SELECT min(device) FROM event WHERE \(isOfSource)
                    UNION ALL
                    SELECT (SELECT min(device) FROM event WHERE \(isOfSource) AND event.device > source.device)
                    FROM source WHERE source.device IS NOT NULL
                )
                SELECT seq, time, type, event.device, subject, body, recipient FROM source JOIN event ON seq = (
                    SELECT seq FROM event WHERE \(isOfSource) AND event.device = source.device ORDER BY seq DESC LIMIT 1)
                ORDER BY event.device
                """)
        return rows.map(StoredEvent.init)
    }

    /// What the log is called and how far it reaches.
    public static func extent(in db: Database) throws -> Extent {
        guard let row = try Row.fetchOne(db, sql: "SELECT name, next_seq, (SELECT min(seq) FROM event) FROM log")
        else { throw nameless }
        return Extent(name: row[0], first: row[2], last: row[1] - 1)
    }

    /// Gives the log another name: the same numbers are given to other events from now on.
    static func rename(in db: Database) throws {
        try db.execute(sql: "UPDATE log_start SET name = lower(hex(randomblob(16)))")
    }

    private static var nameless: DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the event log has lost its name and number")
    }
}

extension StoredEvent {
    /// The columns of a row of it.
    static let columns = "seq, time, type, device, subject, body, recipient"

    init(_ row: Row) {
        self.init(
            seq: row[0], time: Timestamp(milliseconds: row[1]), type: row[2], device: row[3], subject: row[4],
            recipient: row[6], line: Array((row[5] as String).utf8))
    }
}

extension LocationDatabase {
    /// At most `limit` events with a greater number than `seq`, in order.
    public func events(after seq: Int64, limit: Int) throws -> [StoredEvent] {
        try read { try EventLog.events(after: seq, limit: limit, in: $0) }
    }

    /// The last event of each device that tells whether its receiver is there; see ``EventLog/lastSourceEvents(in:)``.
    public func lastSourceEvents() throws -> [StoredEvent] {
        try read { try EventLog.lastSourceEvents(in: $0) }
    }

    /// What the event log is called and how far it reaches.
    public func logExtent() throws -> EventLog.Extent {
        try read { try EventLog.extent(in: $0) }
    }

    /// How many events of each type are kept.
    ///
    /// - Complexity: O(*n*) for *n* events: the whole log is read.
    public func eventCounts() throws -> [String: Int] {
        try read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT type, count(*) FROM event GROUP BY type")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        }
    }
}
