import Geodesy
import Positioning
import Time

/// A TPV report from libgps: unchecked numbers, with NaN for absent ones.
struct PositionReport {
    var time: Timestamp?
    var mode: Int
    var latitude: Double
    var longitude: Double
    var heightAboveSea: Double
    var heightAboveEllipsoid: Double
    /// The value of `alt`.
    ///
    /// It is the height above mean sea level before gpsd 3.20, and undefined since.
    var undefinedHeight: Double
    var speed: Double
    var track: Double
    var eph: Double
    var epx: Double
    var epy: Double

    /// Returns the fix, without the values that are not plausible.
    ///
    /// - Throws: the reason if there is no fix although gpsd claims one.
    func fix(under sky: SkyReport?) throws(SkipReason) -> Fix {
        guard !latitude.isNaN, !longitude.isNaN else { throw .noPosition }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .position }
        var fix = Fix(time: time, coordinate: coordinate)
        let height = heightAboveSea.isNaN && heightAboveEllipsoid.isNaN ? undefinedHeight : heightAboveSea
        fix.altitude = Self.believed(height, Fix.altitudes).map(Distance.meters)
        fix.speed = Self.believed(speed, track.isNaN ? Self.computedSpeeds : Fix.speeds).map(Speed.metersPerSecond)
        fix.track = Self.believed(track, Fix.tracks).map(Angle.degrees)
        fix.hdop = sky.flatMap { Self.believed($0.hdop, Self.dilutions) }
        let radius = Self.believed(eph, Self.errors) ?? Self.believed((epx * epx + epy * epy).squareRoot(), Self.errors)
        fix.accuracy = radius.map(Distance.meters) ?? fix.hdop.map(Accuracy.estimated(hdop:))
        fix.mode = FixMode(rawValue: UInt8(clamping: mode))
        fix.satellites = sky?.satellites
        return fix
    }

    /// Returns the value if it is in the range, which NaN never is.
    private static func believed(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
        range.contains(value) ? value : nil
    }

    /// The plausible speeds in a report without a track, in metres a second.
    ///
    /// If a receiver has not sent a speed yet, as when it sends GGA first, gpsd computes the speed from the path since
    /// the last fix, but never a track. After a jump to a wrong place, such a speed would confirm the jump. Up to this
    /// speed, the gate requires no proof.
    private static let computedSpeeds = 0...FixGate.Policy().unsurprisingGain.metersPerSecond
    /// The plausible dilutions.
    ///
    /// Receivers send 0 if they do not know it, and 99 or more means that there is none.
    private static let dilutions: ClosedRange<Double> = 0.01...98.99
    /// The plausible errors, in metres.
    ///
    /// Nothing is measured without error, and an error as large as the earth is meaningless.
    private static let errors: ClosedRange<Double> = 0.000_1...6_371_000
}

/// The data in a SKY report that belongs to its receiver's fixes; NaN or `nil` where it is missing.
struct SkyReport {
    var time: Timestamp?
    var hdop: Double
    var satellites: Int?

    /// Returns this report, completed by an earlier report with the same time.
    ///
    /// Some receivers send satellites and dilutions one after the other.
    func completed(by earlier: SkyReport?) -> SkyReport {
        guard let earlier, earlier.time == time else { return self }
        return SkyReport(
            time: time, hdop: hdop.isNaN ? earlier.hdop : hdop, satellites: satellites ?? earlier.satellites)
    }
}
