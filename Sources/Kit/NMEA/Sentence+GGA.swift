internal import Geodesy
internal import Positioning

extension Sentence {
    /// Reads GGA, fix data: time, position, height and quality.
    ///
    ///     $GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,*47
    ///     1      123519       time of day
    ///     2, 3   4807.038,N   latitude
    ///     4, 5   01131.324,E  longitude
    ///     6      1            quality: 0 none, 1 GNSS, 2 differential, 3 PPS, 4 RTK fixed, 5 RTK float,
    ///                         6 estimated, 7 manual, 8 simulated
    ///     7      08           satellites used
    ///     8      0.9          horizontal dilution of precision
    ///     9, 10  545.4,M      height above mean sea level, metres
    ///     11, 12 46.9,M       height of the geoid above the ellipsoid, metres
    ///     13     (empty)      age of differential data, seconds
    ///     14     (empty)      differential station
    ///
    /// Quirks: every quality except 0 is a fix, including 6 to 8, as in gpsd. If a receiver that estimates or simulates
    /// distrusts its position, it sends V in the RMC and GLL of the same epoch (Garmin), and takes the position back. A
    /// missing quality is no fix, because one receiver repeats its last place in this way. Some receivers count at most 12 satellites. SiRFstarV
    /// sends a sentence for each constellation. 99 means that the dilution is unknown.
    static func gga(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(14...14, atLeast: 9, text)
        report.time = try fields.time(1, text)
        guard let quality = try fields.integer(6, text), quality > 0 else {
            report.status = .void
            return
        }
        report.status = .position(try fields.position(2, text))
        report.isEstimated = (6...8).contains(quality)
        report.satellites = try fields.integer(7, text)
        report.hdop = try fields.number(8, text, within: Believable.hdop)
        if fields.isEmpty(10) || fields.character(10, text) == UInt8(ascii: "M") {
            report.altitude = try fields.number(9, text, within: Fix.altitudes).map(Distance.meters)
        }
        let isRTK = quality == 4 || quality == 5
        report.mode = mode(altitude: report.altitude, satellites: report.satellites, isSure: isRTK)
    }

    /// Returns the kind of a fix, judged by its height.
    ///
    /// A height counts as measured from the fourth satellite on.
    static func mode(altitude: Distance?, satellites: Int?, isSure: Bool = false) -> FixMode {
        altitude != nil && (isSure || (satellites ?? 0) >= 4) ? .threeDimensional : .twoDimensional
    }
}
