import Foundation
import Geodesy
package import Positioning
import Time

/// Points of a recording in few bytes, as `trips.import` takes them: a phone's ten years have millions.
///
/// A point has ``length`` bytes, least significant first: its time in milliseconds since 1970 (8, signed), latitude and
/// longitude in 1e-7 degrees (4 each, signed), altitude in metres, speed in metres per second, track in degrees and
/// accuracy in metres (8 each, IEEE 754; NaN is unknown), and 1 if the way from the point before is unknown, else 0 (1).
package struct PackedPoints: Sendable {
    /// The number of bytes of a point.
    package static let length = 8 + 2 * 4 + 4 * 8 + 1

    private var bytes: [UInt8] = []

    /// Creates points without any.
    package init() {}

    /// Creates points from Base64; `nil` if it is not that of whole points.
    package init?(base64 text: String) {
        guard let data = Data(base64Encoded: text), data.count.isMultiple(of: Self.length) else { return nil }
        bytes = [UInt8](data)
    }

    /// The number of points.
    package var count: Int { bytes.count / Self.length }

    /// The points in Base64 (RFC 4648, section 4).
    package var base64: String { Data(bytes).base64EncodedString() }

    /// Removes the points, and keeps their memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a fix with a time; does nothing for one without.
    ///
    /// - Parameter gap: Whether the way from the point before is unknown.
    package mutating func append(_ fix: Fix, gap: Bool) {
        guard let time = fix.time else { return }
        append(UInt64(bitPattern: time.milliseconds), 8)
        append(UInt64(UInt32(bitPattern: fix.coordinate.latitudeE7)), 4)
        append(UInt64(UInt32(bitPattern: fix.coordinate.longitudeE7)), 4)
        append((fix.altitude?.meters ?? .nan).bitPattern, 8)
        append((fix.speed?.metersPerSecond ?? .nan).bitPattern, 8)
        append((fix.track?.degrees ?? .nan).bitPattern, 8)
        append((fix.accuracy?.meters ?? .nan).bitPattern, 8)
        bytes.append(gap ? 1 : 0)
    }

    /// The points as fixes; `nil` if a place is none.
    ///
    /// A value that no receiver reports becomes unknown.
    package var fixes: [Fix]? {
        var fixes: [Fix] = []
        fixes.reserveCapacity(count)
        for start in stride(from: 0, to: count * Self.length, by: Self.length) {
            let latitude = Int32(truncatingIfNeeded: integer(at: start + 8, 4))
            let longitude = Int32(truncatingIfNeeded: integer(at: start + 12, 4))
            guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude),
                let time = Timestamp(exactly: Int64(bitPattern: integer(at: start, 8)))
            else { return nil }
            var fix = Fix(time: time, coordinate: place, beginsSegment: bytes[start + 48] != 0)
            fix.altitude = number(at: start + 16, in: Fix.altitudes).map(Distance.meters)
            fix.speed = number(at: start + 24, in: Fix.speeds).map(Speed.metersPerSecond)
            fix.track = number(at: start + 32, in: -360...360).map { Angle.degrees($0).normalized }
            fix.accuracy = number(at: start + 40, in: Fix.accuracies).map(Distance.meters)
            fixes.append(fix)
        }
        return fixes
    }

    private mutating func append(_ value: UInt64, _ count: UInt64) {
        for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }

    private func integer(at start: Int, _ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in (start..<start + count).reversed() { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    // A comparison with NaN is false, which makes NaN unknown.
    private func number(at start: Int, in range: ClosedRange<Double>) -> Double? {
        let value = Double(bitPattern: integer(at: start, 8))
        return range.contains(value) ? value : nil
    }
}
