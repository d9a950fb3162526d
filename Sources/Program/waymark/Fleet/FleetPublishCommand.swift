#if Fleet
import ArgumentParser
import Broker
import Daemon
import FleetStore
import Foundation
import Sights
import Positioning
import Receivers
import Time
import Tracking
import Worker

/// The command `waymark fleet publish`, which sends recordings to a fleet.
struct FleetPublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Send recordings to a fleet, whose events are then those of \"waymark replay\".",
        discussion:
            "Each file is the recording of one device, which ends with it. It exits once all fixes are safe.")

    @Argument(help: ArgumentHelp("NMEA or GPX files, sent in this order; - is standard input.", valueName: "file"))
    var files: [String]

    @OptionGroup var servers: FleetServers

    @Option(help: ArgumentHelp("The device, instead of the file's name without its extension.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The day on which a log without dates begins.", valueName: "YYYY-MM-DD"))
    var date: CalendarDate?

    @Flag(help: "Sort the tracks, segments and points of each file by time first.")
    var sort = false

    /// The fixes after which they are published.
    private static let most = 20_000
    /// How often to send again what is not confirmed.
    private static let tries = 5

    func validate() throws {
        guard device.map(FixBatch.isName) ?? true else {
            throw ValidationError("--device takes a name of 1 to 200 bytes without control characters.")
        }
    }

    func run() throws {
        let settings = try FleetDatabase(at: servers.databaseAddress()).settings()
        let publisher = FixPublisher(to: settings, at: try servers.brokerAddress())
        var count = 0
        for file in files {
            do throws(RecordingError) {
                let recording = try TidyRecording(path: file, date: date, sorts: sort)
                let device = device ?? recording.device
                while let fixes = try recording.next(atLeast: 1000) {
                    publisher.add(fixes, of: device)
                    count += fixes.count
                    if publisher.waiting >= Self.most { try publish(publisher) }
                }
                publisher.add([], of: device, ends: true)
            } catch {
                Failure.report(file, error)
                throw Failure.exit
            }
            try publisher.publish(tries: Self.tries)
        }
        try Failure.printing { output in
            try output.line("\(count) fixes of \(files.count) \(files.count == 1 ? "file" : "files") are safe.")
        }
    }

    private func publish(_ publisher: FixPublisher) throws(RecordingError) {
        do {
            try publisher.publish(tries: Self.tries)
        } catch {
            throw RecordingError("\(error)")
        }
    }
}

/// The command `waymark fleet sights`, which tells a fleet the sights to watch.
struct FleetSightsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sights",
        abstract: "Replace the sights that a fleet watches by those of some files.",
        discussion: """
            Workers take the new sights up between two batches. A sight that stays as it is keeps its visitors.
            """)

    @Argument(help: ArgumentHelp("Sights: CSV, GeoJSON, KML, GPX or .otrw.", valueName: "file"))
    var files: [String]

    @OptionGroup var servers: FleetServers
    @OptionGroup var reading: SightReadingOptions

    func run() throws {
        let (sights, notes) = try SightFile.read(paths: files, reading.options)
        for note in notes { Failure.note(note) }
        let version = try FleetDatabase(at: servers.databaseAddress())
            .replaceGeofences(of: .sight, by: sights.map(\.geofence))
        try Failure.printing { output in
            try output.line("The fleet watches \(sights.count) sights, version \(version).")
        }
    }
}
#endif
