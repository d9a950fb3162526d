import ArgumentParser
import Foundation
import Time

/// The clock that determines how times are shown and when days begin.
struct DisplayClock: Sendable {
    let zone: TimeZone

    /// The clock of this machine; the variable `TZ` names another zone.
    static let local = DisplayClock(zone: .current)
    static let utc = DisplayClock(zone: .gmt)

    /// Returns the local time, as `2026-05-01T12:00:03.000`.
    private func face(_ time: Timestamp) -> String {
        let offset = Int64(offset(at: time)) * 1000
        return String(time.advanced(byMilliseconds: offset).description.dropLast())
    }

    /// Returns the seconds east of Greenwich.
    private func offset(at time: Timestamp) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
    }

    /// Returns whether the clock shows the time of a moment once more, because it is set back.
    func showsTwice(_ time: Timestamp) -> Bool {
        let day: Int64 = 86_400_000
        return [-day, day].contains { step in
            let shift = offset(at: time) - offset(at: time.advanced(byMilliseconds: step))
            return shift != 0 && face(time.advanced(byMilliseconds: Int64(clamping: shift) * 1000)) == face(time)
        }
    }

    /// Returns the day, as `2026-05-01`.
    func day(_ time: Timestamp) -> String { String(face(time).prefix(10)) }

    /// Returns the time of day to the second, as `12:00:03`, or to the millisecond.
    func time(_ time: Timestamp, isPrecise: Bool = false) -> String {
        String(face(time).dropFirst(11).prefix(isPrecise ? 12 : 8))
    }

    /// Returns the day and the minute, as `2026-05-01 12:00`.
    func minute(_ time: Timestamp) -> String { String(face(time).prefix(16)).replacing("T", with: " ") }

    /// Returns the day and the second, as `2026-05-01 12:00:03`.
    func second(_ time: Timestamp) -> String { String(face(time).prefix(19)).replacing("T", with: " ") }

    /// Returns the offset from UTC, as `UTC` or `UTC+5:30`.
    func name(at time: Timestamp) -> String {
        let offset = offset(at: time)
        guard offset != 0 else { return "UTC" }
        let minutes = abs(offset) / 60
        let rest = minutes % 60 == 0 ? "" : ":" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
        return "UTC\(offset < 0 ? "-" : "+")\(minutes / 60)\(rest)"
    }

    /// Returns the heading of a day, as `2026-05-01, times in UTC`.
    func head(of time: Timestamp) -> String { "\(day(time)), times in \(name(at: time))" }
}

/// The option `--utc`, which chooses the clock.
struct ClockOption: ParsableArguments {
    @Flag(help: "Use UTC for times and days, instead of your time zone.")
    var utc = false

    var clock: DisplayClock { utc ? .utc : .local }
}
