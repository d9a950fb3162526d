internal import Positioning

extension Sentence {
    /// Active satellites and dilutions of precision.
    ///
    ///     $GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1*39
    ///     1     A         whether the receiver chooses the mode (A) or was told it (M)
    ///     2     3         1 no fix, 2 without height, 3 with height
    ///     3–14  04,…      satellites used
    ///     15    2.5       dilution of precision, of position
    ///     16    1.3       horizontal
    ///     17    2.1       vertical
    ///     18    (absent)  constellation, since 4.1
    ///
    /// Quirks: a receiver of several constellations sends one for each, and one that it does not use may say 1, so
    /// "no fix" says nothing here. 99 and 0 are dilutions that are not known.
    static func gsa(_ fields: Fields, _ text: Span<UInt8>) throws(Malformation) -> Report {
        try fields.require(17...18, atLeast: 17, text)
        var report = Report(.gsa)
        report.mode = try fields.integer(2, text).flatMap { UInt8(exactly: $0) }.flatMap(FixMode.init)
        report.hdop = try fields.number(16, text, within: Believable.hdop)
        return report
    }
}
