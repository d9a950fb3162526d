#if Companion
import Foundation
import Geodesy
import Sights
import RPC
import Time

/// A plan as a page to read aloud on the road: the next location, the days and the debts.
struct PlanPage {
    var plan: JSONValue
    var locations: [JSONValue]
    /// The days of the itinerary.
    var days: [JSONValue]
    /// The answer of `plans.journey`, which compares the plan with the journey made.
    var journey: JSONValue
    /// The answer of `expenses.balances`; `nil` if the person is not a member.
    var balances: JSONValue?
    /// The position of the device; `nil` if it is unknown.
    var here: Coordinate?

    /// The column in which the text of a day's entry begins.
    static let textColumn = 9

    /// The lines, without colours.
    var lines: [String] {
        var lines = head
        if let next { lines += ["", next] }
        if let travelled = journey.number("travelled_m"), travelled > 0 {
            let planned = Distance.meters(journey.number("planned_m") ?? 0)
            lines += [
                "Travelled \(EventFormatter.length(.meters(travelled))); \(EventFormatter.length(planned)) are planned "
                    + "from place to place."
            ]
        }
        for day in merged { lines += [""] + day }
        if let balances, !balances.elements("balances").isEmpty {
            lines += ["", "Money"] + PlanMoney.debts(balances).map { "  \($0)" }
        }
        return lines
    }

    private var head: [String] {
        var lines = [plan.text("title") ?? ""]
        let destination = plan.text("destination").map { "to \($0)" }
        let facts = [PlanDays.span(plan), destination, plan.text("zone").map { "times of \($0)" }].compactMap(\.self)
        lines.append(facts.joined(separator: ", "))
        let members = plan.elements("members").filter { $0.text("state") == "member" }
        let names = members.map { member in
            let name = member.text("name") ?? "someone"
            return member.text("role") == "owner" ? "\(name) (owner)" : name
        }
        if !names.isEmpty { lines.append("with \(names.joined(separator: ", "))") }
        if let text = plan.text("description") { lines += text.split(separator: "\n").map(String.init) }
        return lines
    }

    /// The first location with a position that has not been passed.
    private var nextLocation: JSONValue? { locations.first { $0.text("passed") == nil && $0.place != nil } }

    private var next: String? {
        guard let location = nextLocation, let place = location.place else {
            return locations.contains { $0.place != nil } ? "All locations were passed." : nil
        }
        var text = "Next: \(location.text("name") ?? "")"
        if let here {
            let distance = Sphere.distance(from: here, to: place)
            text += ", \(EventFormatter.length(distance)) from here"
            if distance > .meters(location.number("radius_m") ?? 0) {
                let bearing = UnitVector(here).bearing(to: UnitVector(place))
                text += " to the \(Self.direction(CompassPoint(bearing)))"
            }
        }
        let planned = [PlanDays.date(location["from"]).map(PlanDays.named), time(location["from"])]
            .compactMap(\.self).joined(separator: " ")
        return planned.isEmpty ? "\(text)." : "\(text); planned for \(planned)."
    }

    /// Returns the name of a compass point, such as `north-east`; points between the eight keep their letters.
    private static func direction(_ point: CompassPoint) -> String {
        switch point.rawValue {
        case "N": "north"
        case "NE": "north-east"
        case "E": "east"
        case "SE": "south-east"
        case "S": "south"
        case "SW": "south-west"
        case "W": "west"
        case "NW": "north-west"
        default: point.rawValue
        }
    }

    /// The clock of the plan's zone; UTC if it has none.
    private var clock: DisplayClock {
        plan.text("zone").flatMap { TimeZone(identifier: $0) }.map { DisplayClock(zone: $0) } ?? .utc
    }

    /// Returns the time of day of a planned time, with what the heading of the plan leaves open.
    private func time(_ time: JSONValue?) -> String? {
        PlanDays.clock(time).map { clock in
            [clock, PlanDays.note(time, besides: self.clock)].compactMap(\.self).joined(separator: " ")
        }
    }

    /// Returns the heading of a day, with the distances planned and travelled.
    private func heading(_ day: String) -> String {
        let name = day.isEmpty ? "Without a day" : PlanDays.named(day)
        guard let journey = journey.elements("days").first(where: { ($0.text("day") ?? "") == day }) else {
            return name
        }
        let planned = journey.number("planned_m").flatMap {
            $0 > 0 ? "\(EventFormatter.length(.meters($0))) planned" : nil
        }
        let travelled = journey.number("travelled_m").flatMap {
            $0 > 0 ? "\(EventFormatter.length(.meters($0))) travelled" : nil
        }
        return ([name] + [planned, travelled].compactMap(\.self)).joined(separator: ", ")
    }

    /// A line of a day, with the moment by which it is sorted.
    private struct Entry {
        var clock: String?
        var moment: String
        var text: String
    }

    /// The lines of each day: its heading, and then locations, stops and activities by time.
    private var merged: [[String]] {
        var entries: [String: [Entry]] = [:]
        for location in locations {
            let time = location["from"] ?? location["to"]
            entries[PlanDays.date(time) ?? "", default: []].append(
                Entry(
                    clock: self.time(location["from"]), moment: time?.text("time") ?? "",
                    text: text(ofLocation: location)))
        }
        for stop in journey.elements("stops") {
            guard let start = stop.time("start"), let place = stop.place else { continue }
            let stayed = stop.time("end").map { ", \(EventFormatter.duration($0.seconds(since: start)))" } ?? ""
            entries[clock.day(start), default: []].append(
                Entry(
                    clock: String(clock.time(start).prefix(5)), moment: start.description,
                    text: "not planned: a stop at \(EventFormatter.place(place))\(stayed)"))
        }
        for day in days {
            for item in day.elements("items") {
                let time = item["from"] ?? item["to"]
                entries[day.text("day") ?? "", default: []].append(
                    Entry(
                        clock: self.time(item["from"]), moment: time?.text("time") ?? "",
                        text: text(ofActivity: item)))
            }
        }
        // Entries without a day come last, in the order of the plan.
        let order = entries.keys.sorted { ($0.isEmpty ? "~" : $0) < ($1.isEmpty ? "~" : $1) }
        return order.map { day in
            let all = entries[day] ?? []
            let whole = all.filter { $0.clock == nil }
            let timed = all.filter { $0.clock != nil }.enumerated()
                .sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }.map(\.element)
            let lines = (whole + timed).map { entry in
                let clock = entry.clock ?? ""
                return "  \(EventFormatter.padded(clock, to: max(5, clock.count)))  \(entry.text)"
            }
            return [heading(day)] + lines
        }
    }

    private func text(ofLocation location: JSONValue) -> String {
        var text = "\(location.text("name") ?? "")"
        if let address = location.text("address") { text += ", \(address)" }
        if let until = time(location["to"]) { text += ", until \(until)" }
        if let passed = location.time("passed") {
            // The day is shown only if it differs from the planned one.
            let planned = PlanDays.date(location["from"] ?? location["to"])
            let isThatDay = clock.day(passed) == planned
            text += ", passed \(isThatDay ? String(clock.time(passed).prefix(5)) : clock.minute(passed))"
            if let departed = location.time("departed") {
                text += ", stayed \(EventFormatter.duration(departed.seconds(since: passed)))"
            }
        }
        return text
    }

    private func text(ofActivity item: JSONValue) -> String {
        var text = "\(item.text("title") ?? "")"
        let ends = [item.text("departure"), item.text("arrival")].compactMap(\.self)
        if !ends.isEmpty { text += ", \(ends.joined(separator: " → "))" }
        if let mode = item.text("mode") { text += " by \(mode)" }
        if let place = item.text("location") ?? item.text("address") { text += ", \(place)" }
        if let until = item.text("until") {
            text += ", \(until)"
            if let note = PlanDays.note(item["to"], besides: clock) { text += " (\(note))" }
        }
        if item.flag("booked") == true { text += ", booked\(item.text("booking_code").map { " (\($0))" } ?? "")" }
        if let note = item.text("note") { text += ". \(note.split(separator: "\n").joined(separator: " "))" }
        return text
    }
}
#endif
