internal import Positioning

extension Sentence {
    /// Reads GSA, active satellites and dilutions of precision.
    ///
    ///     $GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1*39
    ///     1     A         selection of the mode: A automatic, M manual
    ///     2     3         1 no fix, 2 without height, 3 with height
    ///     3–14  04,…      satellites used
    ///     15    2.5       dilution of precision, of position
    ///     16    1.3       horizontal
    ///     17    2.1       vertical
    ///     18    (absent)  constellation, since 4.1
    ///
    /// Quirks: a receiver of several constellations sends one sentence for each. The sentence of an unused one may have
    /// mode 1, so "no fix" is ignored here. 99 and 0 mean that a dilution is unknown.
    static func gsa(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(17...18, atLeast: 17, text)
        report.mode = try fields.integer(2, text).flatMap { UInt8(exactly: $0) }.flatMap(FixMode.init)
        report.hdop = try fields.number(16, text, within: Believable.hdop)
    }
}

/// The last GSA sentences, which often stay the same for minutes.
struct KnownSatellites {
    private struct Content {
        let mode: FixMode?
        let hdop: Double?
    }

    /// One for each constellation, as far as the talker or the last field tells them apart.
    private var known = InlineArray<8, KnownText<9, Content>>(repeating: KnownText())

    init() {}

    /// Fills in the report of a sentence that is known, and returns whether it is.
    @inline(__always)
    mutating func recall(_ text: Span<UInt8>, asterisk: Int, _ report: inout Report) -> Bool {
        guard let content = known[Self.place(text, asterisk)].value(at: 0, asterisk, in: text) else { return false }
        report.mode = content.mode
        report.hdop = content.hdop
        return true
    }

    /// Remembers the report of a sentence.
    mutating func learn(_ text: Span<UInt8>, asterisk: Int, _ report: inout Report) {
        let content = Content(mode: report.mode, hdop: report.hdop)
        known[Self.place(text, asterisk)].learn(content, at: 0, asterisk, in: text)
    }

    private static func place(_ text: Span<UInt8>, _ asterisk: Int) -> Int {
        Int(truncatingIfNeeded: (text.word(at: 0).byte(2) ^ text.word(at: asterisk &- 1).byte(0)) & 7)
    }
}
