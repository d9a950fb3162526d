import ArgumentParser
import Geodesy
import Positioning
import Receivers
import TextCoding
import Tracking

/// `waymark decode`: what a file says, before any gate.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Print what recordings say: one JSON object a fix, as read, before any gate.",
        discussion: """
            Standard error ends with a summary: how many fixes there were, and what was skipped, by reason.
            """)

    @Argument(help: ArgumentHelp("NMEA or GPX files; - is standard input.", valueName: "source"))
    var sources: [String]

    @Flag(help: "End when the source does. Files always do.")
    var once = false

    @Option(
        help: ArgumentHelp("The day on which the log begins, where its sentences carry none.", valueName: "YYYY-MM-DD"))
    var date: CalendarDate?

    @Flag(help: "Print JSON; it is never anything else.")
    var json = false

    func run() throws {
        try Failure.printing { output in
            var failed = false
            for source in sources {
                do {
                    try decode(source, to: output)
                } catch let error as RecordingError {
                    try output.flush()
                    Failure.tell(source, error)
                    failed = true
                }
            }
            if failed { throw Failure.exit }
        }
    }

    private func decode(_ source: String, to output: StandardOutput) throws {
        let recording = try Recording(path: source, date: date)
        var count = 0
        var json = JSONWriter()
        defer { tell(source, count: count, skipped: recording.malformed) }
        while let fixes = try recording.next() {
            count += fixes.count
            for fix in fixes {
                json.removeAll()
                json.object { fix.writeMembers(device: recording.device, to: &$0) }
                try output.line(json.bytes)
            }
            // A pipe may have nothing more to say for a while.
            if recording.isLive { try output.flush() }
        }
        try output.flush()
    }

    private func tell(_ source: String, count: Int, skipped: Tally) {
        let reasons = skipped.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
        let what = reasons.isEmpty ? "nothing skipped" : "skipped: \(reasons)"
        Failure.note("\(Failure.name(source)): \(count) \(count == 1 ? "fix" : "fixes"), \(what)")
    }
}

extension Fix {
    /// Writes the fix as `decode` shows it; what is unknown is left out.
    func writeMembers(device: String, to json: inout JSONWriter) {
        json.member("time", time?.description)
        json.place(coordinate)
        json.member("alt", altitude?.meters, decimals: 1)
        json.member("speed", speed?.metersPerSecond, decimals: 2)
        json.member("track", track?.degrees, decimals: 1)
        json.member("accuracy", accuracy?.meters, decimals: 1)
        json.member("hdop", hdop, decimals: 2)
        json.member("mode", mode?.rawValue)
        json.member("satellites", satellites)
        json.member("device", device)
    }
}
