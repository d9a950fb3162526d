import Foundation

/// Folds names for comparison: to lower case without accents, with one space for each run of other characters.
///
/// `'s-Hertogenbosch`, `s hertogenbosch` and `S-HERTOGENBOSCH` fold to the same name. Letters that are not a base
/// letter with an accent are replaced by what people type who do not have them on their keyboard: `Łódź` becomes
/// `lodz`, and `Tromsø` becomes `tromso`.
struct NameFolding {
    /// The folded forms of the non-ASCII scalars seen so far, so that each is folded only once.
    private var known: [UInt32: [UInt8]] = [:]

    /// Letters that do not decompose into a base letter and an accent.
    private static let others: [Unicode.Scalar: String] = [
        "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ß": "ss",
        "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ı": "i", "ħ": "h", "Ħ": "h",
    ]

    init() {}

    /// Returns the folded name as UTF-8; it is empty if the name has neither letters nor digits.
    mutating func folded(_ name: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        var isApart = false
        for scalar in name.unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    Self.append([byte], to: &bytes, &isApart)
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): Self.append([byte | 0x20], to: &bytes, &isApart)
                default: isApart = !bytes.isEmpty
                }
                continue
            }
            switch letters(of: scalar) {
            case nil: isApart = !bytes.isEmpty
            case let letters?: Self.append(letters, to: &bytes, &isApart)
            }
        }
        return bytes
    }

    private static func append(_ letters: [UInt8], to bytes: inout [UInt8], _ isApart: inout Bool) {
        guard !letters.isEmpty else { return }
        if isApart { bytes.append(0x20) }
        isApart = false
        bytes += letters
    }

    /// Returns the folded form of a non-ASCII scalar: empty for an accent, `nil` for a separator of words.
    private mutating func letters(of scalar: Unicode.Scalar) -> [UInt8]? {
        if let letters = known[scalar.value] { return letters.first == 0x20 ? nil : letters }
        var letters: [UInt8] = [0x20]
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .modifierLetter, .format: letters = []
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .spacingMark, .decimalNumber,
            .letterNumber, .otherNumber:
            let plain =
                Self.others[scalar]
                ?? String(Character(scalar)).folding(
                    options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            letters = Array(plain.utf8)
        default: break
        }
        known[scalar.value] = letters
        return letters.first == 0x20 ? nil : letters
    }
}

/// The first bytes of a folded name as a number, which is the key of the index of names.
///
/// Six bytes are six Latin letters or two Chinese characters, which few places share.
enum NameKey {
    /// The number of bytes in a key.
    static let length = 6

    /// Returns the key of a name; shorter names are padded with zeros.
    static func key(_ name: some Sequence<UInt8>) -> Int64 { number(name, filling: 0) }

    /// Returns the range of the keys of all names with a prefix.
    static func range(_ prefix: [UInt8]) -> ClosedRange<Int64> {
        let least = number(prefix, filling: 0)
        return least...max(least, number(prefix, filling: 0xFF))
    }

    private static func number(_ name: some Sequence<UInt8>, filling: UInt8) -> Int64 {
        var number: Int64 = 0
        var count = 0
        for byte in name.prefix(length) {
            number = number << 8 | Int64(byte)
            count += 1
        }
        while count < length {
            number = number << 8 | Int64(truncatingIfNeeded: filling)
            count += 1
        }
        return number
    }
}
