import GRDB
import Geodesy
import Positioning
import Service
import Store
import Time
import Tracking

/// The place where a photo was taken, and its source.
struct PhotoPlace: Sendable {
    var coordinate: Coordinate
    /// The id of the trip whose trace has the place, or `nil` if the place is from the camera.
    var trip: String?
}

/// A finder of the places where photos were taken.
///
/// It remembers what the photos of one page have in common.
struct PhotoPlaces {
    /// The maximum time between a photo and the end of a trip at which the photo is placed, in milliseconds.
    ///
    /// It is the duration of a rest after which a trip ends.
    private static let maximumGap: Int64 = 900_000
    /// The devices that carry the person of the previous lookup.
    private var carried: (person: String, devices: [String])?

    /// Returns where a photo was taken, or `nil` if that is not known.
    ///
    /// The place is the point nearest in time on the trace of a device that carries the person who added the photo.
    /// Without such a point, it is the coordinate from the camera.
    ///
    /// The result is not stored, because traces may be committed, imported, edited and discarded at any time.
    ///
    /// - Complexity: O(log *n*) for each device with *n* points.
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

    /// Returns a device's point nearest in time, on a trip at that time or on one that ended just before or started
    /// just after.
    private static func nearest(
        to time: Timestamp, device: String, in db: Database
    ) throws -> (fix: Fix, trip: String)? {
        let trips = try Travels.trips(
            ofDevice: device, startingBefore: time.advanced(byMilliseconds: maximumGap + 1),
            endingAfter: time.advanced(byMilliseconds: -maximumGap - 1), limit: 2, around: time, in: db)
        var best: (fix: Fix, trip: String)?
        for trip in trips {
            let points = [trip.before, trip.after].compactMap(\.self)
            guard let fix = points.min(by: { $0.distance(from: time) < $1.distance(from: time) }),
                // A trip in progress ends at its last point so far.
                trip.end != nil || time.milliseconds(since: fix.time ?? time) <= maximumGap,
                best.map({ fix.distance(from: time) < $0.fix.distance(from: time) }) ?? true
            else { continue }
            best = (fix, trip.id)
        }
        return best
    }
}

extension Fix {
    /// Returns the time between the point and a moment, in milliseconds, or `Int64.max` if the point has no time.
    fileprivate func distance(from moment: Timestamp) -> Int64 {
        time.map { abs($0.milliseconds(since: moment)) } ?? .max
    }
}
