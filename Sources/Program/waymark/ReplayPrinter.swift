import Daemon
import Foundation
import Geodesy
import Positioning
import RPC
import TextCoding
import Time
import Tracking

/// A printer for the events of a replay, as text or as JSON.
final class ReplayPrinter {
    private let json: Bool
    private let paint = Paint.standardOutput
    private var lines: EventFormatter
    private let output: StandardOutput

    init(_ output: StandardOutput, json: Bool, showsDevice: Bool, clock: DisplayClock) {
        self.output = output
        self.json = json
        lines = EventFormatter(paint: paint, showsDevice: showsDevice, clock: clock)
    }

    /// Prints the events of one commit, and flushes them so that a reader has them at once.
    func print(_ events: [EventRecord]) throws {
        for event in events {
            if json {
                try output.line(event.line)
            } else if let event = try? JSONValue(parsing: event.line.span) {
                for line in lines.lines(of: EventView(event)) {
                    try output.line(line, hanging: EventFormatter.textColumn)
                }
            }
        }
        try output.flush()
    }

    /// Prints the summary of the replay.
    func print(_ summary: ReplaySummary) throws {
        if json {
            var json = JSONWriter()
            json.object { summary.writeMembers(to: &$0) }
            try output.line(json.bytes)
        } else {
            for line in text(summary) { try output.line(line) }
        }
    }

    private func text(_ summary: ReplaySummary) -> [String] {
        func list(_ tally: Tally) -> String {
            tally.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
        }
        var lines = [""]
        var fixes = "\(summary.accepted) of \(summary.read) fixes accepted"
        if let first = summary.first, let last = summary.last {
            fixes += ", over \(EventFormatter.duration(last.seconds(since: first)))"
        }
        lines.append(paint.bold(fixes))
        if summary.files > 1 { lines.append("  from \(summary.files) files") }
        if !summary.rejected.isEmpty { lines.append("  rejected: \(list(summary.rejected))") }
        if !summary.malformed.isEmpty { lines.append("  skipped in the recording: \(list(summary.malformed))") }
        if summary.datedLater > 0 { lines.append("  dated by a later sentence: \(summary.datedLater)") }
        let trips =
            "\(summary.trips) \(summary.trips == 1 ? "trip" : "trips") of \(EventFormatter.length(summary.distance))"
        lines.append("  \(trips), \(summary.stops) \(summary.stops == 1 ? "stop" : "stops")")
        let geofences = summary.events.sorted.filter { $0.reason.hasPrefix("geofence.") }
            .map { "\($0.reason.dropFirst("geofence.".count)) \($0.count)" }
        let legs = summary.unjudgedLegs
        let nothing = legs == 0 ? "none came near" : "none came near where that can be judged"
        lines.append("  sights: \(geofences.isEmpty ? nothing : geofences.joined(separator: ", "))")
        if legs > 0 { lines.append("  \(Self.unjudged(legs))") }
        return lines
    }

    /// Returns the words for legs that were too long to judge what the device passed.
    static func unjudged(_ legs: Int) -> String {
        let subject = legs == 1 ? "1 leg between two fixes is" : "\(legs) legs between two fixes are"
        return "not judged: \(subject) over 5 km or 10 min long; what was passed there is unknown"
    }
}
