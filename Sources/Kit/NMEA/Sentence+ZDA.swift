internal import Positioning
import Time

extension Sentence {
    /// Reads ZDA, time and date.
    ///
    ///     $GPZDA,160012.71,11,03,2004,-1,00*7D
    ///     1  160012.71  time of day
    ///     2  11         day
    ///     3  03         month
    ///     4  2004       year
    ///     5  -1         local zone, hours
    ///     6  00         local zone, minutes
    ///
    /// Quirks: some receivers write the year with two digits. Without a fix the date may be empty. Some receivers send
    /// it seconds ahead of the other sentences, which makes it an epoch without a position.
    static func zda(
        _ fields: inout Fields, _ text: Span<UInt8>, _ report: inout Report
    ) throws(MalformedReason) {
        try fields.require(6...6, atLeast: 4, text)
        report.time = try fields.time(1, text)
        report.date = try fields.date(day: 2, month: 3, year: 4, text)
    }
}

extension Fields {
    /// Parses the date in three fields.
    ///
    /// - Returns: `nil` if all of them are empty.
    fileprivate mutating func date(
        day: Int, month: Int, year: Int, _ text: Span<UInt8>
    ) throws(MalformedReason) -> CalendarDate? {
        if isEmpty(day), isEmpty(month), isEmpty(year) { return nil }
        do throws(MalformedReason) {
            guard let dayNumber = try integer(day, text), let monthNumber = try integer(month, text),
                let yearNumber = try integer(year, text),
                let date = CalendarDate(
                    year: self[year].count == 2 ? Self.fullYear(yearNumber) : yearNumber, month: monthNumber,
                    day: dayNumber)
            else { throw .date }
            return date
        } catch {
            throw .date
        }
    }
}
