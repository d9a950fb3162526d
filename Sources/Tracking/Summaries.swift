public import Geodesy
public import Positioning

/// A recorded trip: what was travelled from one place of rest to the next.
public struct TripSummary: Hashable, Sendable, Codable {
    /// `DEVICE@START`, and in a timeline that has begun anew also its number: `gps0@2026-05-01T10:00:00.000Z~1`.
    public var id: String
    /// Which device travelled.
    public var device: String
    /// The first moving fix.
    public var start: Timestamp
    /// The arrival, or the last fix before silence; nil while it goes on.
    public var end: Timestamp?
    /// The length of the trace on the ellipsoid, without its gaps; see ``TripNumbers/distance``.
    public var distance = Distance.zero
    /// Seconds spent in stops that were told.
    public var stopped = 0.0
    /// Seconds across its gaps that were not spent in stops; nil for none.
    public var silent: Double?
    /// The greatest speed that three fixes in a row bear out: the greatest of the medians of three.
    public var maximumSpeed: Speed?
    /// How many stops were told between start and end.
    public var stops = 0
    /// How many fixes the trace has.
    public var fixes = 0
    /// The length of the straight lines across the gaps of the trace, which is not part of the distance.
    public var gaps = Distance.zero
    /// How much of the distance are straight lines over more than a minute without a fix.
    public var bridged = Distance.zero
    /// Metres up and metres down, without what a receiver's height wanders; nil where no height is known.
    public var climb: Distance?
    /// Metres down; see ``climb``.
    public var descent: Distance?
    /// Where it lies.
    public var bounds: TraceBounds?

    /// A trip that begins.
    public init(device: String, start: Timestamp, timeline: Int? = nil) {
        self.id = travelID(device: device, start: start, timeline: timeline)
        self.device = device
        self.start = start
    }

    /// Seconds from start to end that were spent neither in stops nor across gaps; 0 while it goes on.
    public var moving: Double { end.map { max(0, $0.seconds(since: start) - stopped - (silent ?? 0)) } ?? 0 }

    /// The distance by the time spent moving; nil while it goes on, and where it took no time.
    public var averageMovingSpeed: Speed? { moving > 0 ? .metersPerSecond(distance.meters / moving) : nil }

    /// Takes over what a trace adds up to.
    public mutating func adopt(_ numbers: TripNumbers) {
        distance = numbers.distance
        stopped = numbers.stopped
        silent = numbers.silent > 0 ? numbers.silent : nil
        maximumSpeed = numbers.maximumSpeed.map(Speed.metersPerSecond)
        stops = numbers.stops
        fixes = numbers.fixes
        gaps = .meters(numbers.gaps)
        bridged = .meters(numbers.bridged)
        climb = numbers.climb.isKnown ? .meters(numbers.climb.up) : nil
        descent = numbers.climb.isKnown ? .meters(numbers.climb.down) : nil
        bounds = numbers.bounds
    }
}

/// A rest long enough to be told.
public struct StopSummary: Hashable, Sendable, Codable {
    /// `DEVICE@START`, with the number of the timeline as for trips.
    public var id: String
    /// Which device rested.
    public var device: String
    /// The arrival.
    public var start: Timestamp
    /// The last fix at rest; nil while it goes on.
    public var end: Timestamp?
    /// The mean of the places since the arrival.
    public var place: Coordinate

    /// A stop that begins.
    public init(device: String, start: Timestamp, place: Coordinate, timeline: Int? = nil) {
        self.id = travelID(device: device, start: start, timeline: timeline)
        self.device = device
        self.start = start
        self.place = place
    }
}

/// A change of what is kept of a device's travels, to be written in the order given.
public enum TravelChange: Hashable, Sendable {
    /// A trip begins; its points follow.
    case tripBegan(TripSummary)
    /// A point of the trip that is open; `gap` where the way from the point before is not known.
    case point(Fix, gap: Bool)
    /// All points of the open trip later than this are none of it.
    case truncated(after: Timestamp)
    /// The open trip has ended; its summary is final.
    case tripEnded(TripSummary)
    /// Two trips that have ended, by their ids, are one journey, of which a part was not heard.
    case tripsJoined(String, String, decided: Timestamp)
    /// A stop begins.
    case stopBegan(StopSummary)
    /// A stop has ended; its summary is final.
    case stopEnded(StopSummary)
}

/// The id of what a device began at a time; times come twice where its timeline has begun anew.
private func travelID(device: String, start: Timestamp, timeline: Int?) -> String {
    "\(device)@\(start)" + (timeline.map { "~\($0)" } ?? "")
}
