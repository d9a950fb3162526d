import Foundation

/// Names as they are compared: small letters without accents, and one blank for whatever is neither letter nor digit.
///
/// So `'s-Hertogenbosch`, `s hertogenbosch` and `S-HERTOGENBOSCH` are the same. Letters that accents do not explain are
/// written as people type them who do not have them: `Łódź` is `lodz`, and `Tromsø` is `tromso`.
struct NameFolding {
    /// What was made of scalars beyond ASCII, so that each is looked at once.
    private var known: [UInt32: [UInt8]] = [:]

    /// Letters that are no others with an accent.
    private static let others: [Unicode.Scalar: String] = [
        "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ß": "ss",
        "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ı": "i", "ħ": "h", "Ħ": "h",
    ]

    init() {}

    /// The name as it is compared, UTF-8; empty where it has neither letter nor digit.
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

    /// What a scalar beyond ASCII is compared as: nothing for an accent, nil for what parts words.
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

/// The first bytes of a folded name as one number, by which names are found.
///
/// Six bytes are six letters of the Latin alphabet, or two Chinese characters: few places share them.
enum NameKey {
    /// How many bytes count.
    static let length = 6

    /// The key of a name; shorter ones are filled with zeros.
    static func key(_ name: some Sequence<UInt8>) -> Int64 { number(name, filling: 0) }

    /// The keys of all names that begin so.
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
