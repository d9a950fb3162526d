import GRDB

/// A writer of trace points within one transaction.
struct TraceWriter: ~Copyable {
    private let insertion: DirectStatement
    private let marking: DirectStatement

    init(_ db: Database) throws {
        // A noncopyable value is stored only after nothing can fail any more.
        let insertion = try DirectStatement(
            """
            INSERT OR REPLACE INTO trace (key, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, in: db)
        let marking = try DirectStatement("INSERT OR REPLACE INTO trace_gap (trip, time) VALUES (?, ?)", in: db)
        self.insertion = insertion
        self.marking = marking
    }

    /// Writes a point, replacing one with the same time.
    func write(_ point: TracePoint, ofTrip trip: Int64) throws {
        try insertion.bind(TraceKeys(trip: trip).key(point.time), at: 1)
        try insertion.bind(point.latitudeE7, at: 2)
        try insertion.bind(point.longitudeE7, at: 3)
        try insertion.bind(point.altitude, at: 4)
        try insertion.bind(point.speed, at: 5)
        try insertion.bind(point.track, at: 6)
        try insertion.bind(point.accuracy, at: 7)
        try insertion.run()
        guard point.gap else { return }
        try marking.bind(trip, at: 1)
        try marking.bind(point.time, at: 2)
        try marking.run()
    }
}
