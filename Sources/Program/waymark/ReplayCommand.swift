import ArgumentParser
import Daemon
import Foundation
import Store
import TextCoding
import Time
import Tracking

/// The command `waymark replay`, which runs recordings through the whole pipeline.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run recordings through the pipeline, and print each event as it happens.",
        discussion: """
            The events depend only on the recordings, the sights and the options: the same input gives the same \
            events at any speed.
            """,
        examples: [
            "waymark replay drive.nmea --sights sights.csv",
            "waymark replay walk.gpx --sights sights.csv --store walk.sqlite --json",
        ])

    @Argument(help: ArgumentHelp("NMEA or GPX files, replayed in this order; - is standard input.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("Sights to watch: CSV, GeoJSON, KML, GPX or .otrw. Repeatable.", valueName: "file"))
    var sights: [String] = []

    @OptionGroup var reading: SightReadingOptions

    @Option(help: ArgumentHelp("Save the result in this store, and continue from its contents.", valueName: "file"))
    var store: String?

    @Option(help: ArgumentHelp("Serve subscribers on this Unix socket during the replay.", valueName: "path"))
    var socket: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The multiple of real time, from 0.000001 to 1000000000, or max.", valueName: "N"))
    var speed: ReplaySpeed = .greatest

    @Flag(help: "Print one JSON object per event, and nothing else on standard output.")
    var json = false

    @Flag(help: "Print positions too.")
    var positions = false

    @Flag(inversion: .prefixedNo, help: "Print a summary at the end. (default: --summary; with --json, --no-summary)")
    var summary: Bool?

    @OptionGroup var tracking: TrackingOptions
    @OptionGroup var clock: ClockOption

    @Flag(help: "Emit events for sights ahead too, 60 s and 15 s before the device enters them.")
    var approach = false

    @Flag(help: "Sort the tracks, segments and points of each file by time first.")
    var sort = false

    @Option(help: ArgumentHelp("The device, instead of the file's name without its extension.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The day on which a log without dates begins.", valueName: "YYYY-MM-DD"))
    var date: CalendarDate?

    func validate() throws {
        if let device, device.isEmpty || device.utf8.count > 200 {
            throw ValidationError("--device takes a name of 1 to 200 bytes.")
        }
    }

    func run() async throws {
        let progress = Progress(isShown: Paint.standardErrorIsTerminal)
        try await Failure.printing { output in
            let printer = ReplayPrinter(
                output, json: json, showsDevice: device == nil && files.count > 1, clock: clock.clock)
            let session = try ReplaySession(
                options, sightFiles: sights, sightOptions: reading.options, storePath: store, socket: socket)
            for note in session.notes { Failure.note(note) }
            let outcome = try await session.run(
                Replay.Audience(
                    committed: { events in
                        progress.clear()
                        try printer.print(events)
                    },
                    progressed: { progress.show($0) },
                    failed: { failure in
                        progress.clear()
                        Failure.report(failure.file, failure.error)
                    },
                    noticed: { file, text in
                        progress.clear()
                        Failure.note("\(Failure.name(file)): \(text)")
                    }))
            progress.clear()
            let hasNothing = outcome.hasFailed && outcome.read == 0
            if summary ?? !(json || hasNothing) { try printer.print(outcome) }
            if outcome.hasFailed {
                try output.flush()
                throw Failure.exit
            }
        }
    }

    private var options: Replay.Options {
        var options = Replay.Options(files: files)
        if case .times(let factor) = speed { options.speed = factor }
        options.device = device
        options.date = date
        options.sorts = sort
        options.wantsPositions = positions
        options.policy = tracking.policy
        options.policy.lookahead = approach ? Lookahead() : nil
        return options
    }
}
