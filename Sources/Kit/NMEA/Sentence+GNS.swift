internal import Geodesy
internal import Positioning

extension Sentence {
    /// Reads GNS, fix data of several constellations: time, position, height and modes.
    ///
    ///     $GNGNS,014035.00,4332.69262,S,17235.48549,E,RR,13,0.9,25.63,11.24,,,S*37
    ///     1     014035.00     time of day
    ///     2, 3  4332.69262,S  latitude
    ///     4, 5  17235.48549,E longitude
    ///     6     RR            mode, one letter a constellation: N not used, otherwise as in RMC
    ///     7     13            satellites used
    ///     8     0.9           horizontal dilution of precision
    ///     9     25.63         height above mean sea level, metres
    ///     10    11.24         height of the geoid above the ellipsoid, metres
    ///     11    (empty)       age of differential data, seconds
    ///     12    (empty)       differential station
    ///     13    S             navigational status, since 4.1
    ///
    /// Quirks: a fix of GLONASS alone is `NA`, so all letters count. No letter at all is no fix.
    static func gns(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(12...13, atLeast: 9, text)
        report.time = try fields.time(1, text)
        guard fields[6].contains(where: { !isInvalidMode(text[$0]) }) else {
            report.status = .void
            return
        }
        report.status = .position(try fields.position(2, text))
        let certain = fields[6].contains { !isInvalidMode(text[$0]) && !isEstimatedMode(text[$0]) }
        report.isEstimated = !certain
        report.satellites = try fields.integer(7, text)
        report.hdop = try fields.number(8, text, within: Believable.hdop)
        report.altitude = try fields.number(9, text, within: Fix.altitudes).map(Distance.meters)
        report.mode = mode(altitude: report.altitude, satellites: report.satellites)
    }

    /// Whether a mode letter says that the position was estimated, entered by hand, or simulated.
    private static func isEstimatedMode(_ mode: UInt8) -> Bool {
        mode == UInt8(ascii: "E") || mode == UInt8(ascii: "M") || mode == UInt8(ascii: "S")
    }
}
