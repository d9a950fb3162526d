#if Fleet
public import Positioning
import Time

/// An event of a fleet's log.
public struct FleetEvent: Hashable, Sendable {
    /// The partition.
    public let partition: Int
    /// The number within the partition, without gaps from 1.
    public let seq: Int64
    /// The version of the geofences with which it was decided.
    public let geofences: Int64
    /// The device.
    public let device: String
    /// The JSON object, as one Waymark writes it but for its `seq`.
    public let body: String
}

/// What a fleet is doing.
public struct FleetStatus: Sendable {
    /// A partition.
    public struct Partition: Sendable {
        /// Its number.
        public let id: Int
        /// How often a worker has taken it.
        public let epoch: Int64
        /// The worker that took it last; `nil` for none yet.
        public let worker: String?
        /// The number of events in its log.
        public let events: Int64
        /// Whether it is that of the boards, which has no queue and no worker.
        public let isOfBoards: Bool
    }

    /// The partitions, by number.
    public let partitions: [Partition]
    /// The workers that have reported within the last 15 seconds.
    public let workers: [String]
    /// The number of messages that could not be applied.
    public let refused: Int64
}

// What readers ask.
extension FleetDatabase {
    /// Returns the events of a partition after a number, in their order.
    ///
    /// - Parameter limit: The most events to return.
    /// - Throws: ``FleetStoreError``.
    public func events(
        of partition: Int, after seq: Int64, limit: Int = 1000
    ) throws(FleetStoreError) -> [FleetEvent] {
        let rows = try run(
            Statement(
                named: "read-events",
                """
                SELECT event.seq, event.geofences, event.device, event.body FROM waymark.event
                WHERE event.partition = $1 AND event.seq > $2 ORDER BY event.seq LIMIT $3
                """, ["\(partition)", "\(seq)", "\(limit)"]))
        var events: [FleetEvent] = []
        for row in rows.values.indices {
            events.append(try Self.event(rows, row, of: partition))
        }
        return events
    }

    /// Begins to listen for new events, of which ``newEvents(within:)`` tells.
    ///
    /// - Throws: ``FleetStoreError``.
    public func listen() throws(FleetStoreError) { _ = try run(Statement("LISTEN \(Self.channel)")) }

    /// Waits until a partition has new events, after ``listen()``.
    ///
    /// A reader reads first, and then waits, because what came before it listened is not told.
    ///
    /// - Returns: The partition; `nil` if nothing came in time.
    /// - Throws: ``FleetStoreError`` if the connection is lost.
    public func newEvents(within time: Duration) throws(FleetStoreError) -> Int? {
        try connection.notification(until: .now + time).flatMap { Int($0) }
    }

    /// Returns the name of a partition's log: 32 hexadecimal digits, which no other log has.
    ///
    /// - Throws: ``FleetStoreError``.
    public func logName(of partition: Int) throws(FleetStoreError) -> String {
        try run(Statement("SELECT md5(fleet.log || ':' || $1) FROM waymark.fleet", ["\(partition)"])).text(0, 0)
    }

    /// Returns the first event after a number that tells of a trip that has ended; `nil` if there is none.
    ///
    /// - Throws: ``FleetStoreError``.
    public func endedTrip(of partition: Int, after seq: Int64) throws(FleetStoreError) -> FleetEvent? {
        let rows = try run(
            Statement(
                named: "read-ended",
                """
                SELECT event.seq, event.geofences, event.device, event.body FROM waymark.event
                WHERE event.partition = $1 AND event.seq > $2 AND event.type IN ('trip.end', 'trip.revised')
                ORDER BY event.seq LIMIT 1
                """, ["\(partition)", "\(seq)"]))
        return try rows.values.isEmpty ? nil : Self.event(rows, 0, of: partition)
    }

    private static func event(_ rows: Rows, _ row: Int, of partition: Int) throws(FleetStoreError) -> FleetEvent {
        FleetEvent(
            partition: partition, seq: try rows.number(row, 0), geofences: try rows.number(row, 1),
            device: try rows.text(row, 2), body: try rows.text(row, 3))
    }

    /// Returns the points of a trip in their order, without those that were cut off.
    ///
    /// - Throws: ``FleetStoreError``.
    public func points(of trip: String) throws(FleetStoreError) -> [(fix: Fix, gap: Bool)] {
        try storedPoints(of: trip).flatMap(\.self)
    }

    /// Returns the points of a trip, row by row.
    func storedPoints(of trip: String) throws(FleetStoreError) -> [[(fix: Fix, gap: Bool)]] {
        let rows = try run(
            Statement(
                named: "read-points",
                "SELECT trace.points, trace.until FROM waymark.trace WHERE trace.trip = $1 ORDER BY trace.first",
                [trip]
            ))
        return try Self.packets(in: rows)
    }

    /// Returns the points of rows that have packed points and the time of the last one that counts.
    static func points(in rows: Rows) throws(FleetStoreError) -> [(fix: Fix, gap: Bool)] {
        try packets(in: rows).flatMap(\.self)
    }

    private static func packets(in rows: Rows) throws(FleetStoreError) -> [[(fix: Fix, gap: Bool)]] {
        var parts: [[(fix: Fix, gap: Bool)]] = []
        for row in rows.values.indices {
            let until = rows.values[row][1].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
            guard let bytes = ValueText.bytes(from: try rows.text(row, 0)),
                let points = PackedTrace.points(in: bytes, until: until)
            else { throw FleetStoreError(.damaged, "the points of a trip cannot be read") }
            parts.append(points)
        }
        return parts
    }

    /// Reports that a worker is there, and returns how many are.
    ///
    /// - Throws: ``FleetStoreError``.
    public func report(_ worker: String) throws(FleetStoreError) -> Int {
        let answers = try run([
            Statement(
                named: "report",
                """
                INSERT INTO waymark.worker (id, seen) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen = now()
                """, [worker]),
            Statement(
                named: "forget", "DELETE FROM waymark.worker WHERE worker.seen < now() - interval '1 hour'", []),
            Statement(
                named: "count",
                "SELECT count(*) FROM waymark.worker WHERE worker.seen > now() - interval '15 seconds'", []),
        ])
        guard answers.count == 3 else { throw FleetStoreError(.damaged, "a statement has no answer") }
        return try answers[2].number(0, 0)
    }

    /// Gives a device a secret, in place of the one that it has.
    ///
    /// - Parameter digest: The SHA-256 of the secret in hexadecimal digits.
    /// - Throws: ``FleetStoreError``.
    public func setSecret(digest: String, of device: String) throws(FleetStoreError) {
        _ = try run(
            Statement(
                """
                INSERT INTO waymark.secret (digest, device) VALUES ($1, $2)
                ON CONFLICT (device) DO UPDATE SET digest = excluded.digest
                """, [digest, device]))
    }

    /// Returns the device of a secret; `nil` if there is none.
    ///
    /// - Parameter digest: The SHA-256 of the secret in hexadecimal digits.
    /// - Throws: ``FleetStoreError``.
    public func device(ofSecret digest: String) throws(FleetStoreError) -> String? {
        let rows = try run(
            Statement(
                named: "secret", "SELECT secret.device FROM waymark.secret WHERE secret.digest = $1", [digest]))
        return rows.values.first?.first ?? nil
    }

    /// Forgets publishers that have sent nothing to a partition for 30 days.
    ///
    /// Call it only when the partition's queue is empty, because a message that comes again needs this memory.
    ///
    /// - Throws: ``FleetStoreError``.
    public func forgetPublishers(of partition: Int) throws(FleetStoreError) {
        _ = try run(
            Statement(
                """
                DELETE FROM waymark.publisher
                WHERE publisher.partition = $1 AND publisher.used < now() - interval '30 days'
                """, ["\(partition)"]))
    }

    /// Returns what the fleet is doing.
    ///
    /// - Throws: ``FleetStoreError``.
    public func status() throws(FleetStoreError) -> FleetStatus {
        let answers = try run([
            Statement(
                """
                SELECT partition.id, partition.epoch, partition.worker, partition.next_seq - 1,
                    (partition.id >= fleet.partitions)::integer
                FROM waymark.partition CROSS JOIN waymark.fleet
                ORDER BY partition.id
                """),
            Statement(
                """
                SELECT worker.id FROM waymark.worker WHERE worker.seen > now() - interval '15 seconds'
                ORDER BY worker.id
                """),
            Statement("SELECT count(*) FROM waymark.refused"),
        ])
        guard answers.count == 3 else { throw FleetStoreError(.damaged, "a statement has no answer") }
        var partitions: [FleetStatus.Partition] = []
        for row in answers[0].values.indices {
            partitions.append(
                FleetStatus.Partition(
                    id: try answers[0].number(row, 0), epoch: try answers[0].number(row, 1),
                    worker: answers[0].values[row][2], events: try answers[0].number(row, 3),
                    isOfBoards: try answers[0].number(row, 4) != 0))
        }
        return FleetStatus(
            partitions: partitions, workers: answers[1].values.compactMap { $0.first ?? nil },
            refused: try answers[2].number(0, 0))
    }
}
#endif
