import GRDB
import Time
import Tracking

/// A trip's state before a change; see ``TripUndo``.
struct TripState: Codable {
    var summary: TripSummary
    var algorithm: Int
    var revision: Int
    /// The stop that the change removed; also `nil` in states of earlier versions.
    var stop: StopSummary?
}

/// A change of trips that is being made.
struct TripEdit {
    private let db: Database
    private let number: Int64
    private let change: TripRevision.Change
    private let now: Timestamp
    private let stop: StopSummary?
    private var trips: [RecordedTrip] = []
    private var gone: [(trip: RecordedTrip, heir: String)] = []

    /// - Parameter stop: The stop that was removed, to bring it back if the change is undone.
    init(_ change: TripRevision.Change, now: Timestamp, removing stop: StopSummary? = nil, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO trip_edit (made_at, change) VALUES (?, ?)",
            arguments: [now.milliseconds, change.rawValue])
        self.db = db
        self.change = change
        self.now = now
        self.stop = stop
        number = db.lastInsertedRowID
    }

    /// Makes a trip show the given parts.
    ///
    /// It starts at their first point and ends at their last.
    mutating func show(_ parts: [TripPart], as trip: EditedTrip) throws {
        guard parts.count <= TripEditing.maximumParts else { throw TripEditError.tooManyParts(id: trip.id) }
        try keep(trip)
        try TripPart.keep(parts, ofTrip: trip.number, in: db)
        var summary = trip.recorded.summary
        try summary.show(parts, in: db)
        try revise(trip, to: summary)
    }

    /// Replaces a trip's numbers, and leaves the parts that it shows as they are.
    mutating func revise(_ trip: EditedTrip, keepingPartsTo summary: TripSummary) throws {
        try keep(trip)
        try revise(trip, to: summary)
    }

    private mutating func revise(_ trip: EditedTrip, to summary: TripSummary) throws {
        var revised = trip.recorded
        revised.summary = summary
        revised.algorithm = TrackingPolicy.algorithm
        revised.revision += 1
        try revised.update(trip.number, in: db)
        trips.append(revised)
    }

    /// Hides a trip from all lists, because another trip shows its points.
    mutating func hide(_ trip: EditedTrip, behind heir: EditedTrip) throws {
        try keep(trip)
        try TripPart.keep([], ofTrip: trip.number, in: db)
        try db.execute(sql: "UPDATE trip SET hidden = 1 WHERE number = ?", arguments: [trip.number])
        var hidden = trip.recorded
        hidden.revision += 1
        gone.append((hidden, heir.id))
    }

    /// Adds a trip that shows the given parts, with the device and the settings of another trip.
    mutating func add(_ parts: [TripPart], like other: EditedTrip) throws {
        guard let first = parts.first else { return }
        var summary = TripSummary(
            device: other.device, start: first.origin.advanced(byMilliseconds: first.first))
        summary.id = try Travels.freeID(summary.id, in: db)
        summary.kind = other.recorded.summary.kind
        try db.execute(
            sql: """
                INSERT INTO trip (id, device, start, "end", algorithm, settings, kind)
                SELECT ?, device, ?, ?, algorithm, settings, kind FROM trip WHERE number = ?
                """,
            arguments: [summary.id, summary.start.milliseconds, summary.start.milliseconds, other.number])
        let trip = db.lastInsertedRowID
        try remember(nil, ofTrip: trip)
        try TripPart.keep(parts, ofTrip: trip, in: db)
        try summary.show(parts, in: db)
        var added = other.recorded
        added.summary = summary
        added.algorithm = TrackingPolicy.algorithm
        added.revision = 1
        try added.update(trip, in: db)
        trips.append(added)
    }

    /// Saves a trip's state and parts, so that the change can be undone.
    private func keep(_ trip: EditedTrip) throws {
        let state = TripState(
            summary: trip.recorded.summary, algorithm: trip.recorded.algorithm, revision: trip.recorded.revision,
            stop: stop)
        try remember(StoredJSON.encode(state), ofTrip: trip.number)
        let parts = try TripPart.kept(ofTrip: trip.number, in: db)
        try TripPart.keep(parts, ofTrip: trip.number, edit: number, in: db)
        try TripEditing.forgetOldest(ofTrip: trip.number, in: db)
    }

    private func remember(_ state: String?, ofTrip trip: Int64) throws {
        try db.execute(
            sql: "INSERT INTO trip_before (trip, edit, state) VALUES (?, ?, ?)", arguments: [trip, number, state])
    }

    /// Returns the changed trips, and the events to append to the log.
    func finish() -> TripRevision { TripRevision(change, trips: trips, gone: gone, now: now) }
}

extension TripRevision {
    /// Creates a revision with one event for each changed trip, by start, followed by one for each trip that is gone.
    init(_ change: Change, trips: [RecordedTrip], gone: [(trip: RecordedTrip, heir: String)], now: Timestamp) {
        let trips = trips.sorted { ($0.summary.start, $0.summary.id) < ($1.summary.start, $1.summary.id) }
        self.init(
            change: change, trips: trips, gone: gone.map(\.trip.summary.id),
            events: trips.map { EventRecord($0, by: change, at: now, into: nil) }
                + gone.map { EventRecord($0.trip, by: change, at: now, into: $0.heir) })
    }
}
