/// A moment in UTC of the years 0 to 9999, in whole milliseconds since 1970-01-01, without leap seconds.
///
/// These are the years that RFC 3339 can write. A sum or difference that leads out of them gives the nearest moment
/// within, so that no arithmetic on moments overflows.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// The first moment of the year 0.
    public static let earliest = Timestamp(milliseconds: range.lowerBound)
    /// The last millisecond of the year 9999.
    public static let latest = Timestamp(milliseconds: range.upperBound)

    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// The moment so many milliseconds after 1970-01-01T00:00:00Z, or the nearest that there is.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The moment so many milliseconds after 1970-01-01T00:00:00Z; nil where it is not in the years 0 to 9999.
    public init?(exactly milliseconds: Int64) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// The moment of a calendar day and a time of day, or the nearest that there is.
    public init(_ date: CalendarDate, millisecondsOfDay: Int64) {
        self = Timestamp(milliseconds: date.daysSinceEpoch * Self.millisecondsPerDay)
            .advanced(byMilliseconds: millisecondsOfDay)
    }

    /// Reads milliseconds since 1970-01-01T00:00:00Z; see ``init(milliseconds:)``.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes milliseconds since 1970-01-01T00:00:00Z.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// Milliseconds in a day.
    public static let millisecondsPerDay: Int64 = 86_400_000

    /// The earlier of the two comes first.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

    /// Milliseconds that have passed since an earlier moment; negative where it is later.
    public func milliseconds(since earlier: Timestamp) -> Int64 {
        milliseconds - earlier.milliseconds
    }

    /// Seconds that have passed since an earlier moment.
    public func seconds(since earlier: Timestamp) -> Double {
        Double(milliseconds(since: earlier)) / 1000
    }

    /// The moment so many milliseconds later, or the nearest that there is.
    public func advanced(byMilliseconds step: Int64) -> Timestamp {
        let (sum, overflows) = milliseconds.addingReportingOverflow(step)
        guard !overflows else { return step < 0 ? .earliest : .latest }
        return Timestamp(milliseconds: sum)
    }
}

/// A day of the proleptic Gregorian calendar, of the years 0 to 9999.
public struct CalendarDate: Hashable, Sendable {
    /// Days since 1970-01-01.
    public let daysSinceEpoch: Int64

    /// The days of the years that a ``Timestamp`` has.
    private static let range: ClosedRange<Int64> = -719_528...2_932_896

    /// The day so many days after 1970-01-01, or the nearest that there is.
    public init(daysSinceEpoch: Int64) {
        self.daysSinceEpoch = min(max(daysSinceEpoch, Self.range.lowerBound), Self.range.upperBound)
    }

    /// A day by its year from 1 to 9999, month and day of the month, or nil where the calendar has none such.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        // Years run from March here, so that the leap day is the last of its year.
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let monthFromMarch = Int64((month + 9) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSinceEpoch = era * 146_097 + dayOfEra - 719_468
    }

    /// Year, month and day of the month.
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
