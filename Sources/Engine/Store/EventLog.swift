public import GRDB
import Time
public import Tracking

/// The log of durable events, read and written within the caller's transaction.
public enum EventLog {
    /// The log's name, and the numbers of its first and last event.
    public struct Extent: Hashable, Sendable {
        /// The random name of the log, 32 hexadecimal digits; no two logs share one.
        public var name: String
        /// The number of the first event that is stored; `nil` if there are none.
        public var first: Int64?
        /// The last number ever assigned; 0 before the first event.
        public var last: Int64

        /// The range of events that the log holds.
        public var bounds: JournalBounds { JournalBounds(log: name, first: first ?? last + 1, last: last) }
    }

    /// Appends events, numbered without gaps in the given order.
    ///
    /// - Returns: All records in their order, the durable ones with their numbers. Positions are not stored.
    /// - Complexity: O(*n*) for *n* events.
    public static func append(_ records: [EventRecord], to db: Database) throws -> [EventRecord] {
        guard !records.isEmpty else { return [] }
        guard var seq = try StoredRow.integer(db.cachedStatement(sql: "SELECT next_seq FROM log")) else {
            throw nameless
        }
        let insertion = try DirectStatement(
            """
            INSERT INTO event (seq, time, type, device, subject, body, recipient, received)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, in: db)
        var stored: [EventRecord] = []
        stored.reserveCapacity(records.count)
        for record in records {
            guard record.isDurable else {
                stored.append(record)
                continue
            }
            let record = record.numbered(seq)
            try insertion.bind(seq, at: 1)
            try insertion.bind(record.time.milliseconds, at: 2)
            try insertion.bind(record.type, at: 3)
            try insertion.bind(record.device, at: 4)
            try insertion.bind(record.subject, at: 5)
            try insertion.bind(String(decoding: record.line, as: UTF8.self), at: 6)
            try insertion.bind(record.recipient, at: 7)
            try insertion.bind(record.received?.milliseconds, at: 8)
            try insertion.run()
            try EventBlocks.note(seq, in: db)
            stored.append(record.served)
            seq += 1
        }
        return stored
    }

    /// Returns at most `limit` events with a number greater than `seq`, in order.
    ///
    /// A damaged event is ``EventRecord/damaged(_:since:)``. Events that are missing between two others are one such record,
    /// with the last of their numbers. Readers thereby step past them, and lose no other event.
    public static func events(after seq: Int64, limit: Int, in db: Database) throws -> [EventRecord] {
        let selection = try db.cachedStatement(
            sql: "SELECT \(EventRecord.columns) FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
        var events: [EventRecord] = []
        let rows = try StoredRow.fetchCursor(selection, arguments: [seq, limit])
        while events.count < limit, let row = try rows.next() {
            let event = StoreDamage.sparing { EventRecord(row) }
            // No number that is out of bounds is followed by one within.
            guard let number = event?.seq ?? StoreDamage.sparing({ row[0] as Int64 }) else { break }
            let last = events.last?.seq ?? seq
            // Before the first event there is no gap: older ones were deleted.
            if number > last + 1, try !events.isEmpty || hasEvent(upTo: last, in: db) {
                events.append(.damaged(number - 1, since: last + 1))
                guard events.count < limit else { break }
            }
            events.append(event ?? .damaged(number))
        }
        return events
    }

    /// Returns whether the log has an event with a number from 1 to `seq`.
    private static func hasEvent(upTo seq: Int64, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM event WHERE seq BETWEEN 1 AND ?)"), arguments: [seq])
            ?? false
    }

    /// Returns each device's last event about its receiver: `source.online` or `source.offline`.
    ///
    /// - Complexity: O(*d* log *n*) for *d* devices and *n* events.
    public static func lastSourceEvents(in db: Database) throws -> [EventRecord] {
        // The condition equals the partial index's own, word for word; each device is found with one search of that
        // index.
        let isOfSource = "type IN ('source.online', 'source.offline')"
        let rows = try StoredRow.fetchAll(
            db,
            sql: """
                WITH RECURSIVE source (device) AS (
                    SELECT min(device) FROM event WHERE \(isOfSource)
                    UNION ALL
                    SELECT (SELECT min(device) FROM event WHERE \(isOfSource) AND event.device > source.device)
                    FROM source WHERE source.device IS NOT NULL
                )
                SELECT seq, time, type, event.device, subject, body, recipient, received
                FROM source JOIN event ON seq = (
                    SELECT seq FROM event WHERE \(isOfSource) AND event.device = source.device ORDER BY seq DESC LIMIT 1)
                ORDER BY event.device
                """)
        return rows.compactMap(EventRecord.init(sound:))
    }

    /// Returns the last event of a type; `nil` if there is none among the last ``searched`` events.
    public static func last(ofType type: String, in db: Database) throws -> EventRecord? {
        let row = try StoredRow.fetchOne(
            db,
            sql: """
                SELECT \(EventRecord.columns) FROM event
                WHERE seq > (SELECT coalesce(max(seq), 0) FROM event) - \(searched) AND type = ?
                ORDER BY seq DESC LIMIT 1
                """,
            arguments: [type])
        return row.flatMap(EventRecord.init(sound:))
    }

    /// The number of events that ``last(ofType:in:)`` searches; more would delay the daemon's start.
    public static let searched = 20_000

    /// Returns the log's name, and the numbers of its first and last event.
    public static func extent(in db: Database) throws -> Extent {
        let extent = try StoredRow.first(
            db, sql: "SELECT name, next_seq, (SELECT min(seq) FROM event WHERE seq > 0) FROM log"
        ) { Extent(name: $0[0], first: $0[2], last: $0[1] - 1) }
        guard let extent else { throw nameless }
        return extent
    }

    /// Gives the log a new name, because its numbers may be assigned to other events from now on.
    static func rename(in db: Database) throws {
        try db.execute(sql: "UPDATE log_start SET name = lower(hex(randomblob(16)))")
        if try db.tableExists("event_block") { try EventBlocks.forget(from: extent(in: db).last + 1, in: db) }
    }

    private static var nameless: DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the event log has lost its name and number")
    }
}

extension EventRecord {
    /// The columns that `init(_:)` reads, in this order.
    static let columns = "seq, time, type, device, subject, body, recipient, received"

    /// Creates the record of a row; `nil` if the row is damaged.
    init?(sound row: StoredRow) {
        guard let record = StoreDamage.sparing({ EventRecord(row) }) else { return nil }
        self = record
    }

    init(_ row: StoredRow) {
        var line = Array((row[5] as String).utf8)
        if !Self.isObject(line) {
            row.report(5, "holds no JSON object")
            line = Array("{}".utf8)
        }
        let record = EventRecord(
            seq: row[0], time: Timestamp(milliseconds: row[1]), type: row[2], device: row[3], subject: row[4],
            recipient: row[6], line: line)
        let received: Int64? = row[7]
        self = received.map { record.told(late: Timestamp(milliseconds: $0)).served } ?? record
    }

    /// Whether bytes are one object, judged by their brackets and quotes.
    ///
    /// The line is served as it is stored. Anything else would end or begin another message.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        var (depth, isText, isEscaped, hasEnded) = (0, false, false, false)
        for byte in bytes {
            guard byte >= 0x20, !hasEnded else { return false }
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    isText = byte != UInt8(ascii: "\"")
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""): isText = true
            default: break
            }
            hasEnded = depth == 0
        }
        return hasEnded
    }
}

extension LocationDatabase {
    /// Returns at most `limit` events with a number greater than `seq`, in order.
    public func events(after seq: Int64, limit: Int) throws -> [EventRecord] {
        try read { try EventLog.events(after: seq, limit: limit, in: $0) }
    }

    /// Returns each device's last event about its receiver; see ``EventLog/lastSourceEvents(in:)``.
    public func lastSourceEvents() throws -> [EventRecord] {
        try read { try EventLog.lastSourceEvents(in: $0) }
    }

    /// Returns the log's name, and the numbers of its first and last event.
    public func logExtent() throws -> EventLog.Extent {
        try read { try EventLog.extent(in: $0) }
    }

    /// Returns the number of stored events of each type.
    ///
    /// - Complexity: O(*n*) for *n* events: the whole log is read.
    public func eventCounts() throws -> [String: Int] {
        try read { db in
            let rows = try StoredRow.fetchAll(db, sql: "SELECT type, count(*) FROM event GROUP BY type")
            // A damaged store may list a type twice.
            return Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
        }
    }
}
