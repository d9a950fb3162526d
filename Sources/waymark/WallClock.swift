import ArgumentParser
import Foundation
import Positioning

/// By which clock times are shown, and days begin.
struct WallClock: Sendable {
    let zone: TimeZone

    /// That of this machine; the variable `TZ` names another zone.
    static let local = WallClock(zone: .current)
    static let utc = WallClock(zone: .gmt)

    /// What a clock shows at a moment, as `2026-05-01T12:00:03.000`.
    private func face(_ time: Timestamp) -> String {
        let offset = Int64(offset(at: time)) * 1000
        return String(time.advanced(byMilliseconds: offset).description.dropLast())
    }

    /// Seconds east of Greenwich.
    private func offset(at time: Timestamp) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
    }

    /// The day, as `2026-05-01`.
    func day(_ time: Timestamp) -> String { String(face(time).prefix(10)) }

    /// The time of the day to the second, or to the millisecond, as `12:00:03`.
    func time(_ time: Timestamp, isPrecise: Bool = false) -> String {
        String(face(time).dropFirst(11).prefix(isPrecise ? 12 : 8))
    }

    /// The day and the minute, as `2026-05-01 12:00`.
    func minute(_ time: Timestamp) -> String { String(face(time).prefix(16)).replacing("T", with: " ") }

    /// The day and the second, as `2026-05-01 12:00:03`.
    func second(_ time: Timestamp) -> String { String(face(time).prefix(19)).replacing("T", with: " ") }

    /// What the clock shows beside UTC, as `UTC` or `UTC+5:30`.
    func name(at time: Timestamp) -> String {
        let offset = offset(at: time)
        guard offset != 0 else { return "UTC" }
        let minutes = abs(offset) / 60
        let rest = minutes % 60 == 0 ? "" : ":" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
        return "UTC\(offset < 0 ? "-" : "+")\(minutes / 60)\(rest)"
    }

    /// The head of what happened on a day, as `2026-05-01, times in UTC`.
    func head(of time: Timestamp) -> String { "\(day(time)), times in \(name(at: time))" }
}

/// `--utc`: by which clock times are shown.
struct ClockOption: ParsableArguments {
    @Flag(help: "Times and days in UTC, instead of those of your time zone.")
    var utc = false

    var clock: WallClock { utc ? .utc : .local }
}
