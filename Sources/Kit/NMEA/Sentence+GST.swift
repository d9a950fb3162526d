internal import Positioning

extension Sentence {
    /// Reads GST, statistics of the position error.
    ///
    ///     $GPGST,172814.0,0.006,0.023,0.020,273.6,0.023,0.020,0.031*6A
    ///     1    172814.0  time of day of the fix concerned
    ///     2    0.006     root mean square of the ranges' errors
    ///     3–5  …         error ellipse: half axes in metres, orientation in degrees
    ///     6    0.023     standard deviation of latitude, metres
    ///     7    0.020     standard deviation of longitude, metres
    ///     8    0.031     standard deviation of height, metres
    ///
    /// Quirks: some receivers send it before the other sentences of its epoch. If both deviations are 0, they are
    /// unknown.
    static func gst(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(8...8, atLeast: 7, text)
        report.time = try fields.time(1, text)
        if let latitude = try fields.number(6, text, within: Believable.deviation),
            let longitude = try fields.number(7, text, within: Believable.deviation), latitude + longitude > 0
        {
            report.accuracy = Accuracy.estimated(latitudeDeviation: latitude, longitudeDeviation: longitude)
        }
    }
}
