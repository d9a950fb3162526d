public import Geodesy
public import Positioning
public import Time

/// A recorded trip from one rest to the next.
public struct TripSummary: Hashable, Sendable, Codable {
    /// The id, `DEVICE@START`.
    ///
    /// If the timeline has restarted, its number follows: `gps0@2026-05-01T10:00:00.000Z~1`.
    public var id: String
    /// The name of the device.
    public var device: String
    /// The time of the first moving fix.
    public var start: Timestamp
    /// The time of the arrival, or of the last fix before a silence; `nil` while the trip is open.
    public var end: Timestamp?
    /// The length of the trace on the ellipsoid, without its gaps; see ``TripNumbers/distance``.
    public var distance = Distance.zero
    /// The number of seconds spent in reported stops.
    public var stopped = 0.0
    /// The number of seconds across gaps that were not spent in stops; `nil` for none.
    public var silent: Double?
    /// The greatest speed that three fixes in a row confirm: the greatest of the medians of three.
    ///
    /// It is at least the average of an ended trip.
    public var maximumSpeed: Speed?
    /// The number of stops reported between start and end.
    public var stops = 0
    /// The number of fixes in the trace.
    public var fixes = 0
    /// The length of the straight lines across the gaps of the trace, which is not part of the distance.
    public var gaps = Distance.zero
    /// The part of the distance that consists of straight lines over more than a minute without a fix.
    public var bridged = Distance.zero
    /// The total ascent, without the wandering of a receiver's height; `nil` if no height is known.
    public var climb: Distance?
    /// The total descent; see ``climb``.
    public var descent: Distance?
    /// The bounding box of the trace.
    public var bounds: TraceBounds?
    /// How the device travelled, as an imported recording tells it.
    public var kind: TripKind?

    /// Creates the summary of a trip that begins.
    public init(device: String, start: Timestamp, timeline: Int? = nil) {
        self.init(id: travelID(device: device, start: start, timeline: timeline), device: device, start: start)
    }

    /// Creates the summary of a trip with an id.
    public init(id: String, device: String, start: Timestamp) {
        self.id = id
        self.device = device
        self.start = start
    }

    /// The number of seconds from start to end spent neither in stops nor across gaps; 0 while the trip is open.
    public var moving: Double { end.map { max(0, $0.seconds(since: start) - stopped - (silent ?? 0)) } ?? 0 }

    /// The distance divided by the time spent moving; `nil` while the trip is open, or if that time is 0.
    public var averageMovingSpeed: Speed? { moving > 0 ? .metersPerSecond(distance.meters / moving) : nil }

    /// Copies the totals of a trace.
    public mutating func adopt(_ numbers: TripNumbers) {
        distance = numbers.distance
        stopped = numbers.stopped
        silent = numbers.silent > 0 ? numbers.silent : nil
        maximumSpeed = numbers.maximumSpeed.map(Speed.metersPerSecond)
        // Three fixes in a row may miss what the whole path shows.
        if let average = averageMovingSpeed, let most = maximumSpeed, average > most { maximumSpeed = average }
        stops = numbers.stops
        fixes = numbers.fixes
        gaps = .meters(numbers.gaps)
        bridged = .meters(numbers.bridged)
        climb = numbers.climb.isKnown ? .meters(numbers.climb.up) : nil
        descent = numbers.climb.isKnown ? .meters(numbers.climb.down) : nil
        bounds = numbers.bounds
    }
}

/// A rest that lasted long enough to be reported.
public struct StopSummary: Hashable, Sendable, Codable {
    /// The id, `DEVICE@START`, followed by the number of the timeline as for trips.
    public var id: String
    /// The name of the device.
    public var device: String
    /// The time of the arrival.
    public var start: Timestamp
    /// The time of the last fix at rest; `nil` while the stop is open.
    public var end: Timestamp?
    /// The mean of the positions since the arrival.
    public var place: Coordinate

    /// Creates the summary of a stop that begins.
    public init(device: String, start: Timestamp, place: Coordinate, timeline: Int? = nil) {
        self.id = travelID(device: device, start: start, timeline: timeline)
        self.device = device
        self.start = start
        self.place = place
    }
}

/// A change to the stored travels of a device.
///
/// Changes must be written in the given order.
public enum TravelChange: Hashable, Sendable {
    /// A trip begins.
    ///
    /// Its points follow.
    case tripBegan(TripSummary)
    /// A point is added to the open trip; `gap` if the path from the point before is unknown.
    case point(Fix, gap: Bool)
    /// All points of the open trip after this time are removed.
    case truncated(after: Timestamp)
    /// The open trip has ended.
    ///
    /// Its summary is final.
    case tripEnded(TripSummary)
    /// Two ended trips, given by their ids, are one journey.
    ///
    /// The receiver was silent between them.
    case tripsJoined(String, String, decided: Timestamp)
    /// A stop begins.
    case stopBegan(StopSummary)
    /// A stop has ended.
    ///
    /// Its summary is final.
    case stopEnded(StopSummary)
}

/// Returns the id of a trip or stop that a device began at a time.
///
/// The number of the timeline is part of it, because the same time can occur again after a restart.
private func travelID(device: String, start: Timestamp, timeline: Int?) -> String {
    "\(device)@\(start)" + (timeline.map { "~\($0)" } ?? "")
}
