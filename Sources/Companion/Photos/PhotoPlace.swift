import GRDB
import Geodesy
import Positioning
import Store
import Tracking

/// Where a photo was taken, and how that is known.
struct PhotoPlace: Sendable {
    var coordinate: Coordinate
    /// The trip on whose trace it is; nil where only the camera says where it was.
    var trip: String?

    /// How far in milliseconds before or after a trip a photo may be taken to be placed at its end: as long as it
    /// takes until a rest ends a trip.
    private static let patience: Int64 = 900_000
    /// How far about a photo's time points are looked for first, in milliseconds; most often that will do.
    private static let window: Int64 = 60_000

    /// Where a photo was taken: at the point nearest in time of a device that carries who took it, else where the
    /// camera says; nil where neither is known.
    ///
    /// Found each time it is asked, as traces are committed, imported, edited and given up at any time.
    ///
    /// - Complexity: O(log *n*) for *n* points, for each device.
    static func find(for photo: Photo, in db: Database) throws -> PhotoPlace? {
        if let time = photo.taken, let person = photo.person {
            let devices = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT device FROM carried WHERE person = (SELECT number FROM person WHERE id = ?)
                        ORDER BY device
                        """), arguments: [person])
            var best: (fix: Fix, trip: String)?
            for device in devices {
                guard let found = try nearest(to: time, device: device, in: db) else { continue }
                if best.map({ found.fix.distance(from: time) < $0.fix.distance(from: time) }) ?? true { best = found }
            }
            if let best { return PhotoPlace(coordinate: best.fix.coordinate, trip: best.trip) }
        }
        return photo.coordinate.map { PhotoPlace(coordinate: $0, trip: nil) }
    }

    /// The point of a device nearest in time, on the trip then or just before or after.
    private static func nearest(
        to time: Timestamp, device: String, in db: Database
    ) throws -> (fix: Fix, trip: String)? {
        let query = TripQuery(device: device, until: time.advanced(byMilliseconds: patience + 1), limit: 2)
        var best: (fix: Fix, trip: String)?
        for trip in try Travels.trips(query, in: db) {
            if let end = trip.summary.end, time.milliseconds(since: end) > patience { continue }
            guard let fix = try nearest(to: time, trip: trip.summary.id, in: db),
                // One that goes on ends where its last point is so far.
                trip.summary.end != nil || time.milliseconds(since: fix.time ?? time) <= patience,
                best.map({ fix.distance(from: time) < $0.fix.distance(from: time) }) ?? true
            else { continue }
            best = (fix, trip.summary.id)
        }
        return best
    }

    /// The point of a trip nearest in time.
    private static func nearest(to time: Timestamp, trip: String, in db: Database) throws -> Fix? {
        for reach in [window, patience] {
            let fix = try nearest(to: time, since: time.advanced(byMilliseconds: -reach), trip: trip, in: db)
            if let fix, fix.distance(from: time) <= reach { return fix }
        }
        // It rested then.
        return try nearest(to: time, since: nil, trip: trip, in: db)
    }

    private static func nearest(
        to time: Timestamp, since begin: Timestamp?, trip: String, in db: Database
    ) throws -> Fix? {
        var before: Fix?
        var after: Fix?
        try Travels.forEachPoint(ofTrip: trip, after: begin, in: db) { fix in
            guard fix.time ?? time > time else {
                before = fix
                return true
            }
            after = fix
            return false
        }
        guard let before else { return after }
        guard let after else { return before }
        return after.distance(from: time) < before.distance(from: time) ? after : before
    }
}

extension Fix {
    /// How far in time a point is from a moment, in milliseconds.
    fileprivate func distance(from moment: Timestamp) -> Int64 {
        time.map { abs($0.milliseconds(since: moment)) } ?? .max
    }
}
