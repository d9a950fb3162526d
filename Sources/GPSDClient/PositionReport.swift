import Geodesy
import Positioning

/// A TPV report as libgps gives it: numbers that nobody has checked, NaN where there was none.
struct PositionReport {
    var time: Timestamp?
    var mode: Int
    var latitude: Double
    var longitude: Double
    var heightAboveSea: Double
    var heightAboveEllipsoid: Double
    /// `alt`, of which gpsd says from 3.20 on that it is undefined; before, it was above mean sea level.
    var undefinedHeight: Double
    var speed: Double
    var track: Double
    var eph: Double
    var epx: Double
    var epy: Double

    /// The fix; what is beyond belief is left out of it.
    ///
    /// - Throws: Why there is none, where gpsd says there is.
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

    /// NaN is in no range.
    private static func believed(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
        range.contains(value) ? value : nil
    }

    /// Metres a second, where there is no track.
    ///
    /// Where a receiver has told no speed yet, as one that sends GGA first, gpsd computes one from the way since the last
    /// fix, but never a track. After a leap to a wrong place such a speed would bear the leap out; up to this one the
    /// gate asks for no proof.
    private static let computedSpeeds = 0...FixGate.Policy().unsurprisingGain.metersPerSecond
    /// A dilution is above 0, which is what receivers send that do not know; 99 and more means that there is none.
    private static let dilutions: ClosedRange<Double> = 0.01...98.99
    /// Metres: nothing is measured without error, and one as large as the earth says nothing.
    private static let errors: ClosedRange<Double> = 0.000_1...6_371_000
}

/// What a SKY report tells about the fixes of its receiver; NaN or nil where it does not.
struct SkyReport {
    var time: Timestamp?
    var hdop: Double
    var satellites: Int?

    /// This, and what an earlier report of the same time knows besides: some receivers tell of satellites and of
    /// dilutions one after the other.
    func completed(by earlier: SkyReport?) -> SkyReport {
        guard let earlier, earlier.time == time else { return self }
        return SkyReport(
            time: time, hdop: hdop.isNaN ? earlier.hdop : hdop, satellites: satellites ?? earlier.satellites)
    }
}
