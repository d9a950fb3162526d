import ArgumentParser
import Daemon
import Foundation
import Positioning
import RPC
import Receivers
import Sights
import Store
import TextCoding
import Time
import Tracking
import Trips

/// The command `waymark backtest`, which tries new sights or settings on recorded traces.
struct BacktestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backtest",
        abstract: "Show which events other sights or settings would emit, and how they differ from the emitted ones.",
        discussion: """
            Stores and recordings are recognised by content, and are only read. The points of a store's trips are \
            compared with its event log, with the store's own sights unless --sights names others, and with the settings \
            that each trip was recorded with unless you give others. A recording is compared with its own replay under \
            the default settings, and so is an imported trip, with the store's own sights. Files are processed in the \
            order in which their contents begin.

            A + marks an event that would be new, a - one that would be missing, and a blank one that is the same. Two \
            events count as the same if they are within a minute of each other.
            """,
        examples: [
            "waymark backtest boat.sqlite --sights sights.csv --changes",
            "waymark backtest drive.nmea --sights sights.csv --dwell 30",
        ])

    @Argument(help: ArgumentHelp("Stores, and NMEA or GPX files.", valueName: "store-or-file"))
    var files: [String]

    @Option(help: ArgumentHelp("Sights to watch: CSV, GeoJSON, KML, GPX or .otrw. Repeatable.", valueName: "file"))
    var sights: [String] = []

    @Option(
        help: ArgumentHelp(
            "In a store, only the trips of this device; for a recording, its device, instead of the file's name.",
            valueName: "name"))
    var device: String?

    @OptionGroup var times: TimeOptions

    @Option(help: ArgumentHelp("The day on which a log without dates begins.", valueName: "YYYY-MM-DD"))
    var date: CalendarDate?

    @OptionGroup var tracking: TrackingOptions
    @OptionGroup var clock: ClockOption

    @Flag(help: "Omit the events that are the same.")
    var changes = false

    @Flag(help: "Print one JSON object per event.")
    var json = false

    func run() async throws {
        try Failure.printing { output in
            let printer = BacktestPrinter(output, json: json, changesOnly: changes, clock: clock.clock)
            let index = sights.isEmpty ? nil : GeofenceIndex(try SightFile.read(paths: sights))
            let progress = Progress()
            defer { progress.clear() }
            var backtest = Backtest(
                changing: { tracking.change(&$0) }, progressed: { progress.show(Amounts.count($0, "fix", "fixes")) },
                report: { change, event in
                    progress.clear()
                    try printer.print(change, event)
                })
            var hasFailed = false
            for file in sorted(files) {
                do {
                    try read(file, index, &backtest)
                } catch let error as RecordingError {
                    hasFailed = true
                    try output.flush()
                    Failure.report(file, error)
                }
            }
            if backtest.outcome.fixes > 0 || !hasFailed { try printer.print(backtest.outcome) }
            guard !hasFailed else {
                try output.flush()
                throw Failure.exit
            }
        }
    }

    /// Returns the files in the order in which they begin.
    ///
    /// Files without a known beginning, such as unreadable ones, come last.
    private func sorted(_ files: [String]) -> [String] {
        guard files.count > 1 else { return files }
        let begins = files.map { begin(of: $0)?.milliseconds ?? .max }
        return zip(files, begins).enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
            .map(\.element.0)
    }

    /// Returns the time at which the content of a file begins; `nil` if it is unknown before the file is read.
    private func begin(of file: String) -> Timestamp? {
        guard file != "-", FileManager.default.fileExists(atPath: file) else { return nil }
        if Stores.isDatabase(at: file) {
            return try? Stores.openForReading(at: file).trips(times.query(device: device, by: clock.clock)).first?
                .summary.start
        }
        guard let recording = try? Recording(path: file, date: date) else { return nil }
        while let fixes = try? recording.next() {
            if let time = fixes.lazy.compactMap(\.time).first { return time }
        }
        return nil
    }

    private func read(_ file: String, _ index: GeofenceIndex?, _ backtest: inout Backtest) throws {
        guard Stores.isDatabase(at: file) else {
            guard let index else {
                // Whether the file can be read comes first; standard input would have to be waited for.
                if file != "-" { _ = try Recording(path: file, date: date) }
                throw RecordingError("a recording has no sights; name some with --sights")
            }
            return try backtest.read(file, watching: index, device: device, date: date)
        }
        let store = try Stores.openForReading(at: file)
        let own = try GeofenceIndex(of: store)
        try backtest.read(store, times.query(device: device, by: clock.clock), watching: index ?? own, insteadOf: own)
    }
}

/// A printer for the events of a backtest, as text or as JSON.
private final class BacktestPrinter {
    private let output: StandardOutput
    private let json: Bool
    private let changesOnly: Bool
    private let paint = Paint.standardOutput
    private var lines: EventFormatter
    private var counts: [EventDifference.Change: Int] = [:]

    init(_ output: StandardOutput, json: Bool, changesOnly: Bool, clock: DisplayClock) {
        self.output = output
        self.json = json
        self.changesOnly = changesOnly
        lines = EventFormatter(paint: paint, showsDevice: true, clock: clock)
    }

    func print(_ change: EventDifference.Change, _ event: [UInt8]) throws {
        counts[change, default: 0] += 1
        guard change != .same || !changesOnly else { return }
        guard !json else {
            var json = JSONWriter()
            json.object { json in
                json.member("change", change.rawValue)
                json.key("event")
                json.raw(event)
            }
            return try output.line(json.bytes)
        }
        let mark =
            switch change {
            case .added: paint.green("+")
            case .removed: paint.red("-")
            case .same: " "
            }
        let view = EventView(try JSONValue(parsing: event.span))
        let told = lines.lines(of: view)
        for line in told.dropLast() { try output.line("  \(line)") }
        for line in told.suffix(1) { try output.line("\(mark) \(line)") }
    }

    func print(_ outcome: Backtest.Outcome) throws {
        guard !json else { return }
        func count(_ change: EventDifference.Change) -> Int { counts[change] ?? 0 }
        let trips = outcome.trips == 0 ? "" : " of \(outcome.trips) \(outcome.trips == 1 ? "trip" : "trips")"
        try output.line("")
        try output.line(paint.bold("\(outcome.fixes) fixes\(trips)"))
        try output.line(
            "  sights: \(count(.same)) events the same, \(count(.added)) would be new, \(count(.removed)) missing")
        if outcome.unjudgedLegs > 0 { try output.line("  \(ReplayPrinter.unjudged(outcome.unjudgedLegs))") }
        if outcome.doubtful > 0 {
            try output.line("  \(outcome.doubtful) more came from fixes between trips, which are not stored")
        }
    }
}
