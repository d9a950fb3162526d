#if Fleet
import Geodesy
import Time
public import Tracking

/// What a worker knows of a partition that it has taken.
public struct TakenPartition: Sendable {
    /// The number of the partition.
    public let id: Int
    /// How often the partition has been taken; only the worker that took it last may write.
    public let epoch: Int64
    /// The number of the next event.
    public fileprivate(set) var nextSeq: Int64
    /// The messages that were applied, by publisher.
    public fileprivate(set) var publishers: [String: AppliedMessages]
}

// What a worker does with a partition.
extension FleetDatabase {
    /// Takes a partition: from now on, the worker that had it is refused.
    ///
    /// - Throws: ``FleetStoreError`` of the kind `noFleet` if there is no such partition.
    public func claim(_ id: Int, as worker: String) throws(FleetStoreError) -> TakenPartition {
        let answers = try run([
            // The row stays locked until the end, so that the worker before has committed or is refused.
            Statement(
                """
                UPDATE waymark.partition SET epoch = partition.epoch + 1, worker = $2, taken = now()
                WHERE partition.id = $1 RETURNING partition.epoch, partition.next_seq
                """, ["\(id)", worker]),
            Statement(
                """
                SELECT publisher.id, publisher.highest, publisher.applied FROM waymark.publisher
                WHERE publisher.partition = $1
                """, ["\(id)"]),
        ])
        guard answers.count == 2, !answers[0].values.isEmpty else {
            throw FleetStoreError(.noFleet, "the fleet has no partition \(id)")
        }
        var publishers: [String: AppliedMessages] = [:]
        let rows = answers[1]
        for row in rows.values.indices {
            guard let bytes = ValueText.bytes(from: try rows.text(row, 2)),
                let applied = AppliedMessages(highest: try rows.number(row, 1), bytes: bytes)
            else { throw FleetStoreError(.damaged, "the messages of a publisher cannot be read") }
            publishers[try rows.text(row, 0)] = applied
        }
        return TakenPartition(
            id: id, epoch: try answers[0].number(0, 0), nextSeq: try answers[0].number(0, 1), publishers: publishers
        )
    }

    /// Returns the states of those of some devices that are in the database.
    ///
    /// - Throws: ``FleetStoreError``.
    public func states(of devices: [String]) throws(FleetStoreError) -> [String: Tracker.Saved] {
        let rows = try run(
            Statement(
                named: "states",
                """
                SELECT device.name, device.state FROM waymark.device
                WHERE device.name = ANY ($1::text[]) AND device.state IS NOT NULL
                """,
                [ValueText.array(devices)]))
        var states: [String: Tracker.Saved] = [:]
        for row in rows.values.indices {
            states[try rows.text(row, 0)] = try Self.decode(Tracker.Saved.self, from: try rows.text(row, 1))
        }
        return states
    }

    /// Writes a batch of a partition in one transaction, which is on the server's disk when this returns.
    ///
    /// - Returns: The version of the geofences, which is later than that of the commit once they have changed.
    /// - Throws: ``FleetStoreError``: `fenced` if another worker has taken the partition, and `unusableValue` if
    ///   the database does not take a value; nothing is written then. After another error, the partition must be
    ///   taken again before anything else, because it is unknown what became of the commit.
    /// - Complexity: One exchange with the server, with O(*n*) statements for *n* changes to trips and a fixed
    ///   number of others.
    public func commit(
        _ commit: PartitionCommit, to partition: inout TakenPartition
    ) throws(FleetStoreError) -> Int64 {
        var statements = [
            Statement(
                named: "fence", "SELECT waymark.fence($1, $2, $3, $4)",
                ["\(partition.id)", "\(partition.epoch)", "\(partition.nextSeq)", "\(commit.events.count)"])
        ]
        if let statement = Self.publishers(commit, of: partition.id) { statements.append(statement) }
        if let statement = try Self.devices(commit, of: partition.id) { statements.append(statement) }
        for write in commit.travels { statements.append(contentsOf: Self.travel(write, of: partition.id)) }
        if let statement = Self.events(commit, of: partition) { statements.append(statement) }
        for refusal in commit.refusals {
            statements.append(
                Statement(
                    "INSERT INTO waymark.refused (partition, reason, body) VALUES ($1, $2, $3)",
                    ["\(partition.id)", refusal.reason, ValueText.bytes(refusal.body)]))
        }
        if let (publisher, number) = commit.attempt {
            statements.append(
                Statement(
                    named: "attempt-ended",
                    """
                    DELETE FROM waymark.attempt
                    WHERE attempt.partition = $1 AND attempt.publisher = $2 AND attempt.number = $3
                    """, ["\(partition.id)", publisher, "\(number)"]))
        }
        if !commit.events.isEmpty {
            statements.append(
                Statement(named: "notify", "SELECT pg_notify('\(Self.channel)', $1)", ["\(partition.id)"]))
        }
        let version: Int64
        guard let fence = try run(statements).first else {
            throw FleetStoreError(.damaged, "a statement has no answer")
        }
        version = try fence.number(0, 0)
        partition.nextSeq += Int64(commit.events.count)
        partition.publishers.merge(commit.publishers) { $1 }
        return version
    }

    /// Returns how often a message was tried alone before.
    ///
    /// - Throws: ``FleetStoreError``.
    public func attempts(
        at number: UInt64, of publisher: String, in partition: TakenPartition
    ) throws(FleetStoreError) -> Int {
        let rows = try run(
            Statement(
                named: "attempts",
                """
                SELECT attempt.tries FROM waymark.attempt
                WHERE attempt.partition = $1 AND attempt.publisher = $2 AND attempt.number = $3
                """, ["\(partition.id)", publisher, "\(number)"]))
        return try rows.values.isEmpty ? 0 : rows.number(0, 0)
    }

    /// Writes that a message is tried alone, before it is.
    ///
    /// The commit of the message, or that of its refusal, forgets it (``PartitionCommit/attempt``).
    ///
    /// - Throws: ``FleetStoreError``.
    public func beginAttempt(
        at number: UInt64, of publisher: String, in partition: TakenPartition
    ) throws(FleetStoreError) {
        _ = try run(
            Statement(
                named: "attempt",
                """
                INSERT INTO waymark.attempt (partition, publisher, number, tries) VALUES ($1, $2, $3, 1)
                ON CONFLICT (partition, publisher, number) DO UPDATE SET tries = least(attempt.tries, 1000) + 1
                """, ["\(partition.id)", publisher, "\(number)"]))
    }

    /// Writes a megabyte and removes it, which nobody else sees.
    ///
    /// - Throws: ``FleetStoreError``, also if the database has no room for as much as the largest message needs.
    public func proveRoom(in partition: TakenPartition) throws(FleetStoreError) {
        _ = try run([
            // What is random is not compressed.
            Statement(
                """
                INSERT INTO waymark.refused (partition, reason, body)
                SELECT $1::integer, 'a proof of room', string_agg(uuid_send(gen_random_uuid()), ''::bytea)
                FROM generate_series(1, 65536)
                """, ["\(partition.id)"]),
            Statement("DELETE FROM waymark.refused WHERE refused.reason = 'a proof of room'"),
        ])
    }

    /// The channel of `NOTIFY`, whose payload is the partition that has new events.
    static let channel = "waymark_events"

    private static func publishers(_ commit: PartitionCommit, of partition: Int) -> Statement? {
        guard !commit.publishers.isEmpty else { return nil }
        let publishers = commit.publishers.sorted { $0.key < $1.key }
        return Statement(
            named: "publishers",
            """
            INSERT INTO waymark.publisher (partition, id, highest, applied)
            SELECT $1::integer, given.* FROM unnest($2::text[], $3::bigint[], $4::bytea[]) AS given
            ON CONFLICT (partition, id) DO UPDATE
                SET highest = excluded.highest, applied = excluded.applied, used = now()
            """,
            [
                "\(partition)", ValueText.array(publishers.map(\.key)),
                ValueText.array(publishers.map { Int64(clamping: $0.value.highest) }),
                ValueText.array(publishers.map { ValueText.bytes($0.value.bytes) }),
            ])
    }

    private static func devices(
        _ commit: PartitionCommit, of partition: Int
    ) throws(FleetStoreError) -> Statement? {
        guard !commit.devices.isEmpty else { return nil }
        let devices = commit.devices.sorted { $0.key < $1.key }
        var states: [String] = []
        for (_, device) in devices { states.append(try encode(device.saved)) }
        return Statement(
            named: "devices",
            """
            INSERT INTO waymark.device (name, partition, last_time, last_lat_e7, last_lon_e7, state)
            SELECT given.name, $1::integer, given.time, given.lat, given.lon, given.state
            FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::integer[], $6::text[])
                AS given (name, time, lat, lon, state)
            ON CONFLICT (name) DO UPDATE SET
                partition = excluded.partition, last_time = coalesce(excluded.last_time, device.last_time),
                last_lat_e7 = coalesce(excluded.last_lat_e7, device.last_lat_e7),
                last_lon_e7 = coalesce(excluded.last_lon_e7, device.last_lon_e7), state = excluded.state
            """,
            [
                "\(partition)", ValueText.array(devices.map(\.key)),
                ValueText.array(devices.map { $0.value.time?.milliseconds }),
                ValueText.array(devices.map { ($0.value.place?.latitudeE7).map(Int64.init) }),
                ValueText.array(devices.map { ($0.value.place?.longitudeE7).map(Int64.init) }),
                ValueText.array(states),
            ])
    }

    private static func events(_ commit: PartitionCommit, of partition: TakenPartition) -> Statement? {
        guard !commit.events.isEmpty else { return nil }
        let events = commit.events
        return Statement(
            named: "events",
            """
            INSERT INTO waymark.event
                (partition, seq, time, type, device, subject, lat_e7, lon_e7, geofences, body)
            SELECT $1::integer, $2::bigint + given.number - 1, given.time, given.type, given.device, given.subject,
                given.lat, given.lon, $3::bigint, given.body
            FROM unnest(
                $4::bigint[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::integer[], $10::text[]
            ) WITH ORDINALITY AS given (time, type, device, subject, lat, lon, body, number)
            """,
            [
                "\(partition.id)", "\(partition.nextSeq)", "\(commit.geofences)",
                ValueText.array(events.map { $0.time.milliseconds }), ValueText.array(events.map(\.type)),
                ValueText.array(events.map(\.device)), ValueText.array(events.map(\.subject)),
                ValueText.array(events.map { Int64($0.place.latitudeE7) }),
                ValueText.array(events.map { Int64($0.place.longitudeE7) }),
                ValueText.array(events.map { String(decoding: $0.json(), as: UTF8.self) }),
            ])
    }
}
#endif
