import GRDB
import Geodesy
import Positioning
public import Time
public import Tracking

/// A trip in the store.
public struct RecordedTrip: Hashable, Sendable {
    /// The trip's times and numbers; those that are not known yet are 0.
    public var summary: TripSummary
    /// The version of the algorithm that computed the trip; see `TrackingPolicy.algorithm`.
    public var algorithm: Int
    /// The number of changes that people have made to the trip since it was recorded.
    public var revision: Int
    /// Whether the trip was imported, so that the event log may have no events about it.
    public var isImported = false
}

/// The filters and the limit of a list of trips.
public struct TripQuery: Hashable, Sendable {
    /// The device of the trips; `nil` for all devices.
    public var device: String?
    /// The earliest start, included.
    public var since: Timestamp?
    /// The latest start, excluded.
    public var until: Timestamp?
    /// Only trips before this mark are listed, in the order of start and id.
    public var before: Mark?
    /// The most trips to list; the newest are kept.
    public var limit: Int
    /// The only trips to list; `nil` for all.
    public var scope: TravelScope?

    /// A trip's place in the list of all trips, by start and then by id.
    public struct Mark: Hashable, Sendable {
        /// The start of the trip.
        public var start: Timestamp
        /// The id of the trip.
        public var id: String

        /// Creates the mark of a trip, which may have been removed since.
        public init(start: Timestamp, id: String) {
            self.start = start
            self.id = id
        }
    }

    /// The time before which the listed trips begin, in milliseconds.
    ///
    /// With a mark, it is at most just after that. SQLite looks a page up by one upper limit alone, and takes the one of
    /// time, so that without this each page would begin at the newest trip.
    var latest: Int64 {
        let until = until?.milliseconds ?? .max
        guard let mark = before?.start.milliseconds, mark < until else { return until }
        return mark + 1
    }

    /// Creates a query; the default lists all trips.
    public init(
        device: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil, before: Mark? = nil,
        limit: Int = .max, scope: TravelScope? = nil
    ) {
        self.scope = scope
        self.device = device
        self.since = since
        self.until = until
        self.before = before
        self.limit = limit
    }
}

extension RecordedTrip {
    init(_ row: StoredRow) {
        summary = TripSummary(id: row[0], device: row[1], start: Timestamp(milliseconds: row[2]))
        summary.end = (row[3] as Int64?).map(Timestamp.init)
        summary.distance = .meters(row[4] ?? 0)
        summary.stopped = row[5] ?? 0
        summary.maximumSpeed = (row[6] as Double?).map(Speed.metersPerSecond)
        summary.stops = row[7] ?? 0
        summary.fixes = row[8] ?? 0
        algorithm = row[9]
        revision = row[10]
        isImported = row[20]
        summary.kind = (row[21] as String?).flatMap { TripKind(rawValue: $0) }
        summary.gaps = .meters(row[11] ?? 0)
        summary.bridged = .meters(row[12] ?? 0)
        summary.climb = (row[13] as Double?).map(Distance.meters)
        summary.descent = (row[14] as Double?).map(Distance.meters)
        if let south: Int32 = row[15], let west: Int32 = row[16], let north: Int32 = row[17], let east: Int32 = row[18]
        {
            summary.bounds = TraceBounds(southE7: south, westE7: west, northE7: north, eastE7: east)
        }
        if let moving: Double = row[19] {
            let silent = ((summary.moving - moving) * 1000).rounded() / 1000
            summary.silent = silent > 0 ? silent : nil
        }
    }
}
