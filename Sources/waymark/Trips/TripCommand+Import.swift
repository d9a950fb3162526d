import ArgumentParser
import Daemon
import Geodesy
import Journeys
import Positioning
import RPC
import Tracking

extension TripCommand {
    /// The command `waymark trip import`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Imports recordings as past trips.",
            discussion: """
                The trips are found by the same rules as live ones. Those in a GPX file of "trip export" are kept as \
                they are, each with its device. No events are emitted for them, and the current position of the device \
                does not change. A trip that exists already is not imported again, and a trip during which the device \
                was on another trip is left out. If one file is damaged, nothing is imported.
                """,
            examples: [
                "waymark trip import walk.gpx --device boat"
            ])

        @Argument(help: ArgumentHelp("GPX or NMEA files.", valueName: "file"))
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
                var recordings: [PastFile] = []
                for file in files {
                    do throws(FileFailure) {
                        recordings.append(try PastFile(path: file, device: device, date: date))
                    } catch {
                        Failure.report(error.file, error.error)
                    }
                }
                guard recordings.count == files.count else {
                    if files.count > 1 { Failure.note("Nothing was imported.") }
                    throw Failure.exit
                }
                var counts = Counts()
                try await source.change(makesStore: true) { responder in
                    for recording in recordings {
                        try await send(recording, to: responder) { answer in
                            counts.stops += answer.integer("stops") ?? 0
                            for trip in answer.elements("trips") {
                                counts.count(trip)
                                try output.line(json ? trip.line : Self.line(trip))
                            }
                        }
                    }
                }
                try output.line(json ? counts.json.line : Array(counts.line.utf8))
            }
        }

        private nonisolated(nonsending) func send(
            _ recording: PastFile, to responder: any Responder, _ told: (JSONValue) throws -> Void
        ) async throws {
            let progress = Progress()
            defer { progress.clear() }
            var points = 0
            do {
                try await recording.forEachPart(of: TripMethods.largestPart) { part, device in
                    points += part.count
                    progress.show("\(recording.path): \(Amounts.count(points, "point"))")
                    try told(try await responder.call("trips.import", part.parameters(device: device)))
                }
            } catch let error as RPCError where error.data?.text("field") == "points" {
                // There is no option `--points`; the points are those of the file.
                throw RPCError(error.code, "\(recording.path): its points \(error.data?.text("reason") ?? "").")
            }
        }

        /// Returns the outcome for a trip as a line.
        private static func line(_ trip: JSONValue) -> [UInt8] {
            let id = EventLines.padded(EventLines.printable(trip.text("id") ?? ""), to: 44)
            let length = EventLines.padded(EventLines.length(.meters(trip.number("distance") ?? 0)), to: 9)
            let outcome =
                switch trip.text("outcome") {
                case "known": "there already"
                case "overlapping": "left out: overlaps with \(EventLines.printable(trip.text("with") ?? ""))"
                default: "imported"
                }
            return Array("\(id)  \(length)  \(outcome)".utf8)
        }

        private struct Counts {
            var stops = 0
            private var outcomes: [String: Int] = [:]

            mutating func count(_ trip: JSONValue) { outcomes[trip.text("outcome") ?? "", default: 0] += 1 }

            private func number(_ outcome: String) -> Int { outcomes[outcome] ?? 0 }

            var line: String {
                let added = number("added")
                return
                    "\(added == 1 ? "1 trip" : "\(added) trips") and \(stops == 1 ? "1 stop" : "\(stops) stops") imported, "
                    + "\(number("known")) there already, \(number("overlapping")) left out"
            }

            var json: JSONValue {
                [
                    "type": "summary", "added": .integer(Int64(number("added"))),
                    "known": .integer(Int64(number("known"))),
                    "overlapping": .integer(Int64(number("overlapping"))), "stops": .integer(Int64(stops)),
                ]
            }
        }
    }
}
