extension Timestamp: CustomStringConvertible {
    /// The moment in RFC 3339 format, in UTC with milliseconds: `2026-05-01T10:00:03.000Z`.
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ``description``.
    public func append(to bytes: inout [UInt8]) {
        let days = Self.floorDivide(milliseconds, Self.millisecondsPerDay)
        let rest = Int(milliseconds - days * Self.millisecondsPerDay)
        let (year, month, day) = CalendarDate(daysSinceEpoch: days).components
        Self.append(year, digits: 4, then: "-", to: &bytes)
        Self.append(month, digits: 2, then: "-", to: &bytes)
        Self.append(day, digits: 2, then: "T", to: &bytes)
        Self.append(rest / 3_600_000, digits: 2, then: ":", to: &bytes)
        Self.append(rest / 60_000 % 60, digits: 2, then: ":", to: &bytes)
        Self.append(rest / 1000 % 60, digits: 2, then: ".", to: &bytes)
        Self.append(rest % 1000, digits: 3, then: "Z", to: &bytes)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    private static func append(_ value: Int, digits: Int, then mark: Unicode.Scalar, to bytes: inout [UInt8]) {
        var unit = 1
        for _ in 1..<digits { unit *= 10 }
        if value >= 0, value < unit * 10 {
            while unit > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(value / unit % 10))
                unit /= 10
            }
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
        bytes.append(UInt8(ascii: mark))
    }

    /// Parses a date and time in the format of XML Schema's `dateTime` or RFC 3339.
    ///
    /// Returns `nil` if it is invalid.
    ///
    /// White space around it is allowed. A missing zone means UTC. The fraction may have any number of digits and is
    /// rounded to milliseconds. A second of 60 is a leap second and is read as the first of the next minute. `T` and
    /// `Z` may be lower case, a blank may replace `T`, the seconds may be missing, and `24:00:00` is the next midnight.
    ///
    /// - Complexity: O(*n*) for a text of *n* bytes, in constant memory.
    public init?(rfc3339 text: Span<UInt8>) {
        if let usual = Self(usual: text) {
            self = usual
            return
        }
        var reader = DateTimeReader()
        guard let moment = reader.read(text) else { return nil }
        self = moment
    }

    /// Parses `2026-05-01T10:00:03Z`, with or without milliseconds, as most programs write it.
    ///
    /// Returns `nil` for all other texts, valid or not.
    private init?(usual text: Span<UInt8>) {
        let count = text.count
        guard count == 20 || count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[count - 1] == UInt8(ascii: "Z")
        else { return nil }
        var isRight = true
        @inline(__always)
        func digit(_ index: Int) -> Int {
            let digit = text[index] &- 0x30
            if digit > 9 { isRight = false }
            return Int(digit)
        }
        @inline(__always)
        func twoDigits(_ index: Int) -> Int { digit(index) * 10 + digit(index + 1) }
        let (hour, minute, second) = (twoDigits(11), twoDigits(14), twoDigits(17))
        let fraction = count == 20 ? 0 : digit(20) * 100 + twoDigits(21)
        if count == 24, text[19] != UInt8(ascii: ".") { isRight = false }
        guard hour <= 23, minute <= 59, second <= 59,
            let date = CalendarDate(year: twoDigits(0) * 100 + twoDigits(2), month: twoDigits(5), day: twoDigits(8)),
            isRight
        else { return nil }
        self.init(date, millisecondsOfDay: Int64(((hour * 60 + minute) * 60 + second) * 1000 + fraction))
    }

    /// Parses a date and time from a string; see ``init(rfc3339:)-(Span<UInt8>)``.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        self.init(rfc3339: bytes.span)
    }
}

/// A parser for one `dateTime`.
private struct DateTimeReader {
    var at = 0

    mutating func read(_ text: Span<UInt8>) -> Timestamp? {
        skipBlanks(text)
        guard let year = number(text, digits: 4), consume(text, "-"), let month = number(text, digits: 2),
            consume(text, "-"),
            let day = number(text, digits: 2), consume(text, "T") || consume(text, "t") || consume(text, " "),
            let hour = number(text, digits: 2), consume(text, ":"), let minute = number(text, digits: 2)
        else { return nil }
        var second = 0
        var fraction = 0
        if consume(text, ":") {
            guard let value = number(text, digits: 2) else { return nil }
            second = value
            if consume(text, ".") || consume(text, ",") {
                guard let value = milliseconds(text) else { return nil }
                fraction = value
            }
        }
        guard let offset = zone(text) else { return nil }
        skipBlanks(text)
        let endOfDay = hour == 24 && minute == 0 && second == 0 && fraction == 0
        guard at == text.count, let date = CalendarDate(year: year, month: month, day: day),
            hour <= 23 || endOfDay, minute <= 59, second <= 60
        else { return nil }
        let time = ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
        return Timestamp(exactly: date.daysSinceEpoch * Timestamp.millisecondsPerDay + Int64(time))
    }

    /// Parses a zone.
    ///
    /// Returns its offset in minutes east of Greenwich, or `nil` if it is invalid.
    private mutating func zone(_ text: Span<UInt8>) -> Int? {
        if consume(text, "Z") || consume(text, "z") { return 0 }
        let east = consume(text, "+")
        guard east || consume(text, "-") else { return 0 }
        guard let hours = number(text, digits: 2) else { return nil }
        _ = consume(text, ":")
        let minutes = number(text, digits: 2) ?? 0
        guard hours <= 14, minutes <= 59 else { return nil }
        return (east ? 1 : -1) * (hours * 60 + minutes)
    }

    /// Parses the digits of a fraction, rounded half up to thousandths.
    ///
    /// A result of 1,000 carries into the second.
    private mutating func milliseconds(_ text: Span<UInt8>) -> Int? {
        var value = 0
        var count = 0
        while at < text.count, let digit = digit(text[at]) {
            if count < 3 { value = value * 10 + digit }
            if count == 3, digit >= 5 { value += 1 }
            count += 1
            at += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(3, count) { value *= 10 }
        return value
    }

    private mutating func number(_ text: Span<UInt8>, digits: Int) -> Int? {
        guard at + digits <= text.count else { return nil }
        var value = 0
        for offset in 0..<digits {
            guard let digit = digit(text[at + offset]) else { return nil }
            value = value * 10 + digit
        }
        at += digits
        return value
    }

    private mutating func consume(_ text: Span<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard at < text.count, text[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func skipBlanks(_ text: Span<UInt8>) {
        while at < text.count, text[at] == 0x20 || (0x09...0x0D).contains(text[at]) { at += 1 }
    }

    private func digit(_ byte: UInt8) -> Int? {
        byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
    }
}
