#if Fleet
import Geodesy
public import Positioning
public import Time

/// Points of a trip in few bytes: about 12 for each of a drive.
///
/// The units are those of one Waymark's store: milliseconds, 10⁻⁷ degrees, decimetres, centimetres a second, tenths
/// of a degree, and metres rounded up. A byte says which values a point has; times, places and values are
/// differences to those before.
public struct PackedTrace: Hashable, Sendable {
    /// The bytes, as the database keeps them.
    public let bytes: [UInt8]
    /// The time of the first point.
    public let first: Timestamp
    /// The time of the last point.
    public let last: Timestamp
    /// The number of points.
    public let count: Int

    /// The most points of one packet.
    public static let mostPoints = 500

    private static let version: UInt8 = 1

    /// The values of a point that may be missing, in the order of their bits.
    private struct Values: OptionSet {
        let rawValue: UInt8
        static let altitude = Values(rawValue: 1)
        static let speed = Values(rawValue: 2)
        static let track = Values(rawValue: 4)
        static let accuracy = Values(rawValue: 8)
        static let gap = Values(rawValue: 16)
        static let all: Values = [.altitude, .speed, .track, .accuracy, .gap]
    }

    /// Packs points, of which those without a time are left out.
    ///
    /// - Parameter points: At most ``mostPoints`` points in the order of their times; further ones are left out.
    /// - Returns: `nil` if there is no point.
    public init?(_ points: some Sequence<(fix: Fix, gap: Bool)>) {
        var packer = BytePacker()
        var before = Point()
        var (first, last, count): (Timestamp?, Timestamp?, Int) = (nil, nil, 0)
        for (fix, gap) in points where count < Self.mostPoints {
            guard let time = fix.time else { continue }
            let point = Point(fix, at: time)
            var values: Values = gap ? .gap : []
            if point.altitude != nil { values.insert(.altitude) }
            if point.speed != nil { values.insert(.speed) }
            if point.track != nil { values.insert(.track) }
            if point.accuracy != nil { values.insert(.accuracy) }
            packer.byte(values.rawValue)
            packer.difference(point.time, before.time)
            packer.difference(point.latitude, before.latitude)
            packer.difference(point.longitude, before.longitude)
            before.altitude = packer.difference(point.altitude, before.altitude)
            before.speed = packer.difference(point.speed, before.speed)
            before.track = packer.difference(point.track, before.track)
            before.accuracy = packer.difference(point.accuracy, before.accuracy)
            (before.time, before.latitude, before.longitude) = (point.time, point.latitude, point.longitude)
            first = first ?? time
            last = time
            count += 1
        }
        guard let first, let last else { return nil }
        (self.first, self.last, self.count) = (first, last, count)
        bytes = [Self.version] + packer.bytes
    }

    /// Reads points that were packed.
    ///
    /// - Parameter limit: The time of the last point to return; `nil` for all.
    /// - Returns: The points; each has a time. `nil` if the bytes are not those of a packed trace.
    /// - Complexity: O(*n*) for *n* bytes.
    public static func points(in bytes: [UInt8], until limit: Timestamp? = nil) -> [(fix: Fix, gap: Bool)]? {
        var reader = ByteReader(bytes)
        guard reader.byte() == version else { return nil }
        var points: [(fix: Fix, gap: Bool)] = []
        var before = Point()
        while !reader.isAtEnd {
            guard points.count < mostPoints, let byte = reader.byte() else { return nil }
            let values = Values(rawValue: byte)
            guard Values.all.isSuperset(of: values), let time = reader.sum(before.time),
                let latitude = reader.sum(before.latitude), let longitude = reader.sum(before.longitude),
                let moment = Timestamp(exactly: time), let latitudeE7 = Int32(exactly: latitude),
                let longitudeE7 = Int32(exactly: longitude),
                let place = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
            else { return nil }
            (before.time, before.latitude, before.longitude) = (time, latitude, longitude)
            let hasGap = values.contains(.gap)
            var fix = Fix(time: moment, coordinate: place, beginsSegment: hasGap)
            if values.contains(.altitude) {
                guard let value = reader.sum(before.altitude ?? 0) else { return nil }
                before.altitude = value
                fix.altitude = .meters(Double(value) / 10)
            }
            if values.contains(.speed) {
                guard let value = reader.sum(before.speed ?? 0) else { return nil }
                before.speed = value
                fix.speed = .metersPerSecond(Double(value) / 100)
            }
            if values.contains(.track) {
                guard let value = reader.sum(before.track ?? 0) else { return nil }
                before.track = value
                fix.track = .degrees(Double(value) / 10)
            }
            if values.contains(.accuracy) {
                guard let value = reader.sum(before.accuracy ?? 0) else { return nil }
                before.accuracy = value
                fix.accuracy = .meters(Double(value))
            }
            if limit.map({ moment <= $0 }) ?? true { points.append((fix, hasGap)) }
        }
        return points
    }

    /// A point in the units of the packet.
    private struct Point {
        var time: Int64 = 0
        var latitude: Int64 = 0
        var longitude: Int64 = 0
        var altitude: Int64?
        var speed: Int64?
        var track: Int64?
        var accuracy: Int64?

        init() {}

        init(_ fix: Fix, at time: Timestamp) {
            self.time = time.milliseconds
            latitude = Int64(fix.coordinate.latitudeE7)
            longitude = Int64(fix.coordinate.longitudeE7)
            altitude = Self.whole(fix.altitude.map { $0.meters * 10 }, within: -1e6...1e7)
            speed = Self.whole(fix.speed.map { $0.metersPerSecond * 100 }, within: 0...1e7)
            track = Self.whole(fix.track.map { $0.normalized.degrees * 10 }, within: 0...3600).map { $0 % 3600 }
            accuracy = Self.whole(fix.accuracy?.meters.rounded(.up), within: 0...1e7)
        }

        // A comparison with NaN is false, which makes NaN unknown.
        private static func whole(_ value: Double?, within range: ClosedRange<Double>) -> Int64? {
            value.flatMap { range.contains($0) ? Int64($0.rounded()) : nil }
        }
    }
}
#endif
