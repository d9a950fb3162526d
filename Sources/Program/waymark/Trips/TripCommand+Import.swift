import ArgumentParser
import Daemon
import Geodesy
import Positioning
import RPC
import Time

extension TripCommand {
    /// The command `waymark trip import`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Imports recordings and location histories as past trips.",
            discussion: """
                The kind of a file is found from its content: GPX, NMEA, FIT, TCX, KML, IGC, CSV, GeoJSON, Google's \
                Records.json, months and Timeline.json, OwnTracks, Overland, Polarsteps; also within .gz, .zip and \
                folders. The trips are found by the same rules as live ones. The tracks and points of a \
                file are sorted by time first if they need it. Those in a GPX file of "trip export" are kept as \
                they are, each with its device. Visits become stops. No events are emitted for them, and the current \
                position of the device \
                does not change. A trip that exists already is not imported again, and a trip during which the device \
                was on another trip is left out. If one file is damaged, nothing is imported. Of a folder or an archive, \
                what can be read is imported, the rest is listed, and the exit status is 2.
                """,
            examples: [
                "waymark trip import walk.gpx --device boat",
                "waymark trip import takeout.zip --device phone",
            ])

        @Argument(help: ArgumentHelp("Files, folders or archives.", valueName: "file"))
        var files: [String]

        @Option(
            help: ArgumentHelp(
                "The device, instead of the one in the file of a trip export, or the file's name without its extension.",
                valueName: "name"))
        var device: String?

        @Option(help: ArgumentHelp("The day on which a log without dates begins.", valueName: "YYYY-MM-DD"))
        var date: CalendarDate?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per trip, and one of type summary.")
        var json = false

        func validate() throws {
            if let device, device.isEmpty || device.utf8.count > 200 {
                throw ValidationError("--device takes a name of 1 to 200 bytes.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                var sources: [HistoryImport.Source] = []
                for file in files {
                    do throws(FileFailure) {
                        sources.append(try HistoryImport.Source(path: file, device: device, date: date))
                    } catch {
                        Failure.report(error.file, error.error)
                    }
                }
                guard sources.count == files.count else {
                    if files.count > 1 { Failure.note("Nothing was imported.") }
                    throw Failure.exit
                }
                var importing = HistoryImport(sources)
                try await source.change(makesStore: true) { responder in
                    for source in importing.sources { try await send(source, of: &importing, to: responder, output) }
                }
                let summary = importing.summary
                for line in json ? [Self.json(summary)] : Self.lines(summary) { try output.line(line) }
                let damaged = summary.damaged
                for file in damaged { Failure.note("waymark: \(file.name): \(file.reason)") }
                if importing.isEmpty || !damaged.isEmpty {
                    try output.flush()
                    throw importing.isEmpty ? Failure.exit : Self.incomplete
                }
            }
        }

        /// The exit code of an import that has left out damaged files of a folder or an archive.
        private static let incomplete = ExitCode(2)

        /// Sends a file, and prints what becomes of it.
        private nonisolated(nonsending) func send(
            _ source: HistoryImport.Source, of importing: inout HistoryImport, to responder: any Responder,
            _ output: StandardOutput
        ) async throws {
            let progress = Progress()
            defer { progress.clear() }
            try await importing.send(
                source, calling: { try await responder.call("trips.import", $0) },
                progressed: { points in progress.show("\(source.name): \(Amounts.count(points, "point"))") },
                imported: { trip in try output.line(json ? trip.line : Self.line(trip)) },
                noticed: { notice in
                    progress.clear()
                    Failure.note("waymark: \(Failure.name(source.name)): \(notice)")
                })
        }

        /// Returns the outcome for a trip as a line.
        private static func line(_ trip: JSONValue) -> [UInt8] {
            let id = EventFormatter.padded(EventFormatter.printable(trip.text("id") ?? ""), to: 44)
            let length = EventFormatter.padded(EventFormatter.length(.meters(trip.number("distance") ?? 0)), to: 9)
            let outcome =
                switch trip.text("outcome") {
                case "known": "there already"
                case "overlapping": "left out: overlaps with \(EventFormatter.printable(trip.text("with") ?? ""))"
                default: "imported"
                }
            return Array("\(id)  \(length)  \(outcome)".utf8)
        }

        /// Returns the summary as lines for people.
        private static func lines(_ summary: ImportSummary) -> [[UInt8]] {
            let (added, stops, leftOut) = (summary.added, summary.stops, summary.leftOut)
            let why = leftOut.reasons.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
            let lines = [
                "\(added == 1 ? "1 trip" : "\(added) trips") and \(stops == 1 ? "1 stop" : "\(stops) stops") imported, "
                    + "\(summary.known) there already, \(summary.overlapping) left out",
                "\(leftOut.used) of \(Amounts.count(leftOut.read, "point")) in \(Amounts.count(summary.files, "file")) used"
                    + (why.isEmpty ? "" : "; left out: \(why)"),
            ]
            return lines.map { Array($0.utf8) }
        }

        /// Returns the summary as a line of JSON.
        private static func json(_ summary: ImportSummary) -> [UInt8] {
            var json: JSONObject = ["type": "summary"]
            let members = summary.members()
            for name in members.names { json[name] = members[name] }
            return JSONValue.object(json).line
        }
    }
}
