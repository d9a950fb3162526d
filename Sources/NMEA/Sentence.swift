/// The sentences that are read, each in a file of its own.
///
/// They follow NMEA 0183 in its editions 1.5 to 4.11. What receivers do otherwise is said at each.
enum Sentence {
    /// The types that are read; the raw value is the formatter's ASCII.
    enum Kind: UInt32 {
        case rmc = 0x52_4D43
        case gga = 0x47_4741
        case gns = 0x47_4E53
        case gll = 0x47_4C4C
        case vtg = 0x56_5447
        case gsa = 0x47_5341
        case gst = 0x47_5354
        case zda = 0x5A_4441

        /// Whether its sentences give a position.
        var isPosition: Bool {
            switch self {
            case .rmc, .gga, .gns, .gll: true
            case .vtg, .gsa, .gst, .zda: false
            }
        }
    }

    /// What a sentence says, from its `$` or `!` to before its line end; nil where its type is not read.
    ///
    /// `isWhole` says that a line end closed it; without one only the checksum can show that nothing lacks.
    static func read(_ text: Span<UInt8>, isWhole: Bool) throws(Malformation) -> Report? {
        let fields = Fields(text)
        if let asterisk = fields.asterisk {
            guard hasChecksum(fields.sum, after: asterisk, text) else { throw isWhole ? .checksum : .cut }
        } else {
            guard isWhole else { throw .cut }
            guard isAddress(fields[0], text) else { throw .garbled }
        }
        guard text[0] == .dollar, let kind = kind(fields[0], text) else { return nil }
        return switch kind {
        case .rmc: try rmc(fields, text)
        case .gga: try gga(fields, text)
        case .gns: try gns(fields, text)
        case .gll: try gll(fields, text)
        case .vtg: try vtg(fields, text)
        case .gsa: try gsa(fields, text)
        case .gst: try gst(fields, text)
        case .zda: try zda(fields, text)
        }
    }

    /// Whether two hexadecimal digits of this sum follow; what comes after them is a logger's.
    private static func hasChecksum(_ sum: UInt8, after asterisk: Int, _ text: Span<UInt8>) -> Bool {
        guard asterisk + 2 < text.count, let high = text[asterisk + 1].hexadecimalDigit,
            let low = text[asterisk + 2].hexadecimalDigit
        else { return false }
        if asterisk + 3 < text.count {
            let next = text[asterisk + 3]
            guard next.decimalDigit == nil, !next.isLetter else { return false }
        }
        return high << 4 | low == sum
    }

    /// Whether it can be an address: talker and formatter, five capitals or digits, or `P` and a maker's letters.
    private static func isAddress(_ place: Range<Int>, _ text: Span<UInt8>) -> Bool {
        guard let first = place.first else { return false }
        let isProprietary = text[first] == UInt8(ascii: "P") && place.count >= 4
        return (isProprietary || place.count == 5)
            && place.allSatisfy { text[$0].isCapital || text[$0].decimalDigit != nil }
    }

    /// The type by the last three of five characters; of any talker, but nothing proprietary.
    private static func kind(_ place: Range<Int>, _ text: Span<UInt8>) -> Kind? {
        guard place.count == 5, text[place.lowerBound] != UInt8(ascii: "P") else { return nil }
        var formatter: UInt32 = 0
        for index in place.dropFirst(2) { formatter = formatter << 8 | UInt32(text[index]) }
        return Kind(rawValue: formatter)
    }
}
