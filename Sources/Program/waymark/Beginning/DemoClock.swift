#if Companion
import Foundation
import Time

/// The local days and times of the drive, as plans take them.
struct DemoClock {
    /// The time zone of the country.
    static let zone = "Europe/Vaduz"

    private let start: Date

    /// Creates the clock of a drive that begins at a time.
    init(start: Timestamp) {
        self.start = Date(timeIntervalSince1970: Double(start.milliseconds) / 1000)
    }

    /// Returns a local day, such as `2026-05-01`.
    ///
    /// - Parameter days: The days after the day on which the drive begins; negative for days before.
    func day(_ days: Int) -> String {
        String(text(start.addingTimeInterval(Double(days) * 86_400)).prefix(10))
    }

    /// Returns the local time some minutes after the drive began, such as `2026-05-01T10:05`.
    func time(minutes: Int) -> String {
        String(text(start.addingTimeInterval(Double(minutes) * 60)).prefix(16))
    }

    private func text(_ date: Date) -> String {
        let zone = TimeZone(identifier: Self.zone) ?? TimeZone.gmt
        return date.addingTimeInterval(Double(zone.secondsFromGMT(for: date))).ISO8601Format()
    }
}
#endif
