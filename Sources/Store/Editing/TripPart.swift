import GRDB
import Positioning

/// What a trip shows of a recording: the points from one to another, both included.
struct TripPart: Hashable, Sendable {
    /// The number of the trip that the points were recorded for.
    var source: Int64
    /// What the times of that trip's points count from.
    var origin: Timestamp
    /// The first point and the last, in milliseconds since the origin.
    var first: Int64
    var last: Int64
    /// Whether the way to the first point is not known, whatever its recording says.
    var gap = false

    /// The parts that a trip shows, in the order of time; those of one that nobody has changed are all it has.
    static func all(ofTrip number: Int64, origin: Timestamp, edit: Int64 = 0, in db: Database) throws -> [TripPart] {
        let parts = try kept(ofTrip: number, edit: edit, in: db)
        return parts.isEmpty ? [TripPart(source: number, origin: origin, first: .min, last: .max)] : parts
    }

    /// The parts that are kept of a trip: none where it shows its own recording.
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

    /// Keeps parts of a trip in place of those that are kept already.
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

    /// What it has of a time, in milliseconds since 1970 and both included; nil where that is no point.
    func within(_ earliest: Int64, _ latest: Int64, in db: Database) throws -> TripPart? {
        let (low, isBelow) = earliest.subtractingReportingOverflow(origin.milliseconds)
        let (high, isAbove) = latest.subtractingReportingOverflow(origin.milliseconds)
        // Each is found by a step of its own.
        let selection = try db.cachedStatement(
            sql: """
                SELECT (SELECT time FROM trace WHERE key BETWEEN :least AND :greatest ORDER BY key LIMIT 1),
                    (SELECT time FROM trace WHERE key BETWEEN :least AND :greatest ORDER BY key DESC LIMIT 1)
                """)
        let keys = TraceKeys(trip: source).range(
            from: max(first, isBelow ? .min : low), to: min(last, isAbove ? .max : high))
        let row = try Row.fetchOne(selection, arguments: ["least": keys.least, "greatest": keys.greatest])
        guard let row, let first: Int64 = row[0], let last: Int64 = row[1] else { return nil }
        return TripPart(source: source, origin: origin, first: first, last: last, gap: gap && first == self.first)
    }

    /// Whether the way to its first point is not known.
    func beginsWithGap(in db: Database) throws -> Bool {
        if gap { return true }
        return try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM trace_gap WHERE trip = ? AND time = ?)", arguments: [source, first])
            ?? false
    }

    /// Whether another begins with the point of the recording that follows the last of this one.
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
    /// These with what was recorded in one and cut in two being one again.
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

    /// What they have of a time, in milliseconds since 1970 and both included.
    func within(_ earliest: Int64, _ latest: Int64, in db: Database) throws -> [TripPart] {
        try compactMap { try $0.within(earliest, latest, in: db) }
    }
}
