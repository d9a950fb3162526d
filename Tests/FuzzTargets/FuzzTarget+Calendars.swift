import Geodesy
import Time

@testable import Plans

extension FuzzTarget {
    /// A calendar that is written of what people typed, and read again by the rules of RFC 5545.
    ///
    /// The first line is the calendar's name. Each five lines after it are an event: its title, its description with
    /// `|` in place of line ends, its link, its zone, and its start and end with a space between.
    static let calendars = FuzzTarget(
        "calendars",
        seeds: [
            "Paris, in autumn\nTrain; first class\nSeat 12\\A|Coach 3\nhttps://example.org/t?a=1,2\nEurope/Amsterdam\n"
                + "2026-10-24T22:15 2026-10-25T02:30\nOpera 🍷\n\n\nEurope/Paris\n2026-10-25T02:30+01:00 ",
            "\nHotel\n\n\nAmerica/St_Johns\n2026-10-24 2026-10-27\nCall\n\n\nUTC\n2026-10-24T12:00 2026-10-24T12:30",
            "a\nb\n\n\nAfrica/Monrovia\n0001-01-01T00:00 9999-12-31T23:59\nc\n\n\nPacific/Apia\n 2011-12-30T10:00",
        ]
    ) { bytes in
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        var events: [CalendarWriter.Event] = []
        var rest = lines.dropFirst()
        while let title = rest.first, events.count < 8 {
            events.append(event(title, Array(rest.dropFirst().prefix(4)), number: events.count))
            rest = rest.dropFirst(5)
        }
        let name = lines.first ?? ""
        check(CalendarWriter.calendar(named: name, of: events, stamp: .init(milliseconds: 0)), name, events)
    }

    private static func event(_ title: String, _ lines: [String], number: Int) -> CalendarWriter.Event {
        func line(_ number: Int) -> String { lines.indices.contains(number) ? lines[number] : "" }
        var event = CalendarWriter.Event(uid: "activity-\(number)@waymark", revision: Int64(number), title: title)
        event.description = line(0).isEmpty ? nil : line(0).replacing("|", with: "\n")
        event.url = (try? PlanText.link(line(1), "url")) ?? nil
        let size = Double(title.utf8.count)
        event.place = Coordinate(latitude: 90 - size, longitude: size - 180)
        guard let zone = Zone(line(2)) else { return event }
        let times = line(3).split(separator: " ", omittingEmptySubsequences: false)
        event.start = times.first.flatMap { try? PlannedTime(String($0), in: zone) }
        event.end = times.dropFirst().first.flatMap { try? PlannedTime(String($0), in: zone) }
        return event
    }

    /// Reads the calendar as RFC 5545 says: lines are unfolded, then texts are unescaped.
    private static func check(_ text: String, _ name: String, _ events: [CalendarWriter.Event]) {
        demand(text.utf8.suffix(2).elementsEqual("\r\n".utf8), "a calendar without an end")
        var lines: [[UInt8]] = []
        for ended in text.utf8.split(separator: 10) {
            demand(ended.last == 13, "a line feed alone")
            let line = ended.dropLast()
            demand(line.count <= 75 && !line.isEmpty, "a line too long, or empty")
            demand(line.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }, "a control character")
            demand(String(validating: line, as: UTF8.self) != nil, "a fold within a character")
            if line.first == 32, !lines.isEmpty {
                lines[lines.count - 1] += line.dropFirst()
            } else {
                lines.append(Array(line))
            }
        }
        var (open, zones, titles, notes): ([String], Set<String>, [String], [String]) = ([], [], [], [])
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return demand(false, "a line of no kind") }
            let key = String(decoding: line[..<colon], as: UTF8.self)
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            let property = key.prefix { $0 != ";" }
            demand(property.utf8.allSatisfy { (65...90).contains($0) || $0 == 45 }, "a property of no name")
            switch property {
            case "BEGIN": open.append(value)
            case "END": demand(open.popLast() == value, "an end without a beginning")
            case "TZID": zones.insert(value)
            case "X-WR-CALNAME": demand(unescaped(value) == plain(name), "another name")
            case "SUMMARY": titles.append(unescaped(value))
            case "DESCRIPTION": notes.append(unescaped(value))
            case "DTSTART", "DTEND", "DTSTAMP": checkTime(key, value, zones)
            default: break
            }
        }
        let dated = events.filter { $0.start != nil || $0.end != nil }
        demand(open.isEmpty, "a part without an end")
        demand(titles == dated.map { plain($0.title) }, "other titles")
        demand(notes == dated.compactMap(\.description).map(plain), "other descriptions")
    }

    private static func checkTime(_ key: String, _ value: String, _ zones: Set<String>) {
        let isDay = key.hasSuffix(";VALUE=DATE")
        let isUTC = value.hasSuffix("Z")
        let digits = value.utf8.filter { (48...57).contains($0) }.count
        demand(value.utf8.count == (isDay ? 8 : isUTC ? 16 : 15) && digits == (isDay ? 8 : 14), "a time that is none")
        if let zone = key.firstRange(of: "TZID=") {
            demand(zones.contains(String(key[zone.upperBound...])), "a zone without rules")
        }
    }

    private static func unescaped(_ value: String) -> String {
        var (text, isEscaped) = ("", false)
        for scalar in value.unicodeScalars {
            if isEscaped {
                demand("\\;,nN".unicodeScalars.contains(scalar), "an escape of no meaning")
                text.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
            } else if scalar != "\\" {
                demand(scalar != "," && scalar != ";", "a list in place of a text")
                text.unicodeScalars.append(scalar)
            }
            isEscaped = !isEscaped && scalar == "\\"
        }
        demand(!isEscaped, "half an escape")
        return text
    }

    /// What a calendar holds of a text: line ends of every kind are one, and other control characters are left out.
    private static func plain(_ text: String) -> String {
        var plain = ""
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where isAfterReturn: break
            case "\n", "\r": plain += "\n"
            case "\t": plain += "\t"
            case _ where scalar.properties.generalCategory == .control: break
            default: plain.unicodeScalars.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return plain
    }
}
