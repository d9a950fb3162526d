import Foundation
public import GRDB
public import Geodesy
import Positioning
public import Time

/// The search for trips that came near a place.
public struct TripsNear: Sendable {
    /// A trip that came near the place.
    public struct Found: Sendable {
        /// The trip.
        public var trip: RecordedTrip
        /// The time of its first point within the radius.
        public var arrival: Timestamp
    }

    /// The trips found, the newest first.
    public private(set) var found: [Found] = []
    /// The last trip that was examined, if there may be more; `nil` if all were.
    public private(set) var next: TripQuery.Mark?

    /// The most trips whose points one search reads.
    ///
    /// Long ones take a tenth of a second each.
    private static let mostExamined = 100

    /// Searches for the trips of a query that have a point within a radius of a place.
    ///
    /// The limit of the query is that of trips found. A path between two points is not looked at, so that a recording
    /// with points far apart may have passed the place unseen.
    ///
    /// - Complexity: O(*n*) for *n* trips, and O(*m*) for the *m* points of those whose bounding box is near.
    public init(_ place: Coordinate, within radius: Distance, _ query: TripQuery, in db: Database) throws {
        let box = SearchBox(place, radius)
        var arguments: StatementArguments = [
            "device": query.device, "since": query.since?.milliseconds ?? .min,
            "until": query.latest, "start": query.before?.start.milliseconds ?? .max,
            "id": query.before?.id ?? "", "south": box.south, "north": box.north,
        ]
        if let scope = query.scope { arguments += StatementArguments(scope.arguments) }
        let trips = try StoredRow.fetchCursor(
            db,
            sql: """
                SELECT trip.id, start, south_e7, west_e7, north_e7, east_e7
                FROM trip JOIN device ON device.number = trip.device
                WHERE hidden = 0 AND "end" IS NOT NULL AND (:device IS NULL OR device.name = :device)
                    AND start >= :since AND start < :until AND (start, trip.id) < (:start, :id)
                    \(query.scope == nil ? "" : "AND \(TravelScope.condition)")
                    AND coalesce(south_e7 <= :north AND north_e7 >= :south, 1)
                ORDER BY start DESC, trip.id DESC
                """,
            arguments: arguments)
        var examined = 0
        while let row = try trips.next() {
            let (id, start): (String, Int64) = (row[0], row[1])
            if let west: Int32 = row[3], let east: Int32 = row[5], !box.holds(west: west, east: east) { continue }
            guard examined < Self.mostExamined, found.count < query.limit else { return }
            examined += 1
            next = TripQuery.Mark(start: Timestamp(milliseconds: start), id: id)
            var arrival: Timestamp?
            try Travels.forEachPoint(ofTrip: id, in: db) { fix in
                guard Sphere.distance(from: place, to: fix.coordinate) <= radius else { return true }
                arrival = fix.time
                return false
            }
            guard let arrival, let trip = try Travels.trip(id: id, in: db) else { continue }
            found.append(Found(trip: trip, arrival: arrival))
        }
        next = nil
    }
}

/// A box around a circle, in units of 1e-7 degrees.
private struct SearchBox {
    let south: Int64
    let north: Int64
    private let longitude: Double
    /// Half of the width, in units of 1e-7 degrees; `nil` if the circle may hold a pole.
    private let reach: Double?

    init(_ center: Coordinate, _ radius: Distance) {
        // A degree of latitude has 111,195 m on the sphere; a little more for rounding.
        let reach = min(radius.meters / 111_000 * Coordinate.unitsPerDegree, 180 * Coordinate.unitsPerDegree)
        let latitude = Double(center.latitudeE7)
        south = Int64(exactly: (latitude - reach).rounded(.down)) ?? .min
        north = Int64(exactly: (latitude + reach).rounded(.up)) ?? .max
        longitude = Double(center.longitudeE7)
        let farthest = (abs(latitude) + reach) / Coordinate.unitsPerDegree
        self.reach = farthest < 89 ? reach / cos(farthest * .pi / 180) : nil
    }

    /// Whether the longitudes from one meridian east to another come into the box.
    func holds(west: Int32, east: Int32) -> Bool {
        guard let reach else { return true }
        let circle = 360 * Coordinate.unitsPerDegree
        let (first, last) = (Double(west), Double(east) + (west > east ? circle : 0))
        // The type is written out, because the compiler takes seconds to find it.
        return [-circle, 0, circle].contains { (turn: Double) -> Bool in
            first + turn <= longitude + reach && last + turn >= longitude - reach
        }
    }
}
