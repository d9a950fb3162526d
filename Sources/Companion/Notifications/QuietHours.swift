import Foundation
import Service
import Time

/// The hours of the day in which notifications are not announced, in local time.
struct QuietHours: Hashable, Sendable {
    /// The first minute of the quiet hours, counted from midnight.
    let begin: Int
    /// The first minute after the quiet hours, counted from midnight.
    let end: Int
    let zone: ZoneName

    /// A time zone: an offset such as `+02:00`, or a name such as `Europe/Amsterdam`.
    struct ZoneName: Hashable, Sendable {
        let text: String
        private let zone: TimeZone

        /// Creates the time zone with a name or an offset, or `nil` if there is none.
        init?(_ text: String) {
            self.text = text
            if let first = text.first, first == "+" || first == "-" {
                guard let minutes = QuietHours.minutes(text.dropFirst()),
                    let zone = TimeZone(secondsFromGMT: (first == "-" ? -60 : 60) * minutes)
                else { return nil }
                self.zone = zone
            } else {
                guard text == "UTC" || TimeZone.knownTimeZoneIdentifiers.contains(text),
                    let zone = TimeZone(identifier: text)
                else { return nil }
                self.zone = zone
            }
        }

        /// The machine's time zone, or UTC if it is unknown.
        static var ofMachine: ZoneName { ZoneName(TimeZone.current.identifier) ?? utc }

        private static let utc = ZoneName(text: "UTC", zone: .gmt)

        private init(text: String, zone: TimeZone) {
            self.text = text
            self.zone = zone
        }

        /// Returns the minute of the day in local time.
        func minute(at time: Timestamp) -> Int {
            let seconds = time.milliseconds.flooredQuotient(by: 1000)
            let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
            let local = (seconds + Int64(offset)) % 86_400
            return Int(local < 0 ? local + 86_400 : local) / 60
        }
    }

    /// Parses hours of the form `HH:MM-HH:MM`, or returns `nil` if they are malformed or empty.
    ///
    /// The hours extend over midnight if the second time is the earlier one.
    init?(_ text: String, zone: ZoneName) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let begin = Self.minutes(parts[0]), let end = Self.minutes(parts[1]), begin != end
        else {
            return nil
        }
        self.begin = begin
        self.end = end
        self.zone = zone
    }

    /// The hours, as `HH:MM-HH:MM`.
    var text: String {
        func clock(_ minutes: Int) -> String {
            String(format: "%02d:%02d", minutes / 60, minutes % 60)
        }
        return "\(clock(begin))-\(clock(end))"
    }

    /// Whether a moment lies within the hours.
    ///
    /// The begin is included, the end is not.
    func contains(_ time: Timestamp) -> Bool {
        let minute = zone.minute(at: time)
        return begin < end ? begin <= minute && minute < end : begin <= minute || minute < end
    }

    /// Parses a time of the form `HH:MM`, and returns it in minutes, or `nil` if it is malformed.
    private static func minutes(_ text: Substring) -> Int? {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"), let hour = Int(text.prefix(2)),
            let minute = Int(text.suffix(2)), (0..<24).contains(hour), (0..<60).contains(minute),
            digits[0] != UInt8(ascii: "+"), digits[3] != UInt8(ascii: "+")
        else { return nil }
        return hour * 60 + minute
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
