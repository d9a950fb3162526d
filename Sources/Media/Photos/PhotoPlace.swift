import GRDB
import Geodesy
import Positioning
import Service
import Store
import Tracking

/// Where a photo was taken, and how that is known.
struct PhotoPlace: Sendable {
    var coordinate: Coordinate
    /// The trip on whose trace it is; nil where only the camera says where it was.
    var trip: String?
}

/// Finds where photos were taken; what is the same for all of a page is asked once.
struct PhotoPlaces {
    /// How far in milliseconds before or after a trip a photo may be taken to be placed at its end: as long as it
    /// takes until a rest ends a trip.
    private static let patience: Int64 = 900_000
    /// The devices that carry the person who was asked about last.
    private var carried: (person: String, devices: [String])?

    /// Where a photo was taken: at the point nearest in time of a device that carries who took it, else where the
    /// camera says; nil where neither is known.
    ///
    /// Found each time it is asked, as traces are committed, imported, edited and given up at any time.
    ///
    /// - Complexity: O(log *n*) for *n* points, for each device.
    mutating func find(for photo: Photo, in db: Database) throws -> PhotoPlace? {
        if let time = photo.taken, let person = photo.person {
            var best: (fix: Fix, trip: String)?
            for device in try devices(carrying: person, in: db) {
                guard let found = try Self.nearest(to: time, device: device, in: db) else { continue }
                if best.map({ found.fix.distance(from: time) < $0.fix.distance(from: time) }) ?? true { best = found }
            }
            if let best { return PhotoPlace(coordinate: best.fix.coordinate, trip: best.trip) }
        }
        return photo.coordinate.map { PhotoPlace(coordinate: $0, trip: nil) }
    }

    private mutating func devices(carrying person: String, in db: Database) throws -> [String] {
        if let carried, carried.person == person { return carried.devices }
        let devices = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT device FROM carried WHERE person = (SELECT number FROM person WHERE id = ?)
                    ORDER BY device
                    """), arguments: [person])
        carried = (person, devices)
        return devices
    }

    /// The point of a device nearest in time, on the trip then or just before or after.
    private static func nearest(
        to time: Timestamp, device: String, in db: Database
    ) throws -> (fix: Fix, trip: String)? {
        let trips = try Travels.trips(
            ofDevice: device, startingBefore: time.advanced(byMilliseconds: patience + 1),
            endingAfter: time.advanced(byMilliseconds: -patience - 1), limit: 2, around: time, in: db)
        var best: (fix: Fix, trip: String)?
        for trip in trips {
            let points = [trip.before, trip.after].compactMap(\.self)
            guard let fix = points.min(by: { $0.distance(from: time) < $1.distance(from: time) }),
                // One that goes on ends where its last point is so far.
                trip.end != nil || time.milliseconds(since: fix.time ?? time) <= patience,
                best.map({ fix.distance(from: time) < $0.fix.distance(from: time) }) ?? true
            else { continue }
            best = (fix, trip.id)
        }
        return best
    }
}

extension Fix {
    /// How far in time a point is from a moment, in milliseconds.
    fileprivate func distance(from moment: Timestamp) -> Int64 {
        time.map { abs($0.milliseconds(since: moment)) } ?? .max
    }
}
