import GRDB

/// How many of some single trips have passed each square of a level.
///
/// The tiles hold the counts of whole devices. A trip that somebody sees without its device is added from what is kept
/// of it.
struct HeatSingles {
    /// The counts, by the numbers of the squares.
    private(set) var counts: [UInt64: Int64] = [:]
    /// The squares that trips of earlier years passed, if a year is given.
    private(set) var before: Set<UInt64> = []

    /// Counts the squares of trips.
    ///
    /// - Parameters:
    ///   - level: The level; 0 for the places.
    ///   - year: The only year of the trips that are counted; `nil` for all years.
    ///   - holds: Whether a square is wanted.
    /// - Complexity: O(*n*) for *n* squares of the trips.
    init(
        _ trips: TravelScope.SingleTrips, level: Int, year: Int64?, in db: Database,
        where holds: (UInt64) -> Bool = { _ in true }
    ) throws {
        guard !trips.isEmpty else { return }
        let rows = try StoredRow.fetchCursor(
            db.cachedStatement(
                sql: "SELECT year, cells, places \(Self.source)"), arguments: [trips.list])
        while let row = try rows.next() {
            let found: Int64 = row[0]
            let squares =
                level == 0
                ? HeatCoding.numbers(row[2], below: HeatPath.Piece.placeBound)
                : TripHeat.larger(
                    HeatCoding.numbers(row[1], below: HeatPath.Piece.bound), by: HeatSquare.finest &- level)
            for square in squares where holds(square) {
                if year == nil || found == year { counts[square, default: 0] &+= 1 }
                if let year, found < year { before.insert(square) }
            }
        }
    }

    /// Returns the years in which trips began that are counted.
    static func years(of trips: TravelScope.SingleTrips, in db: Database) throws -> [Int64] {
        guard !trips.isEmpty else { return [] }
        return try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT DISTINCT year \(source)"), arguments: [trips.list])
    }

    /// What is kept of trips that are in the tiles.
    private static let source = """
        FROM trip_heat WHERE trip_heat.trip IN (SELECT driven.value FROM json_each(?) AS driven)
            AND NOT EXISTS (SELECT 1 FROM heat_backlog WHERE heat_backlog.trip = trip_heat.trip)
        """
}

extension HeatMap.Trips {
    /// Reads the trips to count that are of no device in the scope; none if a device is chosen, which is in it.
    func single(in db: Database) throws -> TravelScope.SingleTrips {
        try TravelScope.SingleTrips(device == nil ? scope : nil, in: db)
    }
}
