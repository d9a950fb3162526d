import Positioning
import Store
import Tracking

/// Reads the traces of a board's trips as they are sent to the centre, in the order of the events that tell of the trips.
///
/// A trip is sent as it is stored now, for the last event that tells of it. So a trip that was changed before its turn is
/// sent once.
struct TraceReader: Sendable {
    private let store: LocationDatabase
    private let leaves: @Sendable (EventRecord) -> Bool
    /// The last event that was searched.
    private var searched: Int64 = 0
    /// The events that tell of trips to send, in order.
    private var waiting: [(seq: Int64, trip: String)] = []
    /// The last event that tells of each of these trips.
    private var latest: [String: Int64] = [:]

    /// The number of events that are found at a time.
    private static let page = 256
    private static let prefix = "trip/"
    private static let query: EventQuery = {
        var query = EventQuery()
        query.types = ["trip.end", EventRecord.tripRevised]
        return query
    }()

    /// Creates a reader of a board's store.
    ///
    /// - Parameter leaves: Whether the bytes of an event may leave the board; if not, the trace stays as well.
    init(store: LocationDatabase, leaves: @escaping @Sendable (EventRecord) -> Bool) {
        self.store = store
        self.leaves = leaves
    }

    /// The last event up to which nothing is left to send.
    var reached: Int64 { waiting.first.map { $0.seq - 1 } ?? searched }

    /// Returns the next part to send; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - place: What the centre has.
    ///   - chain: The log up to the last event that the centre has.
    mutating func next(after place: TracePlace, upTo chain: EventChain) async throws -> TraceBatch? {
        try await search(after: place.done, upTo: chain.seq)
        while let first = waiting.first {
            if latest[first.trip] == first.seq, first.seq > place.done,
                let batch = try await batch(of: first.trip, first.seq, after: place, log: chain.log)
            {
                return batch
            }
            removeFirst()
        }
        return nil
    }

    /// Notes that the whole trace of a part's trip is at the centre, or that the centre cannot read it.
    mutating func note(_ batch: TraceBatch) {
        if waiting.first?.seq == batch.seq { removeFirst() }
    }

    /// Forgets what was found, because the centre may have less than it had.
    mutating func restart() { (searched, waiting, latest) = (0, [], [:]) }

    private mutating func removeFirst() {
        let first = waiting.removeFirst()
        if latest[first.trip] == first.seq { latest[first.trip] = nil }
    }

    private mutating func search(after done: Int64, upTo seq: Int64) async throws {
        searched = max(searched, done)
        while searched < seq {
            let start = searched
            let step = try await store.read { db in
                try EventLog.search(Self.query, after: start, limit: Self.page, in: db)
            }
            for event in step.events {
                guard let number = event.seq, number <= seq, let subject = event.subject,
                    subject.hasPrefix(Self.prefix), leaves(event)
                else { continue }
                let trip = String(subject.dropFirst(Self.prefix.count))
                waiting.append((seq: number, trip: trip))
                latest[trip] = number
            }
            searched = min(step.reached, seq)
            guard searched > start else { return }
        }
    }

    private func batch(
        of id: String, _ seq: Int64, after place: TracePlace, log: String
    ) async throws -> TraceBatch? {
        let after = place.next == seq ? place.time : nil
        return try await store.read { db -> TraceBatch? in
            guard let trip = try Travels.trip(id: id, in: db), trip.summary.end != nil else { return nil }
            var points: [Fix] = []
            _ = try Travels.forEachPoint(ofTrip: id, after: after, limit: TraceBatch.longest + 1, in: db) { fix in
                points.append(fix)
                return true
            }
            // Nothing replaces what the centre has, where the trace was deleted as old.
            guard after != nil || !points.isEmpty else { return nil }
            return TraceBatch(
                log: log, seq: seq, after: after, isFollowed: points.count > TraceBatch.longest,
                trip: HandedTrip(trip.summary, revision: trip.revision),
                points: Array(points.prefix(TraceBatch.longest)))
        }
    }
}
