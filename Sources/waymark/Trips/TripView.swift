import Geodesy
import Positioning
import RPC
import Tracking

/// What is printed of a trip.
struct TripView {
    /// When, how far and how fast; of a trip that goes on, so far.
    let summary: TripSummary
    private let stops: [(stop: StopSummary, name: String?)]
    /// Where it led, by the names of towns; nil where nobody knows.
    private let name: String?

    /// The trip of an answer; nil where it says neither which nor when.
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
        let id = EventLines.padded(summary.id, to: 44)
        let facts = [facts.length, facts.time, facts.stops, facts.way]
        return ([id] + facts.filter { !$0.isEmpty }).joined(separator: "  ")
    }

    /// What a line says besides which trip it is.
    private var facts: (length: String, time: String, stops: String, way: String) {
        let isKnown = summary.end != nil || summary.fixes > 0
        return (
            isKnown ? EventLines.length(summary.distance) : "",
            summary.end == nil ? "goes on" : EventLines.duration(summary.length),
            summary.end == nil ? "" : Amounts.count(summary.stops, "stop"), name.map(EventLines.printable) ?? ""
        )
    }

    /// The trip as cells of a table.
    ///
    /// - Parameter number: by which it is known at a terminal; nil where its id is.
    func cells(number: Int?, by clock: WallClock) -> [TextTable.Cell] {
        let facts = facts
        let began = TextTable.Cell.number(clock.minute(summary.start))
        let first: [TextTable.Cell] =
            number.map { [.number("\($0)"), began, .text(summary.device)] } ?? [.number(summary.id), began]
        return first + [.number(facts.length), .number(facts.time), .text(facts.stops), .text(facts.way)]
    }

    /// The trip as lines of labels and values.
    func lines(by clock: WallClock) -> [String] {
        var rows = [
            ("trip", summary.id), ("device", summary.device), ("start", Self.moment(summary.start, clock)),
            ("end", summary.end.map { Self.moment($0, clock) } ?? "goes on"),
        ]
        if let name { rows.append(("way", name)) }
        // Of one that goes on, a store knows no more.
        if summary.end != nil || summary.fixes > 0 {
            rows.append(("distance", EventLines.length(summary.distance)))
            if summary.end != nil { rows.append(("moving", EventLines.duration(summary.moving))) }
            rows += [("stopped", EventLines.duration(summary.stopped)), ("points", "\(summary.fixes)")]
            if let speed = summary.averageMovingSpeed { rows.append(("average", EventLines.speed(speed))) }
            if let speed = summary.maximumSpeed { rows.append(("fastest", EventLines.speed(speed))) }
            if summary.gaps > .zero {
                rows.append(("unseen", "\(EventLines.length(summary.gaps)), not in the distance"))
            }
            if summary.bridged > .zero {
                rows.append(("drawn", "\(EventLines.length(summary.bridged)) straight over more than a minute"))
            }
            if let climb = summary.climb, let descent = summary.descent {
                rows.append(("heights", "\(EventLines.length(climb)) up, \(EventLines.length(descent)) down"))
            }
        }
        for (stop, name) in stops {
            let length = stop.end.map { ", for \(EventLines.duration($0.seconds(since: stop.start)))" } ?? ""
            rows.append(
                (
                    "stop",
                    "\(clock.second(stop.start)), \(name.map { "\($0), " } ?? "")\(EventLines.place(stop.place))\(length)"
                ))
        }
        return rows.map { "\(EventLines.padded($0.0, to: 9)) \(EventLines.printable($0.1))" }
    }

    private static func moment(_ time: Timestamp, _ clock: WallClock) -> String {
        "\(clock.second(time)) \(clock.name(at: time))"
    }
}

/// Trips as a table.
struct TripTable {
    let table: TextTable

    /// - Parameter isNumbered: whether they are known by numbers, as at a terminal; else by ids.
    init(_ trips: [(number: Int, trip: JSONValue)], clock: WallClock, isNumbered: Bool) {
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
