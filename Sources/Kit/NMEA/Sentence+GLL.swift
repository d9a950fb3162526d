extension Sentence {
    /// Reads GLL, geographic position and time.
    ///
    ///     $GPGLL,4916.45,N,12311.12,W,225444,A,A*5C
    ///     1, 2  4916.45,N   latitude
    ///     3, 4  12311.12,W  longitude
    ///     5     225444      time of day, since 2.0
    ///     6     A           A valid, V not valid, since 2.0
    ///     7     A           mode, since 2.3; N is not valid
    ///
    /// Quirks: old receivers send neither time nor status, and their position counts as valid. Some Magellan receivers
    /// send the time with more decimals than in their other sentences, which makes it another epoch.
    static func gll(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(6...7, atLeast: 4, text)
        report.time = try fields.time(5, text)
        let hasStatus = fields.count > 6
        guard !hasStatus || isValid(fields.character(6, text)), !isInvalidMode(fields.character(7, text)) else {
            report.status = .void
            return
        }
        report.status = .position(try fields.position(1, text))
    }
}
