#if Companion
import Foundation
import RPC
import Time

/// Formatters for the days of a plan.
enum PlanDays {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    /// Returns a day as `1 May 2026`; a text that is no day is returned unchanged.
    static func day(_ text: String, hasYear: Bool = true) -> String {
        guard let date = CalendarDate(argument: String(text.prefix(10))) else { return text }
        let (year, month, day) = date.components
        let name = months.dropFirst(month - 1).first ?? ""
        return "\(day) \(name)\(hasYear ? " \(year)" : "")"
    }

    /// Returns a day as `Friday 1 May`; a text that is no day is returned unchanged.
    static func named(_ text: String) -> String {
        guard let date = CalendarDate(argument: String(text.prefix(10))) else { return text }
        // 1 January 1970 was a Thursday.
        let place = Int(clamping: (date.daysSinceEpoch % 7 + 7) % 7)
        return "\(weekdays.dropFirst(place).first ?? "") \(day(text, hasYear: false))"
    }

    /// Returns the days of a plan as `1 to 3 May 2026`; `nil` if it has none.
    static func span(_ plan: JSONValue) -> String? {
        guard let start = plan["start"]?.text("at")?.prefix(10) else { return nil }
        guard let end = plan["end"]?.text("at")?.prefix(10), end != start else { return day(String(start)) }
        guard start.prefix(7) != end.prefix(7) else {
            return "\(day(String(start), hasYear: false).prefix { $0 != " " }) to \(day(String(end)))"
        }
        return "\(day(String(start), hasYear: start.prefix(4) != end.prefix(4))) to \(day(String(end)))"
    }

    /// Returns the time of day of a planned time as `10:00`; `nil` if it is a whole day.
    static func clock(_ time: JSONValue?) -> String? {
        guard let text = time?.text("shown") ?? time?.text("at"), text.dropFirst(10).first == "T" else { return nil }
        return String(text.dropFirst(11).prefix(5))
    }

    /// Returns what the time of day leaves open: `America/New_York` if clocks there differ from `usual`, or `UTC+2` if
    /// clocks show the time twice; otherwise `nil`.
    static func note(_ time: JSONValue?, besides usual: DisplayClock) -> String? {
        guard clock(time) != nil, let moment = time?.time("time"),
            let zone = time?.text("zone").flatMap({ TimeZone(identifier: $0) })
        else { return nil }
        let clock = DisplayClock(zone: zone)
        if clock.showsTwice(moment) { return clock.name(at: moment) }
        return clock.name(at: moment) == usual.name(at: moment) ? nil : zone.identifier
    }

    /// Returns a sentence for each time of a plan or of an item in it that clocks skip.
    static func moves(in answer: JSONValue) -> [String] {
        ["start", "end", "from", "to"].compactMap { name in
            guard let time = answer[name], let planned = time.text("at"), let shown = time.text("shown") else {
                return nil
            }
            let (skipped, moved) = (planned.replacing("T", with: " "), shown.replacing("T", with: " "))
            return "Clocks in \(time.text("zone") ?? "") skip \(skipped); it was moved forward to \(moved)."
        }
    }

    /// Returns the day of a planned time as `2026-05-01`.
    static func date(_ time: JSONValue?) -> String? {
        (time?.text("shown") ?? time?.text("at")).map { String($0.prefix(10)) }
    }
}
#endif
