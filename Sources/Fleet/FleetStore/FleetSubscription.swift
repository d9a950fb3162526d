#if Fleet
/// Reads the log of a fleet as it grows, each partition from a number on.
///
/// The order holds within a partition, and so for each device. The object keeps what was read; after an error the next
/// call connects anew and goes on, so that each event comes once. One thread uses it at a time.
public final class FleetSubscription {
    private let address: String
    private var database: FleetDatabase?
    /// The partitions that may have events to read, those that wait longest first.
    private var waiting: [Int] = []
    /// The number of the last event that was read, by partition; 0 for none.
    public private(set) var cursors: [Int: Int64]

    /// The most events of one call.
    public static let mostEvents = 1000

    /// Creates a subscription, which connects with the first call.
    ///
    /// - Parameter cursors: The number after which to read, for each partition to read.
    public init(at address: String, after cursors: [Int: Int64]) {
        self.address = address
        self.cursors = cursors
    }

    /// Returns the next events of one partition, in their order.
    ///
    /// - Parameter time: How long to wait for an event if there is none.
    /// - Returns: At most ``mostEvents``; nothing if there are none in time.
    /// - Throws: ``FleetStoreError``; call again after a moment.
    public func next(within time: Duration) throws(FleetStoreError) -> [FleetEvent] {
        do throws(FleetStoreError) {
            return try next(from: connected(), until: .now + time)
        } catch {
            database = nil
            throw error
        }
    }

    private func connected() throws(FleetStoreError) -> FleetDatabase {
        if let database { return database }
        let database = try FleetDatabase(at: address)
        // It listens first: what comes while it reads is told.
        try database.listen()
        self.database = database
        waiting = cursors.keys.sorted()
        return database
    }

    private func next(
        from database: FleetDatabase, until end: ContinuousClock.Instant
    ) throws(FleetStoreError) -> [FleetEvent] {
        while true {
            while let partition = waiting.first {
                let events = try database.events(
                    of: partition, after: cursors[partition] ?? 0, limit: Self.mostEvents)
                waiting.removeAll { $0 == partition }
                // The others go first, whatever comes to this one meanwhile.
                if events.count == Self.mostEvents { waiting.append(partition) }
                guard let last = events.last else { continue }
                cursors[partition] = last.seq
                return events
            }
            guard let partition = try database.newEvents(within: end - .now) else { return [] }
            if cursors[partition] != nil { waiting.append(partition) }
        }
    }
}
#endif
