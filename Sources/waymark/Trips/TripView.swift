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
        let length = EventLines.padded(EventLines.length(summary.distance), to: 9)
        let way = name.map { "  \(EventLines.printable($0))" } ?? ""
        guard summary.end != nil else {
            return summary.fixes > 0 ? "\(id)  \(length)  goes on\(way)" : "\(id)  goes on\(way)"
        }
        let stops = summary.stops == 1 ? "1 stop" : "\(summary.stops) stops"
        let time = EventLines.padded(EventLines.duration(summary.length), to: 12)
        return "\(id)  \(length)  \(time)  \(way.isEmpty ? stops : EventLines.padded(stops, to: 8))\(way)"
    }

    /// The trip as lines of labels and values.
    var lines: [String] {
        var rows = [
            ("trip", summary.id), ("device", summary.device), ("start", "\(summary.start)"),
            ("end", summary.end.map { "\($0)" } ?? "goes on"),
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
                ("stop", "\(stop.start), \(name.map { "\($0), " } ?? "")\(EventLines.place(stop.place))\(length)"))
        }
        return rows.map { "\(EventLines.padded($0.0, to: 9)) \(EventLines.printable($0.1))" }
    }
}
