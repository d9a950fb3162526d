import Geodesy
import Positioning

/// A point of a trace in the whole units of the store.
///
/// What is not finite, or beyond any receiver, is unknown.
struct TracePoint: Hashable, Sendable {
    /// Milliseconds since the trip's start.
    var time: Int64
    var latitudeE7: Int64
    var longitudeE7: Int64
    var altitude: Int64?
    var speed: Int64?
    var track: Int64?
    var accuracy: Int64?
    /// Whether the way from the point before is not known.
    var gap: Bool

    /// Decimetres.
    private static let altitudes: ClosedRange<Double> = -1e6...1e7
    /// Centimetres a second.
    private static let speeds: ClosedRange<Double> = 0...1e7
    /// Metres.
    private static let accuracies: ClosedRange<Double> = 0...1e7

    /// A fix as a point; nil for one without time, or decades from the trip's start.
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

    /// The point as a fix, which begins a segment where the way to it is not known; nil where it is no place on
    /// earth.
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

    // A comparison with NaN is false, and so makes it unknown.
    private static func whole(_ value: Double?, within range: ClosedRange<Double>) -> Int64? {
        value.flatMap { range.contains($0) ? Int64($0.rounded()) : nil }
    }
}
