internal import Geodesy
internal import Positioning

extension Sentence {
    /// Reads RMC, recommended minimum: time, date, position, speed and track.
    ///
    ///     $GPRMC,225446.33,A,4916.45,N,12311.12,W,000.5,054.7,191194,020.3,E,A,S*39
    ///     1      225446.33   time of day
    ///     2      A           A valid, V navigation receiver warning
    ///     3, 4   4916.45,N   latitude
    ///     5, 6   12311.12,W  longitude
    ///     7      000.5       speed over ground, knots
    ///     8      054.7       course over ground, degrees true
    ///     9      191194      date
    ///     10, 11 020.3,E     magnetic variation
    ///     12     A           mode, since 2.3; N is not valid
    ///     13     S           navigational status, since 4.1
    ///
    /// Quirks: MTK and Royaltek receivers send wrong dates with V, so the date of a void sentence is ignored. Some
    /// receivers send status D for A. Receivers that do not move leave the track empty. The navigational status is
    /// ignored, because it is V, "not given", in most receivers.
    static func rmc(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(11...13, atLeast: 9, text)
        report.time = try fields.time(1, text)
        guard isValid(fields.character(2, text)), !isInvalidMode(fields.character(12, text)) else {
            report.status = .void
            return
        }
        report.date = try fields.date(9, text)
        report.status = .position(try fields.position(3, text))
        report.speed = try fields.number(7, text, within: Believable.knots).map(Speed.knots)
        report.track = try fields.track(8, text)
    }

    /// Whether a status letter says that the data is valid.
    static func isValid(_ status: UInt8?) -> Bool { status == UInt8(ascii: "A") || status == UInt8(ascii: "D") }

    /// Whether a mode letter says that the data is not valid.
    ///
    /// A missing mode returns `false`.
    static func isInvalidMode(_ mode: UInt8?) -> Bool { mode == UInt8(ascii: "N") }
}

extension Fields {
    /// Parses a course over ground, normalised to 0 ..< 360.
    mutating func track(_ field: Int, _ text: Span<UInt8>) throws(MalformedReason) -> Angle? {
        try number(field, text, within: Fix.tracks).map { Angle.degrees($0).normalized }
    }
}
