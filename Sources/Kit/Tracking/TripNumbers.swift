public import Geodesy
public import Positioning
public import Time

/// The totals of a trip, added up point by point along its trace.
public struct TripNumbers: Sendable, Codable, Hashable {
    /// The number of points in the trace.
    public internal(set) var fixes = 0
    /// The greatest speed that three points in a row confirm, in metres a second: the greatest of the medians of three.
    public private(set) var maximumSpeed: Double?
    /// The total length of the straight lines across the gaps, in metres.
    public private(set) var gaps = 0.0
    /// The part of the distance that consists of straight lines over more than a minute without a point, in metres.
    public private(set) var bridged = 0.0
    /// The ascent and descent.
    public private(set) var climb = Climb()
    /// The bounding box of the trace; `nil` before the first point.
    public private(set) var bounds: TraceBounds?
    /// The number of seconds spent in stops.
    public private(set) var stopped = 0.0
    /// The number of stops.
    public private(set) var stops = 0

    /// The length up to ``corner``, in metres.
    private var length = 0.0
    private var corner: Coordinate?
    private var lastPlace: Coordinate?
    private var lastTime: Timestamp?
    private var speedBefore: Double?
    private var speedBeforeThat: Double?
    private var lastStop: Timestamp?
    /// The number of milliseconds across the gaps; also `nil` in states of earlier versions.
    private var silence: Int64?
    /// The totals before the last point, if that may be an excursion; also `nil` in states of earlier versions.
    private var beforeExcursion: Excursion?

    /// The least distance from one corner to the next, in metres.
    ///
    /// Nearer points do not add to the length.
    ///
    /// Without this, noise adds up: a walk between tall buildings is a tenth too long. Real recordings of runs and
    /// rides lose 0.1 to 0.6 % by it.
    private static let corners = 5.0
    /// The duration of a leg, in seconds, above which it counts as bridged.
    private static let longestSeen = 60.0

    /// The totals before a point that lies far from the one before it, to take it back if the next one is near that.
    private struct Excursion: Sendable, Codable, Hashable {
        var length: Double
        var corner: Coordinate?
        var place: Coordinate
        var time: Timestamp
        var bridged: Double
        var climb: Climb
        var maximumSpeed: Double?
        var speedBefore: Double?
        var speedBeforeThat: Double?
        /// The length of the way out, in metres.
        var way: Double

        /// The least length of a way out and of a way back, in metres.
        static let shortest = 100.0
        /// The longest time in seconds from the point before to the point after.
        static let longestTime = 60.0
        /// The greatest share of the way out and back that may lie between its ends.
        static let share = 0.25
        /// The multiple of the speed known before and after that the ways must exceed.
        static let excess = 3.0
    }

    /// Creates totals of 0.
    public init() {}

    /// The length of the trace on the ellipsoid, without its gaps.
    ///
    /// It is measured from corner to corner, each at least 5 m from the one before, and on to the last point.
    public var distance: Distance {
        guard let corner, let lastPlace else { return .zero }
        return .meters(length) + Ellipsoid.distance(from: corner, to: lastPlace)
    }

    /// The number of seconds across gaps that were not spent in stops.
    public var silent: Double { Double(silence ?? 0) / 1000 }

    /// Whether restored counts and totals are within the bounds of valid states.
    var isBounded: Bool {
        SavedCount.bounds.contains(fixes) && SavedCount.bounds.contains(stops)
            // A trip lies within the 10,000 years of the calendar.
            && (0...Timestamp.latest.milliseconds(since: .earliest)).contains(silence ?? 0)
            && stopped <= Timestamp.latest.seconds(since: .earliest)
            && [stopped, length, gaps, bridged, climb.up, climb.down].allSatisfy { $0 >= 0 }
            && bounds?.isBounded ?? true
    }

    /// Adds a stop between the points before and those after.
    public mutating func stop(from start: Timestamp, to end: Timestamp) {
        stops += 1
        stopped += end.seconds(since: start)
        lastStop = end
    }

    /// Adds a point of the trace.
    ///
    /// Across a gap, the distance does not grow and the speed is unknown.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ fix: Fix, gap: Bool) {
        if gap { beforeExcursion = nil } else { dropExcursion(before: fix) }
        let climbBefore = climb
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
        if !gap { noteExcursion(to: fix, climb: climbBefore) }
        turn(at: fix.coordinate, gap: gap)
        note(speed: fix.speed?.metersPerSecond ?? leg)
        lastPlace = fix.coordinate
        lastTime = fix.time
    }

    /// Takes the last point out of the length and the speeds, if the path led there and back within a minute.
    ///
    /// Such a point is no place where the device was, but a guess of the mobile network. It stays in the trace.
    private mutating func dropExcursion(before fix: Fix) {
        guard let before = beforeExcursion else { return }
        beforeExcursion = nil
        guard let lastPlace, let lastTime, let time = fix.time, time > lastTime,
            time.seconds(since: before.time) <= Excursion.longestTime
        else { return }
        let back = Ellipsoid.distance(from: lastPlace, to: fix.coordinate).meters
        let between = Ellipsoid.distance(from: before.place, to: fix.coordinate).meters
        let speed = min(
            before.way / lastTime.seconds(since: before.time), back / time.seconds(since: lastTime))
        let known = max(before.speedBefore ?? 0, fix.speed?.metersPerSecond ?? 0)
        guard back >= Excursion.shortest, between <= Excursion.share * (before.way + back),
            speed > Excursion.excess * known
        else { return }
        (length, corner, self.lastPlace, self.lastTime) = (before.length, before.corner, before.place, before.time)
        (bridged, climb, maximumSpeed) = (before.bridged, before.climb, before.maximumSpeed)
        (speedBefore, speedBeforeThat) = (before.speedBefore, before.speedBeforeThat)
    }

    /// Remembers the totals before a point that lies far away.
    ///
    /// The last place and time, and the speeds, are still those of the point before; `climb` is, too.
    private mutating func noteExcursion(to fix: Fix, climb: Climb) {
        guard let lastPlace, let lastTime, let time = fix.time, time > lastTime,
            time.seconds(since: lastTime) <= Excursion.longestTime
        else { return }
        let way = Ellipsoid.distance(from: lastPlace, to: fix.coordinate).meters
        guard way >= Excursion.shortest else { return }
        beforeExcursion = Excursion(
            length: length, corner: corner, place: lastPlace, time: lastTime, bridged: bridged, climb: climb,
            maximumSpeed: maximumSpeed, speedBefore: speedBefore, speedBeforeThat: speedBeforeThat, way: way)
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

    /// Updates the greatest speed with the median of the last three, which is the one they confirm.
    private mutating func note(speed: Double?) {
        guard let speed else { return }
        defer { (speedBeforeThat, speedBefore) = (speedBefore, speed) }
        guard let a = speedBeforeThat, let b = speedBefore else { return }
        let median = max(min(a, b), min(max(a, b), speed))
        maximumSpeed = max(maximumSpeed ?? 0, median)
    }
}

/// The ascent and descent of a sequence of heights.
///
/// Only changes that exceed a receiver's noise count.
///
/// The height is followed from turning point to turning point. A rise counts from the lowest height since the last
/// fall, as soon as it reaches the threshold, and grows as long as it continues. The same holds for a fall. Smaller
/// changes are ignored.
public struct Climb: Sendable, Codable, Hashable {
    /// The ascent in metres.
    public private(set) var up = 0.0
    /// The descent in metres.
    public private(set) var down = 0.0
    /// Whether any height was known.
    public private(set) var isKnown = false

    private enum Course: Sendable, Codable, Hashable {
        case unknown
        /// Neither a rise nor a fall has reached the threshold yet.
        case level(lowest: Double, highest: Double)
        case rising(top: Double)
        case falling(bottom: Double)
    }

    private var course = Course.unknown

    /// The change of height, in metres, that counts.
    ///
    /// The heights of satellite receivers wander by less.
    ///
    /// On a flat drive whose heights wander by 4.5 m (standard deviation), a threshold of 5 m would yield a false
    /// ascent of 54 m, and one of 10 m yields 14 m.
    public static let threshold = 10.0

    /// Creates a climb without heights.
    public init() {}

    /// Adds the next height.
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

    /// Separates the next height from the last one, as after a gap.
    public mutating func skip() { course = .unknown }
}
