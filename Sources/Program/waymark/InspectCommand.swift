import ArgumentParser
import GPX
import Geodesy
import Positioning
import Receivers
import TextCoding
import Time

/// The command `waymark inspect`, which prints what a file contains.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Print what recordings contain: points, times, length and bounds.",
        examples: [
            "waymark inspect walk.gpx drive.nmea"
        ])

    @Argument(help: ArgumentHelp("NMEA or GPX files; - is standard input.", valueName: "file"))
    var files: [String]

    @Flag(help: "Print one JSON object per file.")
    var json = false

    func run() throws {
        try Failure.printing { output in
            var failed = false
            for file in files {
                let survey = RecordingSurvey(path: file)
                if survey.error == nil || survey.counts.points > 0 {
                    for line in json ? [survey.json] : survey.lines(title: file) { try output.line(line) }
                }
                if let error = survey.error {
                    try output.flush()
                    Failure.report(file, error)
                    failed = true
                }
            }
            if failed { throw Failure.exit }
        }
    }
}

extension RecordingSurvey {
    /// The survey as one JSON object.
    var json: String {
        var json = JSONWriter()
        json.object { writeMembers(to: &$0) }
        return json.text
    }

    /// Returns the survey as lines of labels and values.
    func lines(title: String) -> [String] {
        var rows = [("format", format?.rawValue.uppercased() ?? "unknown")]
        if format == .gpx {
            rows += [("tracks", "\(counts.tracks)"), ("segments", "\(counts.segments)")]
        }
        rows.append(("points", "\(counts.points)"))
        if counts.routes > 0 { rows.append(("routes", "\(counts.routes), with \(counts.routePoints) points")) }
        if counts.waypoints > 0 { rows.append(("waypoints", "\(counts.waypoints)")) }
        if let first = counts.minTime, let last = counts.maxTime {
            rows += [
                ("from", "\(first)"), ("to", "\(last)"),
                ("lasting", EventFormatter.duration(last.seconds(since: first))),
            ]
        } else if counts.points > 0 {
            rows.append(("times", "none"))
        }
        rows.append(("length", EventFormatter.length(counts.length)))
        if !malformed.isEmpty {
            rows.append(("skipped", malformed.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")))
        }
        return [EventFormatter.printable(Failure.name(title))]
            + rows.map { "  \(EventFormatter.padded($0.0, to: 10)) \($0.1)" }
    }
}
