/// A moment in UTC in the years 0 to 9999, in whole milliseconds since 1970-01-01, without leap seconds.
///
/// RFC 3339 can represent exactly these years. Arithmetic on moments never overflows: a result outside these years
/// becomes the nearest moment inside.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// The number of milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// The first moment of the year 0.
    public static let earliest = Timestamp(milliseconds: range.lowerBound)
    /// The last millisecond of the year 9999.
    public static let latest = Timestamp(milliseconds: range.upperBound)

    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Creates the moment a number of milliseconds after 1970-01-01T00:00:00Z, or the nearest valid one.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates the moment a number of milliseconds after 1970-01-01T00:00:00Z.
    ///
    /// Returns `nil` outside the years 0 to 9999.
    public init?(exactly milliseconds: Int64) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// Creates the moment of a calendar day and a time of day, or the nearest valid one.
    public init(_ date: CalendarDate, millisecondsOfDay: Int64) {
        self = Timestamp(milliseconds: date.daysSinceEpoch * Self.millisecondsPerDay)
            .advanced(byMilliseconds: millisecondsOfDay)
    }

    /// Decodes milliseconds since 1970-01-01T00:00:00Z; see ``init(milliseconds:)``.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Encodes milliseconds since 1970-01-01T00:00:00Z.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// The number of milliseconds in a day.
    public static let millisecondsPerDay: Int64 = 86_400_000

    /// Whether this lies in the first week of GPS, which a receiver reports until it knows the week: 6 to 12 January 1980.
    public var isOfUnknownWeek: Bool { Self.firstWeek.contains(milliseconds / Self.millisecondsPerDay) }

    /// The days of that week since 1970-01-01.
    private static let firstWeek: Range<Int64> = 3657..<3664

    /// Returns whether the first moment is earlier than the second.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

    /// Returns the number of milliseconds since an earlier moment; negative if that moment is later.
    public func milliseconds(since earlier: Timestamp) -> Int64 {
        milliseconds - earlier.milliseconds
    }

    /// Returns the number of seconds since an earlier moment; negative if that moment is later.
    public func seconds(since earlier: Timestamp) -> Double {
        Double(milliseconds(since: earlier)) / 1000
    }

    /// Returns the moment a number of milliseconds later, or the nearest valid one.
    public func advanced(byMilliseconds step: Int64) -> Timestamp {
        let (sum, overflows) = milliseconds.addingReportingOverflow(step)
        guard !overflows else { return step < 0 ? .earliest : .latest }
        return Timestamp(milliseconds: sum)
    }
}

/// A day of the proleptic Gregorian calendar in the years 0 to 9999.
public struct CalendarDate: Hashable, Sendable {
    /// The number of days since 1970-01-01.
    public let daysSinceEpoch: Int64

    /// The days of the years that a ``Timestamp`` can represent.
    private static let range: ClosedRange<Int64> = -719_528...2_932_896

    /// Creates the day a number of days after 1970-01-01, or the nearest valid one.
    public init(daysSinceEpoch: Int64) {
        self.daysSinceEpoch = min(max(daysSinceEpoch, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates a day from its year (1 to 9999), month and day of the month.
    ///
    /// Returns `nil` if the calendar has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        // Years start in March here, so that the leap day is the last day of its year.
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let monthFromMarch = Int64((month + 9) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSinceEpoch = era * 146_097 + dayOfEra - 719_468
    }

    /// The year, the month and the day of the month.
    public var components: (year: Int, month: Int, day: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, day)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
