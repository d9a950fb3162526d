package import Time

/// A calendar day, with an optional time of day to the minute, as a clock on the wall shows it.
struct WallClock: Hashable, Sendable, CustomStringConvertible {
    var date: CalendarDate
    /// The minutes since midnight on the clock; `nil` for the whole day.
    var minute: Int?

    /// Creates a clock time; minutes are clamped to one day.
    init(date: CalendarDate, minute: Int? = nil) {
        self.date = date
        self.minute = minute.map { min(max($0, 0), Self.lastMinute) }
    }

    private static let lastMinute = 24 * 60 - 1

    /// Parses `2026-05-01` or `2026-05-01T10:00`, optionally with seconds that are zero.
    init?(_ text: String) {
        guard let date = CalendarDate(digits: text.utf8.prefix(CalendarDate.textLength)) else { return nil }
        self.init(date: date)
        guard text.utf8.count > CalendarDate.textLength else { return }
        let time = text.utf8.dropFirst(CalendarDate.textLength)
        guard let fields = DigitFields(time, form: "T00:00") ?? DigitFields(time, form: "T00:00:00"),
            fields.first < 24, fields.second < 60, fields.third == 0
        else { return nil }
        minute = fields.first * 60 + fields.second
    }

    /// The time of day, such as `10:00`; `nil` for the whole day.
    var time: String? {
        minute.map { minute in
            var bytes: [UInt8] = []
            Self.append(minute, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The text `2026-05-01T10:00`, or only the day.
    var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ``description``.
    func append(to bytes: inout [UInt8]) {
        date.append(to: &bytes)
        guard let minute else { return }
        bytes.append(UInt8(ascii: "T"))
        Self.append(minute, to: &bytes)
    }

    private static func append(_ minute: Int, to bytes: inout [UInt8]) {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        DigitFields.append(hour, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        DigitFields.append(rest, digits: 2, to: &bytes)
    }
}

extension CalendarDate: Comparable {
    /// Whether the first day is earlier than the second.
    package static func < (lhs: CalendarDate, rhs: CalendarDate) -> Bool { lhs.daysSinceEpoch < rhs.daysSinceEpoch }
}

extension CalendarDate {
    /// The length of a day as text, in bytes.
    fileprivate static let textLength = 10

    /// Parses a day such as `2026-05-01`.
    init?(text: some StringProtocol) { self.init(digits: text.utf8) }

    fileprivate init?(digits: some Sequence<UInt8>) {
        guard let fields = DigitFields(digits, form: "0000-00-00") else { return nil }
        self.init(year: fields.first, month: fields.second, day: fields.third)
    }

    /// The day as text, such as `2026-05-01`.
    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ``text``.
    func append(to bytes: inout [UInt8]) {
        let (year, month, day) = components
        DigitFields.append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        DigitFields.append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        DigitFields.append(day, digits: 2, to: &bytes)
    }

    /// Returns the day after a number of days, clamped to the range of `Int64`.
    func advanced(byDays days: Int64) -> CalendarDate {
        let (sum, overflows) = daysSinceEpoch.addingReportingOverflow(days)
        return CalendarDate(daysSinceEpoch: overflows ? (days < 0 ? .min : .max) : sum)
    }
}

/// Up to three numbers in a text of a fixed form, such as `0000-00-00`, in which a zero stands for any digit.
private struct DigitFields {
    private(set) var first = 0
    private(set) var second = 0
    private(set) var third = 0

    /// Parses a text, or returns `nil` if it does not have the form; numbers that the form lacks are 0.
    init?(_ text: some Sequence<UInt8>, form: String) {
        var field = 0
        var rest = text.makeIterator()
        var digits = 0
        for expected in form.utf8 {
            guard let byte = rest.next() else { return nil }
            if expected == UInt8(ascii: "0") {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                let digit = Int(truncatingIfNeeded: byte - UInt8(ascii: "0"))
                switch field {
                case 0: first = first * 10 + digit
                case 1: second = second * 10 + digit
                default: third = third * 10 + digit
                }
                digits += 1
            } else {
                guard byte == expected else { return nil }
                if digits > 0 { field += 1 }
            }
        }
        guard rest.next() == nil else { return nil }
    }

    /// Appends a number with two or four digits, padded with zeros.
    static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        var power = digits > 2 ? 1000 : 10
        while power > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
    }
}
