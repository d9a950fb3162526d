public import Geodesy
public import Positioning

/// What a trip adds up to, point by point of its trace.
public struct TripNumbers: Sendable, Codable, Hashable {
    /// How many points the trace has.
    public internal(set) var fixes = 0
    /// The greatest speed that three points in a row bear out, in metres a second: the greatest of the medians of three.
    public private(set) var maximumSpeed: Double?
    /// How far it is across the gaps, in metres.
    public private(set) var gaps = 0.0
    /// How much of the distance are straight lines over more than a minute without a point, in metres.
    public private(set) var bridged = 0.0
    /// What it goes up and down.
    public private(set) var climb = Climb()
    /// Where it lies; nil before the first point.
    public private(set) var bounds: TraceBounds?
    /// Seconds spent in stops.
    public private(set) var stopped = 0.0
    /// How many stops there were.
    public private(set) var stops = 0

    /// The length up to the corner, in metres.
    private var length = 0.0
    private var corner: Coordinate?
    private var lastPlace: Coordinate?
    private var lastTime: Timestamp?
    private var speedBefore: Double?
    private var speedBeforeThat: Double?
    private var lastStop: Timestamp?
    /// Milliseconds across the gaps; nil in states of earlier versions too.
    private var silence: Int64?

    /// Points nearer than this to the last corner, in metres, are the same place as far as the length goes.
    ///
    /// So noise does not add up: without it a walk between high houses is a tenth too long. Real recordings of runs
    /// and rides lose 0.1 to 0.6 % by it.
    private static let corners = 5.0
    /// Legs of more seconds are not seen, but drawn.
    private static let longestSeen = 60.0

    /// Nothing travelled yet.
    public init() {}

    /// The length of the trace on the ellipsoid, without its gaps: from corner to corner, each at least 5 m from the
    /// one before, and to the last point.
    public var distance: Distance {
        guard let corner, let lastPlace else { return .zero }
        return .meters(length) + Ellipsoid.distance(from: corner, to: lastPlace)
    }

    /// Seconds across the gaps that were not spent in stops.
    public var silent: Double { Double(silence ?? 0) / 1000 }

    /// Whether what was saved of it can be counted on.
    var isBounded: Bool {
        SavedCount.bounds.contains(fixes) && SavedCount.bounds.contains(stops)
            // A trip lies within the 10,000 years that there are.
            && (0...Timestamp.latest.milliseconds(since: .earliest)).contains(silence ?? 0)
            && bounds?.isBounded ?? true
    }

    /// Adds a stop between the points before and those after.
    public mutating func stop(from start: Timestamp, to end: Timestamp) {
        stops += 1
        stopped += end.seconds(since: start)
        lastStop = end
    }

    /// Adds a point of the trace; over a gap no distance is counted and no speed is known.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ fix: Fix, gap: Bool) {
        fixes += 1
        bounds?.include(fix.coordinate)
        if bounds == nil { bounds = TraceBounds(fix.coordinate) }
        if gap { climb.skip() }
        if let altitude = fix.altitude { climb.add(altitude) }
        var leg: Double?
        if let lastPlace, let lastTime, let time = fix.time {
            if gap {
                length = distance.meters
                gaps += Ellipsoid.distance(from: lastPlace, to: fix.coordinate).meters
                silence = (silence ?? 0) + max(0, time.milliseconds(since: max(lastTime, lastStop ?? lastTime)))
            } else {
                let seconds = time.seconds(since: lastTime)
                if fix.speed == nil || seconds > Self.longestSeen {
                    let way = Ellipsoid.distance(from: lastPlace, to: fix.coordinate).meters
                    if seconds > 0 { leg = way / seconds }
                    if seconds > Self.longestSeen { bridged += way }
                }
            }
        }
        turn(at: fix.coordinate, gap: gap)
        note(speed: fix.speed?.metersPerSecond ?? leg)
        lastPlace = fix.coordinate
        lastTime = fix.time
    }

    private mutating func turn(at place: Coordinate, gap: Bool) {
        guard !gap, let corner else {
            corner = place
            return
        }
        let way = Ellipsoid.distance(from: corner, to: place).meters
        guard way >= Self.corners else { return }
        length += way
        self.corner = place
    }

    /// Takes the median of the last three speeds for one that is borne out.
    private mutating func note(speed: Double?) {
        guard let speed else { return }
        defer { (speedBeforeThat, speedBefore) = (speedBefore, speed) }
        guard let a = speedBeforeThat, let b = speedBefore else { return }
        let median = max(min(a, b), min(max(a, b), speed))
        maximumSpeed = max(maximumSpeed ?? 0, median)
    }
}

/// What heights go up and down, where a change counts once it exceeds what a receiver's height wanders.
///
/// The height is followed from turning point to turning point. A rise is counted from the lowest height since the
/// last fall as soon as it reaches the threshold, and on while it rises; a fall likewise. Smaller changes are none.
public struct Climb: Sendable, Codable, Hashable {
    /// Metres up.
    public private(set) var up = 0.0
    /// Metres down.
    public private(set) var down = 0.0
    /// Whether any height was known.
    public private(set) var isKnown = false

    private enum Course: Sendable, Codable, Hashable {
        case unknown
        /// Neither has reached the threshold yet.
        case level(lowest: Double, highest: Double)
        case rising(top: Double)
        case falling(bottom: Double)
    }

    private var course = Course.unknown

    /// Metres that a change of height must reach to count: what the heights of satellite receivers wander by.
    ///
    /// On a flat drive whose heights wander by 4.5 m (standard deviation) 5 m would make 54 m up of nothing, 10 m make 14.
    public static let threshold = 10.0

    /// No heights yet.
    public init() {}

    /// Takes the next height.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ altitude: Distance) {
        isKnown = true
        let height = altitude.meters
        switch course {
        case .unknown: course = .level(lowest: height, highest: height)
        case .level(let lowest, _) where height - lowest >= Self.threshold: rise(from: lowest, to: height)
        case .level(_, let highest) where highest - height >= Self.threshold: fall(from: highest, to: height)
        case .level(let lowest, let highest):
            course = .level(lowest: min(lowest, height), highest: max(highest, height))
        case .rising(let top) where height > top: rise(from: top, to: height)
        case .rising(let top) where top - height >= Self.threshold: fall(from: top, to: height)
        case .falling(let bottom) where height < bottom: fall(from: bottom, to: height)
        case .falling(let bottom) where height - bottom >= Self.threshold: rise(from: bottom, to: height)
        case .rising, .falling: break
        }
    }

    private mutating func rise(from low: Double, to height: Double) {
        up += height - low
        course = .rising(top: height)
    }

    private mutating func fall(from high: Double, to height: Double) {
        down += high - height
        course = .falling(bottom: height)
    }

    /// The next height has nothing to do with the last one.
    public mutating func skip() { course = .unknown }
}
