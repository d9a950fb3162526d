import Foundation
public import GRDB
import Time
import Tracking

/// The squares that trips have passed, counted within the caller's transaction.
///
/// Each trip that has ended adds one to each square that it passes, at each level of the grid, in the tiles of its
/// device and year. What it has added is kept with it, so that a change of the trip takes exactly that away again.
/// Deleting old points leaves the counts as they are.
public enum TripHeat {
    /// Brings the counts up to date with the trips that the transaction has changed.
    ///
    /// A damaged trip counts nowhere.
    ///
    /// - Complexity: One search if no trip has changed; else a pass over the points of each changed trip. Memory grows
    ///   with the squares of one trip, and not with its points.
    static func settle(in db: Database) throws {
        let selection = try DirectStatement("SELECT trip, is_gone FROM heat_due ORDER BY trip", in: db)
        var due: [(trip: Int64, isGone: Bool)] = []
        while try selection.step() {
            if let trip = selection.integer(0) { due.append((trip, selection.integer(1) == 1)) }
        }
        guard !due.isEmpty else { return }
        let days = try TripSums.localDays(in: db)
        for (trip, isGone) in due { try count(trip, isGone: isGone, days, in: db) }
        try db.execute(sql: "DELETE FROM heat_due")
    }

    /// What is kept of a trip.
    private struct Kept {
        var device: Int64
        var year: Int64
        var pieces: [HeatPath.Piece]
    }

    /// Counts a trip again as it is now.
    ///
    /// - Parameter isGone: Whether what is kept was another trip's with the same number.
    /// - Returns: The number of points that were read.
    @discardableResult
    private static func count(_ trip: Int64, isGone: Bool, _ days: LocalDays, in db: Database) throws -> Int {
        let isCounted = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM heat_backlog WHERE trip = ?)"),
            arguments: [trip])
        let kept = try kept(ofTrip: trip, in: db)
        var (found, points) = try found(trip, days, in: db)
        // The points may have been deleted since.
        if found?.pieces.isEmpty == true, let kept, !isGone { found?.pieces = kept.pieces }
        if isCounted == true {
            if let kept, let found, kept.device == found.device, kept.year == found.year, kept.pieces == found.pieces {
                return points
            }
            if let kept { try add(-1, kept, in: db) }
        } else {
            try db.cachedStatement(sql: "DELETE FROM heat_backlog WHERE trip = ?").execute(arguments: [trip])
        }
        try db.cachedStatement(sql: "DELETE FROM trip_heat WHERE trip = ?").execute(arguments: [trip])
        guard let found else { return points }
        try add(1, found, in: db)
        for (number, piece) in found.pieces.enumerated() {
            try db.cachedStatement(sql: "INSERT INTO trip_heat VALUES (?, ?, ?, ?, ?, ?)")
                .execute(arguments: [trip, number, found.device, found.year, piece.cells, piece.places])
        }
        return points
    }

    private static func kept(ofTrip trip: Int64, in db: Database) throws -> Kept? {
        let rows = try StoredRow.fetchAll(
            db.cachedStatement(
                sql: "SELECT device, year, cells, places FROM trip_heat WHERE trip = ? ORDER BY piece"),
            arguments: [trip])
        return rows.first.map { first in
            Kept(
                device: first[0], year: first[1],
                pieces: rows.map { HeatPath.Piece(cells: $0[2], places: $0[3]) })
        }
    }

    /// Returns what a trip adds, and the number of its points; `nil` if it is damaged, hidden or gone, or has not
    /// ended.
    private static func found(
        _ number: Int64, _ days: LocalDays, in db: Database
    ) throws -> (trip: Kept?, points: Int) {
        var points = 0
        let result = StoreDamage.sparing {
            Result { () throws -> Kept? in
                let row = try StoredRow.fetchOne(
                    db.cachedStatement(
                        sql: #"SELECT id, device FROM trip WHERE number = ? AND hidden = 0 AND "end" IS NOT NULL"#),
                    arguments: [number])
                guard let row, let trip = try Travels.trip(id: row[0], in: db)?.summary else { return nil }
                var path = HeatPath()
                try Travels.forEachPoint(ofTrip: trip.id, in: db) { fix in
                    path.add(fix)
                    points &+= 1
                    return true
                }
                for stop in try Travels.stops(on: trip, in: db) { path.add(place: stop.place) }
                return Kept(
                    device: row[1], year: Int64(clamping: days.day(of: trip.start).components.year),
                    pieces: path.finished())
            }
        }
        do {
            return (try result?.get(), points)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return (nil, points)
        }
    }

    private static func add(_ number: Int64, _ trip: Kept, in db: Database) throws {
        for piece in trip.pieces {
            var cells = HeatCoding.numbers(piece.cells, below: HeatPath.Piece.bound)
            var level = HeatSquare.finest
            for next in HeatSquare.levels {
                cells = larger(cells, by: level &- next)
                level = next
                try add(number, toLevel: level, cells, trip, in: db)
            }
            let places = HeatCoding.numbers(piece.places, below: HeatPath.Piece.placeBound)
            try add(number, toLevel: 0, places, trip, in: db)
        }
    }

    /// Returns the squares some levels above that hold some squares, ascending as these are.
    static func larger(_ cells: [UInt64], by levels: Int) -> [UInt64] {
        guard levels > 0 else { return cells }
        var all: [UInt64] = []
        for cell in cells {
            let parent = cell &>> UInt64(clamping: 2 &* levels)
            if parent != all.last { all.append(parent) }
        }
        return all
    }

    /// Adds a number to the counts of some squares of a level, which are in ascending order.
    private static func add(
        _ number: Int64, toLevel level: Int, _ cells: [UInt64], _ trip: Kept, in db: Database
    ) throws {
        let bits = UInt64(clamping: 2 * HeatSquare.tileBits)
        var left = cells[...]
        while let first = left.first {
            let tile = first &>> bits
            let indices = left.prefix { $0 &>> bits == tile }
            left = left.dropFirst(indices.count)
            let key: StatementArguments = [level, Int64(clamping: tile), trip.device, trip.year]
            let row = try StoredRow.fetchOne(
                db.cachedStatement(
                    sql: "SELECT cells FROM heat_tile WHERE level = ? AND tile = ? AND device = ? AND year = ?"),
                arguments: key)
            var counts = HeatTile(row.map { $0[0] as Data } ?? Data())
            counts.add(number, to: indices.map { Int(truncatingIfNeeded: $0 & (1 &<< bits &- 1)) })
            if counts.cells.isEmpty {
                try db.cachedStatement(
                    sql: "DELETE FROM heat_tile WHERE level = ? AND tile = ? AND device = ? AND year = ?"
                ).execute(arguments: key)
            } else {
                try db.cachedStatement(
                    sql: """
                        INSERT INTO heat_tile (level, tile, device, year, cells) VALUES (?, ?, ?, ?, ?)
                        ON CONFLICT (level, tile, device, year) DO UPDATE SET cells = excluded.cells
                        """
                ).execute(arguments: key + [counts.data])
            }
        }
    }
}

extension TripHeat {
    /// Returns the number of trips that are not counted yet, because they are older than the counts.
    public static func pending(in db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM heat_backlog")) ?? 0
    }

    /// Returns the number of trips in a scope that are not counted yet; of all trips if it is `nil`.
    public static func pending(among scope: TravelScope?, in db: Database) throws -> Int {
        guard let scope else { return try pending(in: db) }
        return try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*) FROM heat_backlog JOIN trip ON trip.number = heat_backlog.trip
                        JOIN device ON device.number = trip.device
                    WHERE \(TravelScope.condition)
                    """), arguments: StatementArguments(scope.arguments)) ?? 0
    }

    /// Whether a trip waits to be counted.
    public static func isPending(in db: Database) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM heat_backlog)")) ?? false
    }

    /// Counts the newest of the trips that wait, until they have had a number of points; at least one.
    ///
    /// - Complexity: O(*n*) for *n* points, and for those of the last trip.
    public static func countPending(points: Int, in db: Database) throws {
        let days = try TripSums.localDays(in: db)
        var left = points
        while left > 0 {
            let trip = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(trip) FROM heat_backlog"))
            guard let trip else { return }
            left &-= 1 &+ (try count(trip, isGone: false, days, in: db))
        }
    }

    /// Empties the tiles, and lets all trips wait to be counted again.
    static func restart(in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM heat_tile;
                DELETE FROM heat_due;
                INSERT OR IGNORE INTO heat_backlog SELECT number FROM trip WHERE "end" IS NOT NULL AND hidden = 0;
                INSERT OR IGNORE INTO heat_backlog SELECT DISTINCT trip FROM trip_heat;
                """)
    }

    /// Marks the trips that another time zone moves to another year.
    static func markYears(_ days: LocalDays, in db: Database) throws {
        let rows = try DirectStatement(
            """
            SELECT trip.number, trip.start, trip_heat.year
            FROM trip_heat JOIN trip ON trip.number = trip_heat.trip WHERE trip_heat.piece = 0
            """, in: db)
        var moved: [Int64] = []
        while try rows.step() {
            guard let trip = rows.integer(0), let start = rows.integer(1).flatMap(Timestamp.init(exactly:)) else {
                continue
            }
            if Int64(clamping: days.day(of: start).components.year) != rows.integer(2) { moved.append(trip) }
        }
        for trip in moved {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO heat_due VALUES (?, 0)").execute(arguments: [trip])
        }
    }
}
