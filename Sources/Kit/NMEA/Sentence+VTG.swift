internal import Geodesy

extension Sentence {
    /// Reads VTG, track and speed over ground.
    ///
    ///     $GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,A*25
    ///     1, 2  054.7,T  track, degrees true
    ///     3, 4  034.4,M  track, degrees magnetic
    ///     5, 6  005.5,N  speed, knots
    ///     7, 8  010.2,K  speed, kilometres per hour
    ///     9     A        mode, since 2.3; N is not valid
    ///
    /// Quirks: some receivers send only one of the speeds. It has no time, so it belongs to the epoch in which it
    /// occurs.
    static func vtg(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(8...9, atLeast: 7, text)
        guard !isInvalidMode(fields.character(9, text)) else { return }
        report.track = try fields.track(1, text)
        if let knots = try fields.number(5, text, within: Believable.knots) {
            report.speed = .knots(knots)
        } else {
            report.speed = try fields.number(7, text, within: Believable.kilometersPerHour).map(Speed.kilometersPerHour)
        }
    }
}
