import Geodesy
import Positioning
import RPC
import Time
import Tracking

/// The text for a trip.
struct TripView {
    /// The figures of the trip; for an open trip, those so far.
    let summary: TripSummary
    private let stops: [(stop: StopSummary, name: String?)]
    /// The names of the towns on its way; `nil` if they are unknown.
    private let name: String?

    /// Reads the trip of an answer; `nil` if its id or start is missing.
    init?(_ answer: JSONValue) {
        guard let summary = TripSummary(answer, device: nil) else { return nil }
        self.summary = summary
        name = answer.text("name")
        stops = answer.elements("stop_list").compactMap { stop in
            StopSummary(stop, device: summary.device).map { ($0, stop.text("name")) }
        }
    }

    /// The trip as a line of columns.
    var line: String {
        let id = EventFormatter.padded(summary.id, to: 44)
        let facts = [facts.length, facts.time, facts.stops, facts.way]
        return ([id] + facts.filter { !$0.isEmpty }).joined(separator: "  ")
    }

    /// The columns of a line besides the trip's id.
    private var facts: (length: String, time: String, stops: String, way: String) {
        let isKnown = summary.end != nil || summary.fixes > 0
        return (
            isKnown ? EventFormatter.length(summary.distance) : "",
            summary.end == nil ? "goes on" : EventFormatter.duration(summary.length),
            summary.end == nil ? "" : Amounts.count(summary.stops, "stop"),
            [name.map(EventFormatter.printable), summary.kind?.rawValue].compactMap(\.self).joined(separator: ", ")
        )
    }

    /// Returns the cells of the trip in a table.
    ///
    /// - Parameter number: The number that identifies it at a terminal; `nil` to show its id instead.
    func cells(number: Int?, by clock: DisplayClock) -> [TextTable.Cell] {
        let facts = facts
        let began = TextTable.Cell.number(clock.minute(summary.start))
        let first: [TextTable.Cell] =
            number.map { [.number("\($0)"), began, .text(summary.device)] } ?? [.number(summary.id), began]
        return first + [.number(facts.length), .number(facts.time), .text(facts.stops), .text(facts.way)]
    }

    /// Returns the trip as lines of labels and values.
    func lines(by clock: DisplayClock) -> [String] {
        var rows = [
            ("trip", summary.id), ("device", summary.device), ("start", Self.moment(summary.start, clock)),
            ("end", summary.end.map { Self.moment($0, clock) } ?? "goes on"),
        ]
        if let name { rows.append(("way", name)) }
        if let kind = summary.kind { rows.append(("kind", kind.rawValue)) }
        // A store knows no more about an open trip.
        if summary.end != nil || summary.fixes > 0 {
            rows.append(("distance", EventFormatter.length(summary.distance)))
            if summary.end != nil { rows.append(("moving", EventFormatter.duration(summary.moving))) }
            rows += [("stopped", EventFormatter.duration(summary.stopped)), ("points", "\(summary.fixes)")]
            if let speed = summary.averageMovingSpeed { rows.append(("average", EventFormatter.speed(speed))) }
            if let speed = summary.maximumSpeed { rows.append(("fastest", EventFormatter.speed(speed))) }
            if summary.gaps > .zero {
                rows.append(("unseen", "\(EventFormatter.length(summary.gaps)), not included in the distance"))
            }
            if summary.bridged > .zero {
                rows.append(
                    ("drawn", "\(EventFormatter.length(summary.bridged)) in straight legs of more than a minute"))
            }
            if let climb = summary.climb, let descent = summary.descent {
                rows.append(("heights", "\(EventFormatter.length(climb)) up, \(EventFormatter.length(descent)) down"))
            }
        }
        for (stop, name) in stops {
            let length = stop.end.map { ", for \(EventFormatter.duration($0.seconds(since: stop.start)))" } ?? ""
            rows.append(
                (
                    "stop",
                    "\(clock.second(stop.start)), \(name.map { "\($0), " } ?? "")\(EventFormatter.place(stop.place))\(length)"
                ))
        }
        return rows.map { "\(EventFormatter.padded($0.0, to: 9)) \(EventFormatter.printable($0.1))" }
    }

    private static func moment(_ time: Timestamp, _ clock: DisplayClock) -> String {
        "\(clock.second(time)) \(clock.name(at: time))"
    }
}

/// A table of trips.
struct TripTable {
    let table: TextTable

    /// Creates a table.
    ///
    /// - Parameter isNumbered: Whether numbers identify the trips, as at a terminal, instead of ids.
    init(_ trips: [(number: Int, trip: JSONValue)], clock: DisplayClock, isNumbered: Bool) {
        var table =
            isNumbered
            ? TextTable("", "began", "device", "length", "time", "stops", "way")
            : TextTable("trip", "began", "length", "time", "stops", "way")
        for (number, trip) in trips {
            guard let view = TripView(trip) else { continue }
            table.add(view.cells(number: isNumbered ? number : nil, by: clock))
        }
        self.table = table
    }
}
