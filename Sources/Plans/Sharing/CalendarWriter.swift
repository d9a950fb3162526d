import Geodesy
import Positioning

/// Writes a calendar of a plan that other programs read: iCalendar, RFC 5545.
///
/// Each time stands as clocks show it with its zone, of which the calendar has the rules for as long as it needs them; a
/// time that clocks skip is written as the later one that they show. What has no time of day is of the whole day, and what
/// has no day is left out. A calendar of the same plan has the same UIDs, and a higher SEQUENCE where something was changed.
struct CalendarWriter {
    /// One thing in a calendar.
    struct Event: Planned {
        /// What it is known by in the world: of a plan's object for good.
        var uid: String
        /// Its revision, counted from 1.
        var revision: Int64
        var title: String
        var description: String?
        /// Where, in words.
        var location: String?
        var place: Coordinate?
        var url: String?
        var start: PlannedTime?
        var end: PlannedTime?
    }

    private var text = ""

    /// The calendar as it is sent: UTF-8, lines of at most 75 bytes that end with CR LF.
    ///
    /// - Parameters:
    ///   - name: what the calendar is called.
    ///   - stamp: when its content was last changed.
    static func calendar(named name: String, of events: [Event], stamp: Timestamp) -> String {
        var writer = CalendarWriter()
        writer.line("BEGIN", "VCALENDAR")
        writer.line("VERSION", "2.0")
        writer.line("PRODID", "-//Waymark//Plans//EN")
        writer.line("CALSCALE", "GREGORIAN")
        writer.line("X-WR-CALNAME", escaped(name))
        let dated = events.compactMap { event in event.start.map { (event, $0) } ?? event.end.map { (event, $0) } }
        for (zone, first, last) in zones(of: dated.map(\.0)) { writer.zone(zone, from: first, to: last) }
        for (event, start) in dated { writer.event(event, start: start, stamp: stamp) }
        writer.line("END", "VCALENDAR")
        return writer.text
    }

    /// The zones of times of day, by name, each with the first and last moment that it is needed for.
    private static func zones(of events: [Event]) -> [(zone: Zone, first: Timestamp, last: Timestamp)] {
        var spans: [Zone: (first: Timestamp, last: Timestamp)] = [:]
        for time in events.flatMap({ [$0.start, $0.end] }).compactMap(\.self) where time.clock.minute != nil {
            let moment = time.instant
            let span = spans[time.zone] ?? (moment, moment)
            spans[time.zone] = (min(span.first, moment), max(span.last, moment))
        }
        return spans.filter { $0.key.name != "UTC" }.sorted { $0.key.name < $1.key.name }
            .map { ($0.key, $0.value.first, $0.value.last) }
    }

    private mutating func event(_ event: Event, start: PlannedTime, stamp: Timestamp) {
        line("BEGIN", "VEVENT")
        line("UID", Self.escaped(event.uid))
        line("DTSTAMP", Self.utc(stamp))
        line("SEQUENCE", "\(max(0, event.revision - 1))")
        if start.clock.minute != nil {
            time("DTSTART", start)
            // A whole day as the end of what has a time of day is its midnight.
            if let end = event.end, event.start != nil {
                if end.clock.minute != nil, end.instant > start.instant {
                    time("DTEND", end)
                } else if end.clock.minute == nil {
                    let midnight = WallClock(date: end.clock.date.advanced(byDays: 1), minute: 0)
                    time("DTEND", PlannedTime(midnight, in: end.zone))
                }
            }
        } else {
            let first = start.clock.date
            // The day after the last: it is not part of it.
            let last = max(first, event.end?.clock.date ?? first)
            line("DTSTART;VALUE=DATE", Self.digits(first))
            line("DTEND;VALUE=DATE", Self.digits(last.advanced(byDays: 1)))
        }
        line("SUMMARY", Self.escaped(event.title))
        if let description = event.description { line("DESCRIPTION", Self.escaped(description)) }
        if let location = event.location { line("LOCATION", Self.escaped(location)) }
        if let place = event.place {
            line("GEO", "\(Self.degrees(place.latitudeE7));\(Self.degrees(place.longitudeE7))")
        }
        if let url = event.url { line("URL", url) }
        line("END", "VEVENT")
    }

    private mutating func time(_ name: String, _ time: PlannedTime) {
        let resolution = time.resolve()
        if time.zone.name == "UTC" {
            line(name, Self.utc(resolution.time))
        } else if resolution.candidates.count > 1, resolution.time != resolution.candidates.first?.time {
            // RFC 5545 takes a time that clocks show twice for the first; the second can only be said in UTC.
            line(name, Self.utc(resolution.time))
        } else {
            line("\(name);TZID=\(time.zone.name)", Self.digits(resolution.clock))
        }
    }

    /// The rules of a zone: one part for each offset that it has from before the first moment to the last.
    private mutating func zone(_ zone: Zone, from first: Timestamp, to last: Timestamp) {
        let day = Timestamp.millisecondsPerDay
        let start = first.advanced(byMilliseconds: -400 * day)
        let changes = zone.changes(after: start, upTo: last.advanced(byMilliseconds: 2 * day))
        line("BEGIN", "VTIMEZONE")
        line("TZID", zone.name)
        // One that has not changed for a year has begun before all that is asked of it.
        let offset = zone.offset(at: start)
        observance(from: offset, to: offset, at: start, isDaylight: false)
        for change in changes {
            observance(
                from: change.before, to: change.after, at: change.time, isDaylight: change.after > change.before)
        }
        line("END", "VTIMEZONE")
    }

    private mutating func observance(from before: Int, to after: Int, at time: Timestamp, isDaylight: Bool) {
        let name = isDaylight ? "DAYLIGHT" : "STANDARD"
        line("BEGIN", name)
        // Its first moment by the clocks of before.
        let local = time.advanced(byMilliseconds: Int64(clamping: before) * 1000)
        line("DTSTART", String(Self.utc(local).dropLast()))
        line("TZOFFSETFROM", Zone.text(ofOffset: before, separator: ""))
        line("TZOFFSETTO", Zone.text(ofOffset: after, separator: ""))
        line("END", name)
    }

    /// Writes a line, folded so that no part has more than 75 bytes and no character is cut.
    private mutating func line(_ name: String, _ value: String) {
        var length = 0
        for character in "\(name):\(value)".unicodeScalars {
            let width = UTF8.width(character)
            if length + width > 75 {
                text += "\r\n "
                length = 1
            }
            text.unicodeScalars.append(character)
            length += width
        }
        text += "\r\n"
    }

    /// A text with what has a meaning in iCalendar escaped, and without control characters.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\\", ";", ",": escaped += "\\\(scalar)"
            case "\n", "\r": escaped += "\\n"
            case "\t": escaped += "\t"
            case _ where scalar.properties.generalCategory == .control: break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func digits(_ date: CalendarDate) -> String { date.text.replacing("-", with: "") }

    private static func digits(_ clock: WallClock) -> String {
        "\(digits(clock.date))T\((clock.time ?? "00:00").replacing(":", with: ""))00"
    }

    private static func utc(_ time: Timestamp) -> String {
        "\(time.description.prefix(19).replacing("-", with: "").replacing(":", with: ""))Z"
    }

    /// Degrees to six decimals, as GEO has them.
    private static func degrees(_ unitsE7: Int32) -> String {
        let millionths = (unitsE7.magnitude + 5) / 10
        let (whole, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest)
        let zeros = String(repeating: "0", count: max(0, 6 - digits.utf8.count))
        return "\(unitsE7 < 0 ? "-" : "")\(whole).\(zeros)\(digits)"
    }
}
