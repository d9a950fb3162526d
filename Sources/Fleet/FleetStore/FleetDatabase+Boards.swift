#if Fleet
public import Geodesy
public import Time

/// A log of a board, as far as its events are in the database.
public struct BoardLog: Hashable, Sendable {
    /// The number of the log's row.
    let number: Int64
    /// The name of the board.
    public let board: String
    /// The number of the board's devices.
    public let devices: Int
    /// The last event that is here with all before it.
    public var seq: Int64
    /// The chain of digests up to that event: 32 bytes.
    public var chain: [UInt8]
    /// The last event whose trip's trace is here.
    public var traced: Int64
    /// The event whose trip's trace is here in part; `nil` if there is none.
    public var tracing: Int64?
    /// The time of the last point of that part.
    public var tracingTime: Timestamp?
}

/// What a board sends of one event, or of several that it has no longer.
public struct BoardItem: Hashable, Sendable {
    /// What there is of it.
    public enum Content: Hashable, Sendable {
        /// The bytes of the event.
        case event([UInt8])
        /// The SHA-256 of an event that stays on the board.
        case digest([UInt8])
        /// How many events are missing.
        case missing(Int64)
    }

    /// The number of the event in the board's log.
    public let seq: Int64
    /// What there is of it.
    public let content: Content

    /// Creates an item.
    public init(seq: Int64, content: Content) { (self.seq, self.content) = (seq, content) }
}

/// What a batch or a part of a trace changes; it is written in one transaction, or not at all.
public struct BoardCommit: Sendable {
    /// An event as readers of the fleet get it.
    public struct ToldEvent: Sendable {
        /// The time of the event.
        public var time: Timestamp
        /// The type on the wire.
        public var type: String
        /// The name of the device, after that of the board.
        public var device: String
        /// The subject as `KIND/ID`.
        public var subject: String?
        /// The place; `nil` if it is unknown.
        public var place: Coordinate?
        /// The JSON object.
        public var body: String

        /// Creates an event.
        public init(
            time: Timestamp, type: String, device: String, subject: String?, place: Coordinate?, body: String
        ) {
            (self.time, self.type, self.device) = (time, type, device)
            (self.subject, self.place, self.body) = (subject, place, body)
        }
    }

    /// The log as it was read.
    public let log: BoardLog
    /// The log as it is after the commit.
    public var next: BoardLog
    /// What the log has more.
    public var items: [BoardItem] = []
    /// The events for the readers, in order.
    public var events: [ToldEvent] = []
    /// The changes to trips and stops, in order.
    public var travels: [PartitionCommit.TravelWrite] = []
    /// The number of devices that were not in the database.
    public var newDevices = 0

    /// Creates a commit that changes nothing.
    public init(to log: BoardLog) {
        self.log = log
        next = log
    }
}

/// A log of a board, for people.
public struct BoardLogStatus: Sendable {
    /// The name of the board.
    public let board: String
    /// The log; `nil` if the board has sent nothing.
    public let log: BoardLog?
    /// The name of the log.
    public let name: String?
    /// When the last batch of the board came, as PostgreSQL writes it; `nil` for never.
    public let seen: String?
    /// The number of events that the board had no longer.
    public let missing: Int64
}

// Boards, which decide their events themselves.
extension FleetDatabase {
    /// Makes a board, or gives one a new secret.
    ///
    /// - Parameter digest: The SHA-256 of the secret in hexadecimal digits.
    /// - Returns: Whether it was done; not if there are devices whose names begin like those of such a board.
    /// - Throws: ``FleetStoreError``.
    public func setSecret(digest: String, ofBoard name: String) throws(FleetStoreError) -> Bool {
        let rows = try run(
            Statement(
                """
                INSERT INTO waymark.board (name, digest)
                SELECT $1, $2 WHERE EXISTS (SELECT 1 FROM waymark.board WHERE board.name = $1)
                    OR NOT EXISTS (SELECT 1 FROM waymark.device WHERE starts_with(device.name, $1 || '/'))
                ON CONFLICT (name) DO UPDATE SET digest = excluded.digest
                RETURNING board.number
                """, [name, digest]))
        return !rows.values.isEmpty
    }

    /// Returns the number of the board with a secret; `nil` if there is none.
    ///
    /// - Throws: ``FleetStoreError``.
    public func board(ofSecret digest: String) throws(FleetStoreError) -> Int64? {
        let rows = try run(
            Statement(named: "board", "SELECT board.number FROM waymark.board WHERE board.digest = $1", [digest]))
        return try rows.values.isEmpty ? nil : rows.number(0, 0)
    }

    /// Returns a log of a board.
    ///
    /// - Parameter start: The chain before the first event, with which a log is added if there is none; `nil` to add
    ///   none.
    /// - Returns: `nil` if there is no such log, or the board has `mostLogs` already.
    /// - Throws: ``FleetStoreError``.
    public func log(
        _ name: String, ofBoard board: Int64, orFrom start: [UInt8]?, mostLogs: Int
    ) throws(FleetStoreError) -> BoardLog? {
        if let log = try log(name, ofBoard: board) { return log }
        guard let start else { return nil }
        _ = try run(
            Statement(
                """
                INSERT INTO waymark.board_log (board, name, chain)
                SELECT board.number, $2, $3::bytea FROM waymark.board
                WHERE board.number = $1
                    AND (SELECT count(*) FROM waymark.board_log WHERE board_log.board = board.number) < $4::bigint
                ON CONFLICT DO NOTHING
                """, ["\(board)", name, ValueText.bytes(start), "\(mostLogs)"]))
        return try log(name, ofBoard: board)
    }

    private static let logColumns = """
        board_log.number, board.name, board.devices, board_log.seq, board_log.chain, board_log.traced,
        board_log.tracing, board_log.tracing_time
        """

    private static func log(_ rows: Rows, _ row: Int) throws(FleetStoreError) -> BoardLog {
        guard let chain = ValueText.bytes(from: try rows.text(row, 4)), chain.count == 32 else {
            throw FleetStoreError(.damaged, "the chain of a board's log cannot be read")
        }
        return BoardLog(
            number: try rows.number(row, 0), board: try rows.text(row, 1), devices: try rows.number(row, 2),
            seq: try rows.number(row, 3), chain: chain, traced: try rows.number(row, 5),
            tracing: rows.optional(row, 6).flatMap { Int64($0) },
            tracingTime: rows.optional(row, 7).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) })
    }

    private func log(_ name: String, ofBoard board: Int64) throws(FleetStoreError) -> BoardLog? {
        let rows = try run(
            Statement(
                named: "board-log",
                """
                SELECT \(Self.logColumns) FROM waymark.board_log JOIN waymark.board ON board.number = board_log.board
                WHERE board_log.board = $1 AND board_log.name = $2
                """, ["\(board)", name]))
        return try rows.values.isEmpty ? nil : Self.log(rows, 0)
    }

    /// Returns those of some devices that are in the database.
    ///
    /// - Throws: ``FleetStoreError``.
    public func known(among devices: Set<String>) throws(FleetStoreError) -> Set<String> {
        guard !devices.isEmpty else { return [] }
        let rows = try run(
            Statement(
                named: "known", "SELECT device.name FROM waymark.device WHERE device.name = ANY ($1::text[])",
                [ValueText.array(devices.sorted())]))
        return Set(rows.values.compactMap { $0.first ?? nil })
    }

    /// Returns the numbers of those events that another log of the board has as well, as after the board's store was
    /// restored from a backup.
    ///
    /// - Throws: ``FleetStoreError``.
    public func repeated(_ items: [BoardItem], in log: BoardLog) throws(FleetStoreError) -> Set<Int64> {
        var numbers: [Int64?] = []
        var texts: [String?] = []
        for item in items {
            guard case .event(let bytes) = item.content else { continue }
            numbers.append(item.seq)
            texts.append(ValueText.bytes(bytes))
        }
        let rows = try run(
            Statement(
                named: "repeated",
                """
                SELECT DISTINCT given.seq FROM waymark.board_log AS own
                JOIN waymark.board_log AS other ON other.board = own.board AND other.number <> own.number
                CROSS JOIN unnest($2::bigint[], $3::bytea[]) AS given (seq, bytes)
                JOIN waymark.board_event
                    ON board_event.log = other.number AND board_event.seq = given.seq
                    AND board_event.bytes = given.bytes
                WHERE own.number = $1
                """, ["\(log.number)", ValueText.array(numbers), ValueText.array(texts)]))
        return Set(rows.values.compactMap { $0.first.flatMap { $0 }.flatMap { Int64($0) } })
    }

    /// Returns whether a trip is in the database.
    ///
    /// - Throws: ``FleetStoreError``.
    public func hasTrip(_ id: String) throws(FleetStoreError) -> Bool {
        try !run(Statement(named: "has-trip", "SELECT 1 FROM waymark.trip WHERE trip.id = $1", [id])).values.isEmpty
    }

    /// Writes what a board has sent in one transaction, which is on the server's disk when this returns.
    ///
    /// - Parameter partition: That of the boards.
    /// - Throws: ``FleetStoreError``: `fenced` if another door has moved the log on since it was read, and
    ///   `unusableValue` if the database does not take a value; nothing is written then.
    /// - Complexity: One exchange with the server, with O(*n*) statements for *n* changes to trips.
    public func commit(_ commit: BoardCommit, in partition: Int) throws(FleetStoreError) {
        let (log, next) = (commit.log, commit.next)
        var statements = [
            Statement(
                named: "advance", "SELECT waymark.advance($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                [
                    "\(log.number)", "\(log.seq)", "\(log.traced)", log.tracingTime.map { "\($0.milliseconds)" },
                    "\(next.seq)", ValueText.bytes(next.chain), "\(next.traced)", next.tracing.map { "\($0)" },
                    next.tracingTime.map { "\($0.milliseconds)" }, "\(commit.events.count)",
                ])
        ]
        if !commit.items.isEmpty { statements.append(Self.items(commit)) }
        if !commit.events.isEmpty { statements.append(Self.devices(of: commit, partition)) }
        if commit.newDevices > 0 {
            statements.append(
                Statement(
                    """
                    UPDATE waymark.board SET devices = board.devices + $2::integer FROM waymark.board_log
                    WHERE board_log.number = $1 AND board.number = board_log.board
                    """, ["\(log.number)", "\(commit.newDevices)"]))
        }
        for write in commit.travels { statements.append(contentsOf: Self.travel(write, of: partition)) }
        if !commit.events.isEmpty {
            statements.append(Self.events(of: commit, partition))
            statements.append(
                Statement(named: "notify", "SELECT pg_notify('\(Self.channel)', $1)", ["\(partition)"]))
        }
        _ = try run(statements)
    }

    private static func items(_ commit: BoardCommit) -> Statement {
        var (bytes, digests, missing): ([String?], [String?], [Int64?]) = ([], [], [])
        for item in commit.items {
            var (event, digest, count): (String?, String?, Int64?)
            switch item.content {
            case .event(let content): event = ValueText.bytes(content)
            case .digest(let content): digest = ValueText.bytes(content)
            case .missing(let content): count = content
            }
            bytes.append(event)
            digests.append(digest)
            missing.append(count)
        }
        return Statement(
            named: "board-events",
            """
            INSERT INTO waymark.board_event (log, seq, bytes, digest, missing)
            SELECT $1::bigint, given.* FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[]) AS given
            """,
            [
                "\(commit.log.number)", ValueText.array(commit.items.map { $0.seq }), ValueText.array(bytes),
                ValueText.array(digests), ValueText.array(missing),
            ])
    }

    /// The statement that notes where the devices of events were last.
    private static func devices(of commit: BoardCommit, _ partition: Int) -> Statement {
        var last: [String: (time: Int64?, place: Coordinate?)] = [:]
        for event in commit.events {
            let time = event.time.milliseconds
            guard let place = event.place, time >= last[event.device]?.time ?? .min else {
                last[event.device] = last[event.device] ?? (nil, nil)
                continue
            }
            last[event.device] = (time, place)
        }
        let devices = last.sorted { $0.key < $1.key }
        return Statement(
            named: "board-devices",
            """
            INSERT INTO waymark.device (name, partition, last_time, last_lat_e7, last_lon_e7)
            SELECT given.name, $1::integer, given.time, given.lat, given.lon
            FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::integer[]) AS given (name, time, lat, lon)
            ON CONFLICT (name) DO UPDATE SET
                last_time = excluded.last_time, last_lat_e7 = excluded.last_lat_e7,
                last_lon_e7 = excluded.last_lon_e7
            WHERE device.last_time IS NULL OR device.last_time < excluded.last_time
            """,
            [
                "\(partition)", ValueText.array(devices.map(\.key)), ValueText.array(devices.map(\.value.time)),
                ValueText.array(devices.map { ($0.value.place?.latitudeE7).map(Int64.init) }),
                ValueText.array(devices.map { ($0.value.place?.longitudeE7).map(Int64.init) }),
            ])
    }

    /// The statement that adds events, whose numbers the function `advance` has given out in the same transaction.
    private static func events(of commit: BoardCommit, _ partition: Int) -> Statement {
        let events = commit.events
        return Statement(
            named: "board-told",
            """
            INSERT INTO waymark.event
                (partition, seq, time, type, device, subject, lat_e7, lon_e7, geofences, body)
            SELECT partition.id, partition.next_seq - $2::bigint + given.number - 1, given.time, given.type,
                given.device, given.subject, given.lat, given.lon, 0, given.body
            FROM waymark.partition CROSS JOIN unnest(
                $3::bigint[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::integer[], $9::text[]
            ) WITH ORDINALITY AS given (time, type, device, subject, lat, lon, body, number)
            WHERE partition.id = $1
            """,
            [
                "\(partition)", "\(events.count)", ValueText.array(events.map { $0.time.milliseconds }),
                ValueText.array(events.map(\.type)), ValueText.array(events.map(\.device)),
                ValueText.array(events.map(\.subject)),
                ValueText.array(events.map { ($0.place?.latitudeE7).map(Int64.init) }),
                ValueText.array(events.map { ($0.place?.longitudeE7).map(Int64.init) }),
                ValueText.array(events.map(\.body)),
            ])
    }

    // MARK: For people

    /// Returns the logs of all boards, by name and age; a board that has sent nothing is among them.
    ///
    /// - Throws: ``FleetStoreError``.
    /// - Complexity: O(*n*) for *n* events.
    public func boards() throws(FleetStoreError) -> [BoardLogStatus] {
        let rows = try run(
            Statement(
                """
                SELECT \(Self.logColumns), board_log.name, board.name,
                    to_char(board.seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                    (SELECT coalesce(sum(board_event.missing), 0)::bigint FROM waymark.board_event
                     WHERE board_event.log = board_log.number AND board_event.missing IS NOT NULL)
                FROM waymark.board LEFT JOIN waymark.board_log ON board_log.board = board.number
                ORDER BY board.name, board_log.number
                """))
        var boards: [BoardLogStatus] = []
        for row in rows.values.indices {
            let log = try rows.optional(row, 0) == nil ? nil : Self.log(rows, row)
            boards.append(
                BoardLogStatus(
                    board: try rows.text(row, 9), log: log, name: rows.optional(row, 8), seen: rows.optional(row, 10),
                    missing: try rows.number(row, 11)))
        }
        return boards
    }

    /// Returns at most `limit` items of a log after a number.
    ///
    /// - Throws: ``FleetStoreError``.
    public func items(of log: BoardLog, after seq: Int64, limit: Int) throws(FleetStoreError) -> [BoardItem] {
        let rows = try run(
            Statement(
                named: "board-items",
                """
                SELECT board_event.seq, board_event.bytes, board_event.digest, board_event.missing
                FROM waymark.board_event
                WHERE board_event.log = $1 AND board_event.seq > $2 ORDER BY board_event.seq LIMIT $3::bigint
                """, ["\(log.number)", "\(seq)", "\(limit)"]))
        var items: [BoardItem] = []
        for row in rows.values.indices {
            let content: BoardItem.Content
            if let bytes = rows.optional(row, 1).flatMap(ValueText.bytes(from:)) {
                content = .event(bytes)
            } else if let digest = rows.optional(row, 2).flatMap(ValueText.bytes(from:)) {
                content = .digest(digest)
            } else {
                content = .missing(try rows.number(row, 3))
            }
            items.append(BoardItem(seq: try rows.number(row, 0), content: content))
        }
        return items
    }
}
#endif
