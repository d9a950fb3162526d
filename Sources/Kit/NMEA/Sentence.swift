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
    static func kind(_ text: Span<UInt8>) -> Kind? {
        let address = address(text)
        guard address.count == 5, text[0] == .dollar, text[1] != UInt8(ascii: "P") else { return nil }
        return Kind(rawValue: UInt32(text[3]) << 16 | UInt32(text[4]) << 8 | UInt32(text[5]))
    }

    /// Returns the talker of a sentence whose type is read.
    static func talker(_ text: Span<UInt8>) -> Talker { Talker(code: UInt16(text[1]) << 8 | UInt16(text[2])) }

    /// Reads the content of a sentence.
    static func read(_ kind: Kind, _ fields: Fields, _ text: Span<UInt8>) throws(MalformedReason) -> Report {
        var report = try content(kind, fields, text)
        report.talker = talker(text)
        return report
    }

    private static func content(
        _ kind: Kind, _ fields: Fields, _ text: Span<UInt8>
    ) throws(MalformedReason) -> Report {
        switch kind {
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
