internal import Positioning
internal import TextCoding

/// The grammar of a number (RFC 8259, section 6).
enum JSONNumber {
    /// Returns the index behind a number; `nil` if the bytes end with it, because more digits may follow.
    static func end(in bytes: Span<UInt8>, from start: Int) throws(RecordingError) -> Int? {
        var at = start
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        let first = at
        skipDigits(bytes, &at)
        var isValid = at > first && (at == first + 1 || bytes[first] != UInt8(ascii: "0"))
        if at < bytes.count, isValid, bytes[at] == UInt8(ascii: ".") {
            at += 1
            let fraction = at
            skipDigits(bytes, &at)
            isValid = at > fraction
        }
        if at < bytes.count, isValid, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < bytes.count, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") { at += 1 }
            let exponent = at
            skipDigits(bytes, &at)
            isValid = at > exponent
        }
        guard at - start <= JSONScanner.maximumNumberLength else {
            throw RecordingError("a number is longer than \(JSONScanner.maximumNumberLength) bytes")
        }
        guard at < bytes.count else { return nil }
        guard isValid else { throw RecordingError("a number is invalid") }
        return at
    }

    @inline(__always)
    private static func skipDigits(_ bytes: Span<UInt8>, _ at: inout Int) {
        while at < bytes.count, bytes[at] &- 0x30 <= 9 { at += 1 }
    }
}

extension JSONLiteral {
    /// Returns the index behind the literal that begins at an index; `nil` if the bytes end within it.
    func end(in bytes: Span<UInt8>, from start: Int) throws(RecordingError) -> Int? {
        let word: StaticString =
            switch self {
            case .null: "null"
            case .true: "true"
            case .false: "false"
            }
        var at = start
        for byte in word.description.utf8 {
            guard at < bytes.count else { return nil }
            guard bytes[at] == byte else { throw RecordingError("a word stands here that is no JSON") }
            at += 1
        }
        return at
    }
}

/// The escapes in a text (RFC 8259, section 7).
enum JSONEscape {
    /// Returns the index behind the escape that begins at an index; that index itself if the escape is invalid, and
    /// `nil` if the bytes end within it.
    static func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard start + 1 < bytes.count else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "u"):
            for index in start + 2..<start + 6 {
                guard index < bytes.count else { return nil }
                guard JSONStringEscape.digit(bytes[index]) != nil else { return start }
            }
            return start + 6
        case let letter: return JSONStringEscape.byte(letter) == nil ? start : start + 2
        }
    }

    /// Appends a text whose escapes are valid, without them.
    ///
    /// A surrogate without its other half becomes U+FFFD.
    static func append(_ range: Range<Int>, of bytes: Span<UInt8>, to text: inout [UInt8]) {
        var at = range.lowerBound
        while at < range.upperBound {
            guard bytes[at] == UInt8(ascii: "\\"), at + 1 < range.upperBound else {
                text.append(bytes[at])
                at += 1
                continue
            }
            let letter = bytes[at + 1]
            at += 2
            switch letter {
            case UInt8(ascii: "u"):
                var unit = unit(bytes, &at, range.upperBound)
                if JSONStringEscape.isHighSurrogate(unit), at + 1 < range.upperBound, bytes[at] == UInt8(ascii: "\\"),
                    bytes[at + 1] == UInt8(ascii: "u")
                {
                    var next = at + 2
                    let low = self.unit(bytes, &next, range.upperBound)
                    if let pair = JSONStringEscape.codePoint(unit, low) {
                        unit = pair
                        at = next
                    }
                }
                let scalar = Unicode.Scalar(unit) ?? "\u{FFFD}"
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            default: text.append(JSONStringEscape.byte(letter) ?? letter)
            }
        }
    }

    /// Reads four hexadecimal digits.
    private static func unit(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) -> UInt32 {
        var unit: UInt32 = 0
        let last = min(at + 4, end)
        while at < last {
            unit = unit << 4 | (JSONStringEscape.digit(bytes[at]) ?? 0)
            at += 1
        }
        return unit
    }
}
