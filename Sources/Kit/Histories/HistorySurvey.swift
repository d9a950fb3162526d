import Geodesy
import Positioning
public import Time

/// What histories hold: how many points and visits, from when to when, and where.
public struct HistorySurvey: Hashable, Sendable {
    /// The number of places with a time.
    public private(set) var points = 0
    /// The number of tracks: of segments without a gap.
    public private(set) var tracks = 0
    /// The number of visits.
    public private(set) var visits = 0
    /// The earliest time of a point; `nil` if there is none.
    public private(set) var first: Timestamp?
    /// The latest time of a point; `nil` if there is none.
    public private(set) var last: Timestamp?

    private var latitudes: ClosedRange<Int32>?
    private var longitudes = LongitudeSpan()

    /// The area of some places, in degrees.
    public struct Bounds: Hashable, Sendable {
        /// The southernmost latitude.
        public let south: Double
        /// The westernmost longitude.
        ///
        /// It is greater than ``east`` if the area crosses the antimeridian.
        public let west: Double
        /// The northernmost latitude.
        public let north: Double
        /// The easternmost longitude.
        public let east: Double
    }

    /// Creates the survey of nothing.
    public init() {}

    /// Counts an item; a fix without a time and an activity do not count.
    public mutating func add(_ item: HistoryItem) {
        switch item {
        case .fix(let fix): add(fix)
        case .visit: visits += 1
        case .activity: break
        }
    }

    private mutating func add(_ fix: Fix) {
        guard let time = fix.time else { return }
        points += 1
        if fix.beginsSegment || points == 1 { tracks += 1 }
        first = min(first ?? time, time)
        last = max(last ?? time, time)
        let latitude = fix.coordinate.latitudeE7
        latitudes = min(latitudes?.lowerBound ?? latitude, latitude)...max(latitudes?.upperBound ?? latitude, latitude)
        longitudes.add(fix.coordinate.longitudeE7)
    }

    /// Counts the visits of another history of the same time, whose points are not used.
    public mutating func addVisits(of other: HistorySurvey) { visits += other.visits }

    /// Adds the survey of another history.
    public mutating func add(_ other: HistorySurvey) {
        points += other.points
        tracks += other.tracks
        visits += other.visits
        first = [first, other.first].compactMap(\.self).min()
        last = [last, other.last].compactMap(\.self).max()
        if let more = other.latitudes {
            let own = latitudes ?? more
            latitudes = min(own.lowerBound, more.lowerBound)...max(own.upperBound, more.upperBound)
        }
        longitudes.add(other.longitudes)
    }

    /// The smallest area that holds all points; `nil` if there is none.
    public var bounds: Bounds? {
        guard let latitudes, let span = longitudes.smallest else { return nil }
        func degrees(_ units: Int32) -> Double { Double(units) / Coordinate.unitsPerDegree }
        return Bounds(
            south: degrees(latitudes.lowerBound), west: degrees(span.west), north: degrees(latitudes.upperBound),
            east: degrees(span.east))
    }
}

/// The longitudes of some places, in units of 1e-7 degrees, from which the smallest span that holds all follows.
///
/// The circle is cut into bins of a tenth of a degree, each with its least and greatest longitude. The smallest span
/// leaves out the greatest gap between occupied bins.
private struct LongitudeSpan: Hashable, Sendable {
    private static let bins = 3600
    private static let half: Int64 = 1_800_000_000
    private static let width: Int64 = 1_000_000

    /// Empty before the first longitude; a bin without one has its bounds in the wrong order.
    private var least: [Int32] = []
    private var greatest: [Int32] = []

    mutating func add(_ longitude: Int32) { add(longitude, longitude) }

    mutating func add(_ other: LongitudeSpan) {
        for (least, greatest) in zip(other.least, other.greatest) where least <= greatest { add(least, greatest) }
    }

    /// Adds two longitudes of the same bin.
    private mutating func add(_ low: Int32, _ high: Int32) {
        if least.isEmpty {
            least = [Int32](repeating: .max, count: Self.bins)
            greatest = [Int32](repeating: .min, count: Self.bins)
        }
        // A longitude is from -180 to 180 degrees, and the last bin also holds 180 itself.
        let bin = min(Int((Int64(low) + Self.half) / Self.width), Self.bins - 1)
        least[bin] = min(least[bin], low)
        greatest[bin] = max(greatest[bin], high)
    }

    var smallest: (west: Int32, east: Int32)? {
        let occupied = least.indices.filter { least[$0] <= greatest[$0] }
        guard let first = occupied.first, let last = occupied.last else { return nil }
        // The gap across the antimeridian comes first, so that of equal gaps it is the one left out.
        var span = (west: least[first], east: greatest[last])
        var gap = Int64(least[first]) + 2 * Self.half - Int64(greatest[last])
        for (bin, next) in zip(occupied, occupied.dropFirst()) {
            let width = Int64(least[next]) - Int64(greatest[bin])
            if width > gap { (gap, span) = (width, (west: least[next], east: greatest[bin])) }
        }
        return span
    }
}
