import ArgumentParser
import Daemon
import Positioning
import RPC
import Sights
import Time
import Tracking

/// The command `waymark explain`, which explains why an event was or was not emitted.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain for each fix around a moment why a geofence emitted an event, or did not.",
        discussion: """
            Recordings are replayed with --sights. Without a recording, the daemon explains: it has the last 3,600 \
            fixes of each device in memory, including rejected ones, and for earlier times the points of recorded \
            trips. With --store, a store explains, which has only the points of trips.
            """,
        examples: [
            "waymark explain --geofence westerkerk --at 2026-05-01T10:01:00Z",
            """
            waymark explain drive.nmea --sights sights.csv --geofence westerkerk \\
                --at 2026-05-01T10:01:00Z
            """,
        ])

    @Argument(help: ArgumentHelp("NMEA or GPX files, instead of the daemon.", valueName: "file"))
    var files: [String] = []

    @Option(help: ArgumentHelp("The geofence: a sight's id, or KIND/ID.", valueName: "id"))
    var geofence: String

    @Option(
        help: ArgumentHelp(
            "The moment: such as 2026-05-01T10:00:00Z, now, or a span before now such as 5min.", valueName: "time"))
    var at: TimeArgument

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The seconds before and after it, at most 3600.", valueName: "S"))
    var window = QuantityArgument(Explanation.Question.defaultWindow)

    @Option(
        help: ArgumentHelp(
            "The device, by default the primary one; for a recording, instead of the file's name.", valueName: "name"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "The sights of a recording: CSV, GeoJSON, KML, GPX or .otrw. Repeatable.", valueName: "file"))
    var sights: [String] = []

    @Option(help: ArgumentHelp("The day on which a log without dates begins.", valueName: "YYYY-MM-DD"))
    var date: CalendarDate?

    @OptionGroup var tracking: TrackingOptions
    @OptionGroup var clock: ClockOption
    @OptionGroup var source: SourceOptions

    @Flag(help: "Print one JSON object per device.")
    var json = false

    /// The error that the files do not contain what the options name.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    func validate() throws {
        guard window.value <= Explanation.Question.longestWindow else {
            throw ValidationError("--window takes at most 3600 seconds.")
        }
        if files.isEmpty {
            guard sights.isEmpty, date == nil, !tracking.isGiven else {
                throw ValidationError(
                    "--sights, --date and settings are only for recordings. Name a recording, or omit these options: a "
                        + "daemon or a store explains its decisions with its own sights and settings.")
            }
        } else {
            guard source.store == nil, source.daemon.socket == nil else {
                throw ValidationError("--store and --socket explain past decisions: give them without recordings.")
            }
            guard !sights.isEmpty else { throw ValidationError("Give the sights of the recording with --sights.") }
        }
    }

    func run() async throws {
        try await Failure.printing { output in
            var views: [ExplanationView] = []
            for answer in try await answers() {
                if json {
                    try output.line(answer.line)
                } else {
                    views.append(ExplanationView(answer, clock: clock.clock))
                }
            }
            for view in views { for line in view.lines(.standardOutput) { try output.line(line) } }
        }
    }

    private func answers() async throws -> [JSONValue] {
        guard files.isEmpty else {
            return try recorded().map { try JSONValue(parsing: ExplanationAnswer.shape.text(of: $0).bytes.span) }
        }
        let parameters = JSONObject(present: [
            "geofence": .string(geofence), "time": at.json(by: clock.clock), "window": .number(window.value),
            "device": device.map { .string($0) },
        ])
        return [try await source.ask { try await $0.call("geofences.explain", parameters) }]
    }

    private func recorded() throws -> [ExplanationAnswer] {
        let known = try SightFile.read(paths: sights)
        let id = geofence.hasPrefix("sight/") ? String(geofence.dropFirst("sight/".count)) : geofence
        guard let sight = known.last(where: { $0.id == id }) else {
            throw Missing(description: "there is no sight \(id) in \(sights.joined(separator: ", "))")
        }
        guard let moment = at.time(by: clock.clock) else { throw Missing(description: "--at is no moment") }
        var recorded = RecordedFixes(
            Explanation.Question(time: moment, window: window.value), sight.geofence, policy: tracking.policy)
        for file in files {
            do throws(RecordingError) {
                try recorded.read(file, device: device, date: date)
            } catch {
                throw FileFailure(file: file, error: error)
            }
        }
        let answers = recorded.answers.filter { !$0.explanation.isEmpty }
        guard !answers.isEmpty else {
            throw Missing(description: "\(files.joined(separator: ", ")): no fix has a time; --date may help")
        }
        return answers
    }
}
