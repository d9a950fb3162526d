import GRDB
import Geodesy
public import Positioning
public import Tracking

/// A trip as it is in the store.
public struct RecordedTrip: Hashable, Sendable {
    /// When, how far and how fast; what is not known yet is 0.
    public var summary: TripSummary
    /// The version of the rules it was computed by; see `TrackingPolicy.algorithm`.
    public var algorithm: Int
    /// The settings it was computed with, JSON.
    public var settings: String
    /// How often someone has changed it since.
    public var revision: Int
    /// Whether someone imported it, so that the event log may tell nothing of it.
    public var isImported = false
}

/// Which trips are asked for.
public struct TripQuery: Hashable, Sendable {
    /// Those of one device.
    public var device: String?
    /// Those that began then or later.
    public var since: Timestamp?
    /// Those that began earlier.
    public var until: Timestamp?
    /// Those that stand before this one in the order of start and id.
    public var before: Mark?
    /// The newest so many.
    public var limit: Int

    /// Where a trip stands among all: by start, those of one start by id.
    public struct Mark: Hashable, Sendable {
        /// When it began.
        public var start: Timestamp
        /// Its id.
        public var id: String

        /// The mark of a trip, which need not be there any more.
        public init(start: Timestamp, id: String) {
            self.start = start
            self.id = id
        }
    }

    /// All trips, or the newest of some.
    public init(
        device: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil, before: Mark? = nil,
        limit: Int = .max
    ) {
        self.device = device
        self.since = since
        self.until = until
        self.before = before
        self.limit = limit
    }
}

extension RecordedTrip {
    init(_ row: Row) {
        summary = TripSummary(device: row[1], start: Timestamp(milliseconds: row[2]))
        summary.id = row[0]
        summary.end = (row[3] as Int64?).map(Timestamp.init)
        summary.distance = .meters(row[4] ?? 0)
        summary.stopped = row[5] ?? 0
        summary.maximumSpeed = (row[6] as Double?).map(Speed.metersPerSecond)
        summary.stops = row[7] ?? 0
        summary.fixes = row[8] ?? 0
        algorithm = row[9]
        settings = row[10]
        revision = row[11]
        isImported = row[21]
        summary.gaps = .meters(row[12] ?? 0)
        summary.bridged = .meters(row[13] ?? 0)
        summary.climb = (row[14] as Double?).map(Distance.meters)
        summary.descent = (row[15] as Double?).map(Distance.meters)
        if let south: Int32 = row[16], let west: Int32 = row[17], let north: Int32 = row[18], let east: Int32 = row[19]
        {
            summary.bounds = TraceBounds(southE7: south, westE7: west, northE7: north, eastE7: east)
        }
        if let moving: Double = row[20] {
            let silent = ((summary.moving - moving) * 1000).rounded() / 1000
            summary.silent = silent > 0 ? silent : nil
        }
    }
}
