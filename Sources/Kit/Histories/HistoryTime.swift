internal import Time

/// Readers of the times that histories hold.
enum HistoryTime {
    /// The times that a phone can have measured, from 1970-01-02 to the year 2199.
    ///
    /// A clock that was never set gives the first day of 1970, and damaged files give the years 1 and 9999.
    static let plausible =
        Timestamp(milliseconds: Timestamp.millisecondsPerDay)...Timestamp(milliseconds: 7_258_118_399_999)

    /// The number from which on a time counts milliseconds since 1970, not seconds: seconds reach it in the year 5138.
    private static let leastMilliseconds = 1e11

    /// Returns a plausible time from text, which is RFC 3339 or a number; see ``time(_:)-(Span<UInt8>)``.
    static func plausible(_ text: Span<UInt8>) throws(DroppedPoint) -> Timestamp { try plausible(time(text)) }

    /// Returns the time if it is plausible.
    static func plausible(_ time: Timestamp) throws(DroppedPoint) -> Timestamp {
        guard plausible.contains(time) else { throw .outOfRange }
        return time
    }

    /// Returns the time that a text holds: a date and time (RFC 3339, UTC if it has no zone), or a number of seconds or
    /// milliseconds since 1970.
    static func time(_ text: Span<UInt8>) throws(DroppedPoint) -> Timestamp {
        if let time = Timestamp(rfc3339: text) { return time }
        guard let number = DecimalReader.value(text) else { throw .noTime }
        return try time(number)
    }

    /// Returns the time that is a number of seconds or milliseconds after the beginning of 1970.
    static func time(_ number: Double) throws(DroppedPoint) -> Timestamp {
        try time(milliseconds: number.magnitude < leastMilliseconds ? (number * 1000).rounded() : number.rounded())
    }

    /// Returns the time that is a number of milliseconds after the beginning of 1970.
    static func time(milliseconds: Double) throws(DroppedPoint) -> Timestamp {
        guard !milliseconds.isNaN else { throw .notANumber }
        guard let milliseconds = Int64(exactly: milliseconds), let time = Timestamp(exactly: milliseconds) else {
            throw .outOfRange
        }
        return time
    }
}
