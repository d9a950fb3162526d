import Geodesy
import Positioning
import Time

/// A point of a trace in the integer units of the store.
///
/// Values that are not finite, or out of range for any receiver, are unknown.
struct TracePoint: Hashable, Sendable {
    /// The time in milliseconds since the trip's start.
    var time: Int64
    var latitudeE7: Int64
    var longitudeE7: Int64
    var altitude: Int64?
    var speed: Int64?
    var track: Int64?
    var accuracy: Int64?
    /// Whether the path from the previous point is unknown.
    var gap: Bool

    /// The range of heights, in decimetres.
    private static let altitudes: ClosedRange<Double> = -1e6...1e7
    /// The range of speeds, in centimetres per second.
    private static let speeds: ClosedRange<Double> = 0...1e7
    /// The range of accuracies, in metres.
    private static let accuracies: ClosedRange<Double> = 0...1e7

    /// Converts a fix to a point; `nil` if the fix has no time, or lies before the trip's start or decades after it.
    init?(_ fix: Fix, since start: Timestamp, gap: Bool) {
        guard let time = fix.time?.milliseconds(since: start), TraceKeys.times.contains(time) else { return nil }
        self.time = time
        self.gap = gap
        latitudeE7 = Int64(fix.coordinate.latitudeE7)
        longitudeE7 = Int64(fix.coordinate.longitudeE7)
        altitude = Self.whole(fix.altitude.map { $0.meters * 10 }, within: Self.altitudes)
        speed = Self.whole(fix.speed.map { $0.metersPerSecond * 100 }, within: Self.speeds)
        track = Self.whole(fix.track.map { $0.normalized.degrees * 10 }, within: 0...3600).map { $0 % 3600 }
        accuracy = Self.whole(fix.accuracy?.meters.rounded(.up), within: Self.accuracies)
    }

    init(
        time: Int64, latitudeE7: Int64, longitudeE7: Int64, altitude: Int64?, speed: Int64?, track: Int64?,
        accuracy: Int64?, gap: Bool
    ) {
        self.time = time
        self.latitudeE7 = latitudeE7
        self.longitudeE7 = longitudeE7
        self.altitude = altitude
        self.speed = speed
        self.track = track
        self.accuracy = accuracy
        self.gap = gap
    }

    /// Returns the point as a fix, which begins a segment if there is a gap; `nil` if the coordinates are not valid.
    func fix(since start: Timestamp) -> Fix? {
        guard let latitude = Int32(exactly: latitudeE7), let longitude = Int32(exactly: longitudeE7),
            let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        else { return nil }
        var fix = Fix(time: start.advanced(byMilliseconds: time), coordinate: place, beginsSegment: gap)
        fix.altitude = altitude.map { .meters(Double($0) / 10) }
        fix.speed = speed.map { .metersPerSecond(Double($0) / 100) }
        fix.track = track.map { .degrees(Double($0) / 10) }
        fix.accuracy = accuracy.map { .meters(Double($0)) }
        return fix
    }

    // A comparison with NaN is false, which makes NaN unknown.
    private static func whole(_ value: Double?, within range: ClosedRange<Double>) -> Int64? {
        value.flatMap { range.contains($0) ? Int64($0.rounded()) : nil }
    }
}
