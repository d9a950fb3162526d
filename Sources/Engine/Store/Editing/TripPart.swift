import GRDB
import Time

/// A part of a recording that a trip shows: the points from `first` to `last`, both included.
struct TripPart: Hashable, Sendable {
    /// The number of the trip for which the points were recorded.
    var source: Int64
    /// The time from which the times of that trip's points are counted.
    var origin: Timestamp
    /// The times of the first and the last point, in milliseconds since the origin.
    var first: Int64
    var last: Int64
    /// Whether the path to the first point is unknown, even if the recording has no gap there.
    var gap = false

    /// Returns the parts that a trip shows, in order of time.
    ///
    /// A trip that nobody has changed shows one part, its whole recording.
    static func all(ofTrip number: Int64, origin: Timestamp, edit: Int64 = 0, in db: Database) throws -> [TripPart] {
        let parts = try kept(ofTrip: number, edit: edit, in: db)
        return parts.isEmpty ? [TripPart(source: number, origin: origin, first: .min, last: .max)] : parts
    }

    /// Returns the stored parts of a trip; none if it shows its own recording.
    static func kept(ofTrip number: Int64, edit: Int64 = 0, in db: Database) throws -> [TripPart] {
        let row = try DirectStatement(
            """
            SELECT source, coalesce(recorded, start), "from", until, gap
            FROM trip_part JOIN trip ON number = source WHERE trip = ? AND edit = ? ORDER BY "from"
            """, in: db)
        try row.bind(number, at: 1)
        try row.bind(edit, at: 2)
        var parts: [TripPart] = []
        while try row.step() {
            guard let source = row.integer(0), let begin = row.integer(1), let first = row.integer(2),
                let last = row.integer(3)
            else { continue }
            let origin = Timestamp(milliseconds: begin)
            parts.append(
                TripPart(
                    source: source, origin: origin, first: Timestamp(milliseconds: first).milliseconds(since: origin),
                    last: Timestamp(milliseconds: last).milliseconds(since: origin), gap: row.integer(4) != 0))
        }
        return parts
    }

    /// Replaces the stored parts of a trip.
    static func keep(_ parts: [TripPart], ofTrip number: Int64, edit: Int64 = 0, in db: Database) throws {
        try db.execute(sql: "DELETE FROM trip_part WHERE trip = ? AND edit = ?", arguments: [number, edit])
        for part in parts {
            try db.execute(
                sql: #"INSERT INTO trip_part (trip, edit, "from", until, source, gap) VALUES (?, ?, ?, ?, ?, ?)"#,
                arguments: [
                    number, edit, part.origin.milliseconds + part.first, part.origin.milliseconds + part.last,
                    part.source, part.gap,
                ])
        }
    }

    /// Returns the part within a period, both ends included, in milliseconds since 1970; `nil` if it has no points
    /// there.
    func within(_ earliest: Int64, _ latest: Int64, in db: Database) throws -> TripPart? {
        let (low, isBelow) = earliest.subtractingReportingOverflow(origin.milliseconds)
        let (high, isAbove) = latest.subtractingReportingOverflow(origin.milliseconds)
        // Two subqueries, so that SQLite finds each end with one search of the key.
        let selection = try db.cachedStatement(
            sql: """
                SELECT (SELECT time FROM trace WHERE key BETWEEN :least AND :greatest ORDER BY key LIMIT 1),
                    (SELECT time FROM trace WHERE key BETWEEN :least AND :greatest ORDER BY key DESC LIMIT 1)
                """)
        let keys = TraceKeys(trip: source).range(
            from: max(first, isBelow ? .min : low), to: min(last, isAbove ? .max : high))
        let row = try StoredRow.fetchOne(selection, arguments: ["least": keys.least, "greatest": keys.greatest])
        guard let row, let first: Int64 = row[0], let last: Int64 = row[1] else { return nil }
        return TripPart(source: source, origin: origin, first: first, last: last, gap: gap && first == self.first)
    }

    /// Whether the path to the first point is unknown.
    func beginsWithGap(in db: Database) throws -> Bool {
        if gap { return true }
        return try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM trace_gap WHERE trip = ? AND time = ?)", arguments: [source, first])
            ?? false
    }

    /// Whether `next` begins with the point of the recording that follows the last point of this part.
    func isFollowed(by next: TripPart, in db: Database) throws -> Bool {
        guard source == next.source, last < next.first else { return false }
        let keys = TraceKeys(trip: source).range(from: last + 1)
        let following = try Int64.fetchOne(
            db, sql: "SELECT time FROM trace WHERE key BETWEEN ? AND ? ORDER BY key LIMIT 1",
            arguments: [keys.least, keys.greatest])
        return following == next.first
    }
}

extension [TripPart] {
    /// Returns these parts followed by others.
    ///
    /// If the two sides are neighbours in one recording, the parts at the seam are joined; otherwise the path across it
    /// is unknown.
    func joined(with next: [TripPart], in db: Database) throws -> [TripPart] {
        var parts = self
        var next = next[...]
        if let last = parts.last, let first = next.first, try last.isFollowed(by: first, in: db) {
            parts[parts.count - 1].last = first.last
            next = next.dropFirst()
        } else if !next.isEmpty {
            next[next.startIndex].gap = true
        }
        return parts + next
    }

    /// Returns the parts within a period, both ends included, in milliseconds since 1970.
    func within(_ earliest: Int64, _ latest: Int64, in db: Database) throws -> [TripPart] {
        try compactMap { try $0.within(earliest, latest, in: db) }
    }
}
