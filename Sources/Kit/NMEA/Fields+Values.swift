internal import Geodesy
internal import Positioning
import Time

/// A time of day in UTC, in whole milliseconds.
///
/// A leap second is 23:59:60, and rounding may yield 24:00:00.000.
struct TimeOfDay: Equatable {
    /// The number of milliseconds since midnight.
    let milliseconds: Int64
}

/// The position in a sentence.
struct Position {
    let coordinate: Coordinate
    /// The number of decimals in the minutes of the latitude.
    let decimals: Int

    /// The length of a minute of latitude.
    private static let metersPerMinute = 1852.0

    /// Whether two positions may be the same one, rounded differently.
    func agrees(with other: Position) -> Bool {
        var tolerance = 2 * Self.metersPerMinute
        for _ in 0..<min(decimals, other.decimals, 6) { tolerance /= 10 }
        return Sphere.distance(from: coordinate, to: other.coordinate).meters <= tolerance + 2
    }
}

extension Fields {
    /// Parses a time of day of the form `hhmmss` with any number of decimals, rounded to milliseconds.
    ///
    /// - Returns: `nil` if the field is empty.
    mutating func time(_ field: Int, _ text: Span<UInt8>) throws(MalformedReason) -> TimeOfDay? {
        let place = self[field]
        guard let last = place.last else { return nil }
        guard text[last] != .point, place.count >= 6,
            let (hour, minute, second) = text.word(at: place.lowerBound).threePairs, hour <= 23, minute <= 59,
            second <= 60, let fraction = fraction(place.lowerBound + 6..<place.upperBound, text)
        else { throw .time }
        let seconds = (hour &* 60 &+ minute) &* 60 &+ second
        return TimeOfDay(milliseconds: Int64(seconds &* 1000 &+ (fraction / 100_000 &+ 5) / 10))
    }

    /// Parses a date of the form `ddmmyy`.
    ///
    /// - Returns: `nil` if the field is empty.
    mutating func date(_ field: Int, _ text: Span<UInt8>) throws(MalformedReason) -> CalendarDate? {
        let place = self[field]
        guard !place.isEmpty else { return nil }
        if let date = knownDate.value(at: place.lowerBound, place.count, in: text) { return date }
        guard place.count == 6, let (day, month, year) = text.word(at: place.lowerBound).threePairs,
            let date = CalendarDate(year: Self.fullYear(year), month: month, day: day)
        else { throw .date }
        knownDate.learn(date, at: place.lowerBound, place.count, in: text)
        return date
    }

    /// Returns the year for two digits.
    ///
    /// GPS began in 1980, so 80 to 99 belong to that century.
    static func fullYear(_ year: Int) -> Int { year >= 80 ? 1900 + year : 2000 + year }

    /// Parses the position in a latitude field and the three fields after it: `ddmm.mm,N,dddmm.mm,E`.
    mutating func position(_ field: Int, _ text: Span<UInt8>) throws(MalformedReason) -> Position {
        let start = self[field].lowerBound
        let length = self[field + 3].upperBound &- start
        if let position = knownPosition.value(at: start, length, in: text) { return position }
        guard let latitude = angle(self[field], digits: 4, text),
            let longitude = angle(self[field + 2], digits: 5, text),
            let north = sign(field + 1, plus: UInt8(ascii: "N"), minus: UInt8(ascii: "S"), text),
            let east = sign(field + 3, plus: UInt8(ascii: "E"), minus: UInt8(ascii: "W"), text),
            let coordinate = Coordinate(latitudeE7: north * latitude.e7, longitudeE7: east * longitude.e7)
        else { throw .position }
        let position = Position(coordinate: coordinate, decimals: latitude.decimals)
        knownPosition.learn(position, at: start, length, in: text)
        return position
    }

    /// Parses a decimal number.
    ///
    /// - Returns: `nil` if the field is empty, or the number is outside the range of plausible values.
    mutating func number(
        _ field: Int, _ text: Span<UInt8>, within range: ClosedRange<Double>
    ) throws(MalformedReason) -> Double? {
        let place = self[field]
        if let number = plainNumber(place, text) { return range.contains(number) ? number : nil }
        let text = text.extracting(place)
        guard !text.isEmpty else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0
        var index = start
        var value = 0
        var isHuge = false
        while index < text.count, let digit = text[index].decimalDigit {
            if value < Self.maximumDigits { value = value &* 10 &+ digit } else { isHuge = true }
            index += 1
        }
        var digits = index - start
        var decimals = 0
        if index < text.count {
            guard text[index] == .point else { throw .number }
            index += 1
            digits += text.count - index
            while index < text.count {
                guard let digit = text[index].decimalDigit else { throw .number }
                // Leading zeros keep the value small however many there are, so they count as decimals, too.
                if value < Self.maximumDigits, decimals < Self.maximumDecimals {
                    value = value &* 10 &+ digit
                    decimals += 1
                }
                index += 1
            }
        }
        guard digits > 0 else { throw .number }
        guard !isHuge else { return nil }
        let number = Double(isNegative ? -value : value) / Self.powersOfTen[decimals]
        return range.contains(number) ? number : nil
    }

    /// Returns the number of up to eight characters without a sign; `nil` if the text has another form.
    @inline(__always)
    private func plainNumber(_ place: Range<Int>, _ text: Span<UInt8>) -> Double? {
        guard (1...8).contains(place.count) else { return nil }
        let word = text.word(at: place.lowerBound)
        guard let point = word.places(of: .point).first, point < place.count else {
            return word.integer(place.count).map { Double($0) }
        }
        guard place.count > 1, let value = word.removing(point).integer(place.count &- 1) else { return nil }
        return Double(value) / Self.powersOfTen[place.count &- 1 &- point]
    }

    /// Parses a number of one to four digits.
    ///
    /// - Returns: `nil` if the field is empty.
    mutating func integer(_ field: Int, _ text: Span<UInt8>) throws(MalformedReason) -> Int? {
        let place = self[field]
        guard !place.isEmpty else { return nil }
        guard place.count <= 4, let value = text.word(at: place.lowerBound).integer(place.count) else { throw .number }
        return value
    }

    /// The value above which further digits are dropped.
    ///
    /// It and its power of ten are still exact as `Double`, so the quotient is the nearest one.
    private static let maximumDigits = 100_000_000_000_000
    /// The number of decimals beyond which further ones are dropped.
    ///
    /// The last power of ten belongs to it.
    private static let maximumDecimals = 16
    private static let powersOfTen: InlineArray<17, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    ]

    /// Parses the decimals of `.12345` in units of the ninth decimal.
    ///
    /// Further decimals are dropped.
    ///
    /// Blanks may follow, since some receivers pad with them.
    ///
    /// - Returns: `nil` if the text has another form.
    @inline(__always)
    private func fraction(_ place: Range<Int>, _ text: Span<UInt8>) -> Int? {
        guard !place.isEmpty else { return 0 }
        guard text[place.lowerBound] == .point else { return nil }
        if (2...9).contains(place.count),
            let decimals = text.word(at: place.lowerBound &+ 1).decimals(place.count &- 1)
        {
            return decimals &* 10
        }
        return longFraction(text.extracting(place))
    }

    /// Returns the same as `fraction` for any text.
    private func longFraction(_ text: Span<UInt8>) -> Int? {
        var value = 0
        var index = 1
        let end = min(text.count, 10)
        while index < end, let digit = text[index].decimalDigit {
            value = value &* 10 &+ digit
            index += 1
        }
        value *= Self.integerPowersOfTen[10 - index]
        while index < text.count, text[index].decimalDigit != nil { index += 1 }
        while index < text.count, text[index] == .space { index += 1 }
        return index == text.count ? value : nil
    }

    private static let integerPowersOfTen: InlineArray<10, Int> = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    /// Parses an angle of the form `dddmm.mmmm`, with at most `digits` digits before the point.
    ///
    /// - Returns: the degrees times 10⁷, rounded half up, and the number of decimals; `nil` if the text has another
    ///   form.
    private func angle(_ place: Range<Int>, digits: Int, _ text: Span<UInt8>) -> (e7: Int32, decimals: Int)? {
        let word = text.word(at: place.lowerBound)
        // The point may also be one of a later field.
        let index = min(word.places(of: .point).first ?? place.count, place.count)
        // Some receivers omit leading zeros, but there is at least one digit of degrees.
        guard index >= 3, index <= digits, let whole = word.integer(index), whole % 100 < 60,
            let fraction = fraction(place.lowerBound + index..<place.upperBound, text)
        else { return nil }
        let minutesE9 = whole % 100 * 1_000_000_000 + fraction
        // A unit is 6000 billionths of a minute. Digits after the ninth decimal cannot change the rounding.
        let e7 = whole / 100 * 10_000_000 + (minutesE9 + 3000) / 6000
        guard let value = Int32(exactly: e7) else { return nil }
        return (value, max(0, place.count - index - 1))
    }

    private mutating func sign(_ field: Int, plus: UInt8, minus: UInt8, _ text: Span<UInt8>) -> Int32? {
        switch character(field, text) {
        case plus: 1
        case minus: -1
        default: nil
        }
    }
}
