import ArgumentParser
import Daemon
import Geodesy
import Histories
import Journeys
import Positioning
import RPC
import Receivers
import Time
import Tracking

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
                var recordings: [any PastSource] = []
                for file in files {
                    do throws(FileFailure) {
                        recordings.append(try source(of: file))
                    } catch {
                        Failure.report(error.file, error.error)
                    }
                }
                guard recordings.count == files.count else {
                    if files.count > 1 { Failure.note("Nothing was imported.") }
                    throw Failure.exit
                }
                var counts = Counts()
                for recording in recordings { counts.contents.add(recording.contents) }
                var isEmpty = false
                try await source.change(makesStore: true) { responder in
                    for recording in recordings {
                        let found = try await send(recording, to: responder, &counts) { trip in
                            try output.line(json ? trip.line : Self.line(trip))
                        }
                        isEmpty = isEmpty || !found && recording.mustTellOfJourney
                    }
                }
                for line in json ? [counts.json.line] : counts.lines.map({ Array($0.utf8) }) { try output.line(line) }
                for file in counts.contents.skipped where file.isDamaged {
                    Failure.note("waymark: \(file.name): \(file.reason)")
                }
                let isIncomplete = counts.contents.skipped.contains(where: \.isDamaged)
                if isEmpty || isIncomplete {
                    try output.flush()
                    throw isEmpty ? Failure.exit : Self.incomplete
                }
            }
        }

        /// The exit code of an import that has left out damaged files of a folder or an archive.
        private static let incomplete = ExitCode(2)

        /// Reads a file to its end; what it is, its first bytes tell.
        private func source(of path: String) throws(FileFailure) -> any PastSource {
            guard path != "-", !HistorySource.isFolder(at: path) else {
                return path == "-"
                    ? try PastFile(path: path, device: device, date: date) : try PastHistory(path: path, device: device)
            }
            let signature: HistorySignature
            do throws(RecordingError) {
                signature = try HistorySource.signature(at: path)
            } catch {
                // A log may begin with noise.
                do throws(FileFailure) {
                    return try PastFile(path: path, device: device, date: date)
                } catch _ {
                    throw FileFailure(file: path, error: error)
                }
            }
            return switch signature {
            case .nmea, .history(.gpx): try PastFile(path: path, device: device, date: date)
            default: try PastHistory(path: path, device: device)
            }
        }

        /// Sends a recording, and tells what became of it.
        ///
        /// - Returns: Whether anything came of it.
        private nonisolated(nonsending) func send(
            _ file: any PastSource, to responder: any Responder, _ counts: inout Counts,
            _ told: (JSONValue) throws -> Void
        ) async throws -> Bool {
            let progress = Progress()
            defer { progress.clear() }
            var recording = file
            var points = 0
            var hasFound = false
            var rejected = LeftOut()
            do {
                try await recording.forEachPart(of: TripMethods.largestPart) { part, device in
                    points += part.count
                    progress.show("\(file.path): \(Amounts.count(points, "point"))")
                    let answer = try await responder.call("trips.import", part.parameters(device: device))
                    let trips = answer.elements("trips")
                    counts.stops += answer.integer("stops") ?? 0
                    let hasStops = ["stops", "known_stops"].contains { answer.integer($0) ?? 0 > 0 }
                    hasFound = hasFound || hasStops || !trips.isEmpty
                    for trip in trips {
                        counts.count(trip)
                        try told(trip)
                    }
                    // The counts of an answer are those of the recording so far.
                    if part.isEnd { rejected.add(Self.rejected(in: answer)) }
                }
            } catch let error as RPCError where error.data?.text("field") == "points" {
                // There is no option `--points`; the points are those of the file.
                throw RPCError(error.code, "\(file.path): its points \(error.data?.text("reason") ?? "").")
            }
            progress.clear()
            var leftOut = recording.leftOut
            leftOut.reasons.add(rejected.reasons)
            leftOut.first = [leftOut.first, rejected.first].compactMap(\.self)
                .min { $0.time ?? .earliest < $1.time ?? .earliest }
            if !leftOut.reasons.isEmpty, file.hasPlaces { leftOut.locateFirst(in: file.path, date: date) }
            counts.add(leftOut, of: file.path)
            for notice in recording.notices { tell(notice, of: file.path, in: &counts) }
            if hasFound {
                if leftOut.isNotable { tell(leftOut.words, of: file.path, in: &counts) }
                return true
            }
            let why =
                leftOut.isNotable
                ? leftOut.words
                : "in its \(Amounts.count(leftOut.read, "point")) the device neither moved far enough for a trip nor stayed "
                    + "long enough for a stop"
            tell("nothing came of it: \(why)", of: file.path, in: &counts)
            return false
        }

        private func tell(_ notice: String, of path: String, in counts: inout Counts) {
            counts.notices.append((path, notice))
            Failure.note("waymark: \(Failure.name(path)): \(notice)")
        }

        private static func rejected(in answer: JSONValue) -> LeftOut {
            var leftOut = LeftOut()
            if case .object(let reasons)? = answer["rejected"] {
                for reason in reasons.names {
                    leftOut.reasons.count(reason, times: reasons[reason].flatMap { Int(json: $0) } ?? 0)
                }
            }
            if let first = answer["first_rejected"], let reason = first.text("reason"),
                let time = first.text("time").flatMap({ Timestamp(rfc3339: $0) })
            {
                leftOut.first = LeftOut.First(reason, at: time)
            }
            return leftOut
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
            /// What the files contain.
            var contents = PastContents()
            var notices: [(file: String, text: String)] = []
            private var files = 0
            private var leftOut = LeftOut()
            /// The file of the first point that was left out.
            private var firstFile: String?
            private var outcomes: [String: Int] = [:]

            mutating func count(_ trip: JSONValue) { outcomes[trip.text("outcome") ?? "", default: 0] += 1 }

            mutating func add(_ account: LeftOut, of file: String) {
                files += 1
                if leftOut.first == nil, account.first != nil { firstFile = file }
                leftOut.add(account)
            }

            private func number(_ outcome: String) -> Int { outcomes[outcome] ?? 0 }

            var lines: [String] {
                let added = number("added")
                let why = leftOut.reasons.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
                return [
                    "\(added == 1 ? "1 trip" : "\(added) trips") and \(stops == 1 ? "1 stop" : "\(stops) stops") imported, "
                        + "\(number("known")) there already, \(number("overlapping")) left out",
                    "\(leftOut.used) of \(Amounts.count(leftOut.read, "point")) in \(Amounts.count(files, "file")) used"
                        + (why.isEmpty ? "" : "; left out: \(why)"),
                ]
            }

            var json: JSONValue {
                var json: JSONObject = [
                    "type": "summary", "added": .integer(Int64(number("added"))),
                    "known": .integer(Int64(number("known"))),
                    "overlapping": .integer(Int64(number("overlapping"))), "stops": .integer(Int64(stops)),
                    "read": .integer(Int64(leftOut.read)), "kept": .integer(Int64(leftOut.used)),
                    "rejected": .object(reasons),
                ]
                contents.addMembers(to: &json)
                json["first_rejected"] = first
                json["notices"] = .array(notices.map { ["file": .string($0.file), "text": .string($0.text)] })
                return .object(json)
            }

            /// The first point that was left out.
            private var first: JSONValue? {
                guard let first = leftOut.first, let firstFile else { return nil }
                return .object(
                    JSONObject(present: [
                        "file": .string(firstFile), "reason": .string(first.reason),
                        "time": first.time.map { .string("\($0)") },
                        "point": first.place.map { .integer(Int64($0.point)) },
                        "line": first.place.map { .integer(Int64($0.line)) },
                    ]))
            }

            private var reasons: JSONObject {
                var reasons = JSONObject()
                for (reason, count) in leftOut.reasons.sorted { reasons[reason] = .integer(Int64(count)) }
                return reasons
            }
        }
    }
}
