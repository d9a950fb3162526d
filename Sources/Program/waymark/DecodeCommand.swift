import ArgumentParser
import Geodesy
import Positioning
import Receivers
import Synchronization
import TextCoding
import Time
import Tracking

/// The command `waymark decode`, which prints the fixes of a file or receiver before any gate.
struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Print the fixes of files or receivers as they are read, before any gate: one JSON object per fix.",
        discussion: """
            A receiver is named as for the daemon: gpsd://host:port/device, nmea:/dev/ttyACM0?baud=9600, \
            tcp://host:port, udp://host:port. The command reads it, and connects again if needed, until you interrupt \
            the command, unless you give --once. At the end, it prints a summary on standard error: the number of fixes, \
            and what was skipped, by reason.
            """,
        examples: [
            "waymark decode drive.nmea",
            "waymark decode --once udp://:10110",
        ])

    @Argument(help: ArgumentHelp("NMEA or GPX files, - for standard input, or receivers.", valueName: "source"))
    var sources: [String]

    @Flag(help: "Exit when the receiver's connection ends. Files are always read once.")
    var once = false

    @Option(
        help: ArgumentHelp(
            "The day on which the log begins, if its sentences contain no date.", valueName: "YYYY-MM-DD"))
    var date: CalendarDate?

    @Flag(help: "Print JSON, as this command always does.")
    var json = false

    func validate() throws {
        for source in sources where Self.isReceiver(source) {
            do {
                _ = try ReceiverAddress(source)
            } catch {
                throw ValidationError(error.description)
            }
        }
    }

    func run() async throws {
        try await Failure.printing { output in
            var failed = false
            for source in sources {
                do {
                    if Self.isReceiver(source) {
                        try await decode(
                            Receiver(name: Self.device(of: source), address: ReceiverAddress(source)), source,
                            to: output)
                    } else {
                        try decode(source, to: output)
                    }
                } catch let error as RecordingError {
                    try output.flush()
                    Failure.report(source, error)
                    failed = true
                } catch let error as ReceiverError {
                    try output.flush()
                    Failure.report("\(source): \(error)")
                    failed = true
                }
            }
            if failed { throw Failure.exit }
        }
    }

    private static let schemes = ["gpsd:", "nmea:", "tcp:", "udp:"]

    /// Whether a source is a receiver; a file whose name looks like one must be given as `./NAME`.
    private static func isReceiver(_ source: String) -> Bool { schemes.contains { source.hasPrefix($0) } }

    /// Returns the name of the device at a URL: the last part of its path, or the scheme.
    private static func device(of source: String) -> String {
        let place = source.prefix { $0 != "?" }
        let name = place.split(separator: "/").last ?? ""
        return name.contains(":") || name.isEmpty ? String(place.prefix { $0 != ":" }) : String(name)
    }

    private func decode(_ receiver: Receiver, _ source: String, to output: StandardOutput) async throws {
        let count = Mutex(0)
        let print: @Sendable ([Fix], String) throws -> Void = { fixes, device in
            count.withLock { $0 += fixes.count }
            for fix in fixes { try output.fix(fix, device: device) }
            // The receiver may not send anything more for a while.
            try output.flush()
        }
        if once {
            let skipped = try await receiver.once(print)
            return printSummary(source, count: count.withLock { $0 }, skipped: skipped)
        }
        let (failures, failure) = AsyncStream<any Error>.makeStream()
        let reading = Task {
            await receiver.run { reports in
                for report in reports {
                    switch report {
                    case .fixes(let fixes, let device):
                        do { try print(fixes, device) } catch { failure.yield(error) }
                    case .online(let device): Failure.note("\(device) is online")
                    case .offline(let device, let reason), .stillOffline(let device, let reason):
                        Failure.note("\(device) is offline: \(reason)")
                    case .notice(let text, let device): Failure.note("\(device): \(text)")
                    case .skipped, .ended: break
                    }
                }
            }
        }
        defer { reading.cancel() }
        for await error in failures { throw error }
    }

    private func decode(_ source: String, to output: StandardOutput) throws {
        let recording = try TidyRecording(path: source, date: date, filters: false)
        var count = 0
        defer {
            for notice in recording.notices { Failure.note("\(Failure.name(source)): \(notice)") }
            printSummary(source, count: count, skipped: recording.malformed, datedLater: recording.datedLater)
        }
        while let fixes = try recording.next() {
            count += fixes.count
            for fix in fixes { try output.fix(fix, device: recording.device) }
            // The pipe may not deliver anything more for a while.
            if recording.isLive { try output.flush() }
        }
        try output.flush()
    }

    private func printSummary(_ source: String, count: Int, skipped: Tally, datedLater: Int = 0) {
        let reasons = skipped.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
        let what = reasons.isEmpty ? "nothing skipped" : "skipped: \(reasons)"
        let dated = datedLater == 0 ? "" : ", \(datedLater) dated by a later sentence"
        Failure.note("\(Failure.name(source)): \(count) \(count == 1 ? "fix" : "fixes")\(dated), \(what)")
    }
}

extension StandardOutput {
    /// Prints a fix as a line of JSON.
    fileprivate func fix(_ fix: Fix, device: String) throws(Failure) {
        var json = JSONWriter()
        json.object { fix.writeMembers(device: device, to: &$0) }
        try line(json.bytes)
    }
}

extension Fix {
    /// Writes the fix in the format of `decode`, without unknown values.
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
