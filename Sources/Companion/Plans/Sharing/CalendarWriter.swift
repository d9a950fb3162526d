import Geodesy
import Time

/// Writes a plan as a calendar in the iCalendar format, RFC 5545.
///
/// Times are local times with their zone. The calendar contains the rules of each zone for the period that it needs. A
/// time that clocks skip is written as the later time that they show. An event without a time of day takes the whole
/// day, and an event without a day is left out. All calendars of a plan have the same UIDs, and a higher SEQUENCE for
/// events that have changed.
struct CalendarWriter {
    /// One event of the calendar.
    struct Event: Planned {
        /// The globally unique id, which stays the same for an object of a plan.
        var uid: String
        /// The revision, counted from 1.
        var revision: Int64
        var title: String
        var description: String?
        /// The place in words.
        var location: String?
        var place: Coordinate?
        var url: String?
        var start: PlannedTime?
        var end: PlannedTime?
    }

    /// One entry of a list, which is to be done by a day.
    struct ToDo {
        /// The globally unique id, which stays the same for an object of a plan.
        var uid: String
        /// The revision, counted from 1.
        var revision: Int64
        var title: String
        /// The day by which it is to be done.
        var day: CalendarDate
        var isDone: Bool
    }

    private var text = ""

    /// Returns the calendar as UTF-8 text, in lines of at most 75 bytes that end with CR LF.
    ///
    /// - Parameters:
    ///   - name: the name of the calendar.
    ///   - events: the events, of which those without a day are left out.
    ///   - toDos: what is to be done, as VTODO.
    ///   - stamp: the time of the last change to its content.
    static func calendar(
        named name: String, of events: [Event], toDos: [ToDo] = [], stamp: Timestamp
    ) -> String {
        var writer = CalendarWriter()
        writer.line("BEGIN", "VCALENDAR")
        writer.line("VERSION", "2.0")
        writer.line("PRODID", "-//Waymark//Plans//EN")
        writer.line("CALSCALE", "GREGORIAN")
        writer.line("X-WR-CALNAME", escaped(name))
        let dated = events.compactMap { event in event.start.map { (event, $0) } ?? event.end.map { (event, $0) } }
        for (zone, first, last) in zones(of: dated.map(\.0)) { writer.zone(zone, from: first, to: last) }
        for (event, start) in dated { writer.event(event, start: start, stamp: stamp) }
        for toDo in toDos { writer.toDo(toDo, stamp: stamp) }
        writer.line("END", "VCALENDAR")
        return writer.text
    }

    /// Returns the zones of all times of day except UTC, by name, each with the first and last moment that needs it.
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
            // If the start has a time of day, an end without one is the midnight after that day.
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
            // DTEND is exclusive: it is the day after the last.
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

    private mutating func toDo(_ toDo: ToDo, stamp: Timestamp) {
        line("BEGIN", "VTODO")
        line("UID", Self.escaped(toDo.uid))
        line("DTSTAMP", Self.utc(stamp))
        line("SEQUENCE", "\(max(0, toDo.revision - 1))")
        line("DUE;VALUE=DATE", Self.digits(toDo.day))
        line("SUMMARY", Self.escaped(toDo.title))
        line("STATUS", toDo.isDone ? "COMPLETED" : "NEEDS-ACTION")
        line("END", "VTODO")
    }

    private mutating func time(_ name: String, _ time: PlannedTime) {
        let resolution = time.resolve()
        if time.zone.name == "UTC" {
            line(name, Self.utc(resolution.time))
        } else if resolution.candidates.count > 1, resolution.time != resolution.candidates.first?.time {
            // In RFC 5545, a local time that clocks show twice is the first one. Only UTC can express the second.
            line(name, Self.utc(resolution.time))
        } else {
            line("\(name);TZID=\(time.zone.name)", Self.digits(resolution.clock))
        }
    }

    /// Writes the rules of a zone: one part for each offset from 400 days before the first moment to two days after the
    /// last.
    private mutating func zone(_ zone: Zone, from first: Timestamp, to last: Timestamp) {
        let day = Timestamp.millisecondsPerDay
        let start = first.advanced(byMilliseconds: -400 * day)
        let changes = zone.changes(after: start, upTo: last.advanced(byMilliseconds: 2 * day))
        line("BEGIN", "VTIMEZONE")
        line("TZID", zone.name)
        // This part covers zones that have not changed for a year.
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
        // DTSTART is the first moment in the local time before the change.
        let local = time.advanced(byMilliseconds: Int64(clamping: before) * 1000)
        line("DTSTART", String(Self.utc(local).dropLast()))
        line("TZOFFSETFROM", Zone.text(ofOffset: before, separator: ""))
        line("TZOFFSETTO", Zone.text(ofOffset: after, separator: ""))
        line("END", name)
    }

    /// Writes a line, folded so that each part has at most 75 bytes and no character is split.
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

    /// Returns a text with the special characters of iCalendar escaped and without control characters other than tab.
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

    /// Returns E7 degrees with six decimals, as GEO requires.
    private static func degrees(_ unitsE7: Int32) -> String {
        let millionths = (unitsE7.magnitude + 5) / 10
        let (whole, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest)
        let zeros = String(repeating: "0", count: max(0, 6 - digits.utf8.count))
        return "\(unitsE7 < 0 ? "-" : "")\(whole).\(zeros)\(digits)"
    }
}
