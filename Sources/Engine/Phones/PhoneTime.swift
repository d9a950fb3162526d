internal import RPC
internal import TextCoding
internal import Time

/// The forms of time that tracking apps send.
enum PhoneTime {
    /// The first number that is milliseconds since 1970 and no longer seconds, by OsmAnd's protocol.
    ///
    /// So a time after January 2038 in seconds is read as one of 1970.
    private static let firstMilliseconds = 2_147_483_647.0
    /// The longest text that is read, in bytes; an ISO time with nine decimals and an offset has 35.
    private static let maximumLength = 64

    /// Reads seconds since 1970, which may have a fraction.
    ///
    /// Returns `nil` for a time that is not after 1970-01-01T00:00:00Z, as trackers without a clock send it, and for
    /// one after the year 9999.
    static func seconds(_ number: ReportedNumber) -> Timestamp? {
        guard case .value(let value) = number.times(1000) else { return nil }
        return milliseconds(value)
    }

    /// Reads the time of OsmAnd's protocol: seconds or milliseconds since 1970, an ISO time, or
    /// `yyyy-MM-dd HH:mm:ss` in UTC.
    static func any(_ text: String?) -> Timestamp? {
        guard let text, text.utf8.count <= maximumLength else { return nil }
        switch ReportedNumber(text) {
        case .value(let value): return any(value)
        case .absent: return nil
        case .notANumber: return Timestamp(rfc3339: withPlus(text)).flatMap { milliseconds(Double($0.milliseconds)) }
        }
    }

    /// Reads the time of OsmAnd's protocol from JSON.
    static func any(_ json: JSONValue?) -> Timestamp? {
        switch json {
        case .string(let text): any(text)
        case .integer(let value): any(Double(value))
        case .number(let value): any(value)
        default: nil
        }
    }

    private static func any(_ value: Double) -> Timestamp? {
        milliseconds(value < firstMilliseconds ? value * 1000 : value)
    }

    private static func milliseconds(_ value: Double) -> Timestamp? {
        guard value > 0, let whole = Int64(exactly: value.rounded()) else { return nil }
        return Timestamp(exactly: whole)
    }

    /// Puts the plus back that a query turns into a space: `2026-05-01T12:00:00 02:00`.
    private static func withPlus(_ text: String) -> String {
        let text = text.trimmingBlanks()
        guard let space = text.lastIndex(of: " "), text[..<space].contains(where: { $0 == "T" || $0 == "t" }) else {
            return text
        }
        return text[..<space] + "+" + text[text.index(after: space)...]
    }
}
