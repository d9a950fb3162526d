/// The sentences that are read, each in a separate file.
///
/// They follow NMEA 0183 in its editions 1.5 to 4.11. Each file states how receivers deviate from it.
enum Sentence {
    /// The types that are read.
    ///
    /// The raw value consists of the formatter's ASCII characters.
    enum Kind: UInt32 {
        case rmc = 0x52_4D43
        case gga = 0x47_4741
        case gns = 0x47_4E53
        case gll = 0x47_4C4C
        case vtg = 0x56_5447
        case gsa = 0x47_5341
        case gst = 0x47_5354
        case zda = 0x5A_4441

        /// Whether sentences of this type give a position.
        var isPosition: Bool {
            switch self {
            case .rmc, .gga, .gns, .gll: true
            case .vtg, .gsa, .gst, .zda: false
            }
        }
    }

    /// Checks a sentence, which runs from its `$` or `!` to before its line end.
    ///
    /// - Parameter isWhole: whether a line end closed the sentence. If not, only a checksum can show that it is
    ///   complete.
    /// - Returns: the position of the checksum's `*`, or `nil` if there is none.
    /// - Throws: the reason if the sentence is damaged.
    static func check(_ text: Span<UInt8>, _ checksum: Checksum, isWhole: Bool) throws(MalformedReason) -> Int? {
        if let asterisk = checksum.asterisk {
            guard checksum.isRight(text) else { throw isWhole ? .checksum : .cut }
            return asterisk
        }
        guard isWhole else { throw .cut }
        guard hasAddress(text) else { throw .garbled }
        return nil
    }

    /// Returns the type of a sentence, or `nil` if the type is not read.
    ///
    /// The type is given by the last three of the address's five characters. Any talker is accepted, but no proprietary
    /// sentence.
    @inline(__always)
    static func kind(_ text: Span<UInt8>) -> Kind? {
        let word = text.word(at: 0)
        // The zeros beyond the end of a sentence without fields end its address, too.
        let ends = word.places(of: .comma) | word.places(of: .asterisk) | word.places(of: 0)
        guard ends.first == 6, word.byte(0) == .dollar, word.byte(1) != UInt8(ascii: "P") else { return nil }
        // The bytes 3 to 5, of which the raw value has the first one highest.
        return Kind(rawValue: UInt32(truncatingIfNeeded: word.bits.byteSwapped &>> 16 & 0xFF_FFFF))
    }

    /// Returns the talker of a sentence whose type is read.
    static func talker(_ text: Span<UInt8>) -> Talker { Talker(code: UInt16(text[1]) << 8 | UInt16(text[2])) }

    /// Reads the content of a sentence into a report.
    ///
    /// - Parameter asterisk: the place of its right checksum; `nil` if there is none.
    @inline(__always)
    static func read(
        _ kind: Kind, _ text: Span<UInt8>, asterisk: Int?, _ fields: inout Fields, _ report: inout Report
    ) throws(MalformedReason) {
        if kind == .gsa, let asterisk, fields.knownSatellites.recall(text, asterisk: asterisk, &report) { return }
        fields.find(in: text, asterisk: asterisk)
        switch kind {
        case .rmc: try rmc(&fields, text, &report)
        case .gga: try gga(&fields, text, &report)
        case .gns: try gns(&fields, text, &report)
        case .gll: try gll(&fields, text, &report)
        case .vtg: try vtg(&fields, text, &report)
        case .gsa:
            try gsa(&fields, text, &report)
            if let asterisk { fields.knownSatellites.learn(text, asterisk: asterisk, &report) }
        case .gst: try gst(&fields, text, &report)
        case .zda: try zda(&fields, text, &report)
        }
    }

    /// Whether the sentence begins with a valid address: talker and formatter with five capitals or digits, or `P` and
    /// a manufacturer's letters.
    private static func hasAddress(_ text: Span<UInt8>) -> Bool {
        let address = address(text)
        guard let first = address.first else { return false }
        let isProprietary = text[first] == UInt8(ascii: "P") && address.count >= 4
        return (isProprietary || address.count == 5)
            && address.allSatisfy { text[$0].isCapital || text[$0].decimalDigit != nil }
    }

    /// Returns the range of the address.
    private static func address(_ text: Span<UInt8>) -> Range<Int> {
        let word = text.word(at: 1)
        if let place = (word.places(of: .comma) | word.places(of: .asterisk)).first { return 1..<1 + place }
        var end = 1
        while end < text.count, text[end] != .comma, text[end] != .asterisk { end += 1 }
        return 1..<end
    }
}
