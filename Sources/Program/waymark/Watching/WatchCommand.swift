import ArgumentParser
import Foundation
import RPC
import UnixSignals

/// The command `waymark watch`, which prints the daemon's events as they arrive.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the daemon's events.",
        discussion: """
            Press Ctrl-C to end it. If the daemon stops, the command waits for it, and continues with the first event \
            that it missed: no event is lost, and none is printed twice.
            """,
        examples: [
            "waymark watch --type 'geofence.*' --device van",
            "waymark watch --type notification",
        ])

    @OptionGroup var daemon: SocketOption

    @Option(
        help: ArgumentHelp("Begin with the event after this number; 0 for all events in the log.", valueName: "seq"))
    var after: Int64?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Only events of this type, such as geofence.enter or trip.*. Repeatable.", valueName: "type")
    )
    var types: [String] = []

    @Option(
        name: .customLong("device"), help: ArgumentHelp("Only events of this device. Repeatable.", valueName: "name"))
    var devices: [String] = []

    @Flag(help: "Print positions too.")
    var positions = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Exit after this many events.", valueName: "N"))
    var limit: Int?

    @Flag(help: "Exit after one event, like --limit 1.")
    var once = false

    @OptionGroup var clock: ClockOption

    @Flag(help: "Print one JSON object per event.")
    var json = false

    func validate() throws {
        if let after, after < 0 { throw ValidationError("--after must not be negative.") }
        if let limit, limit < 1 { throw ValidationError("--limit must be above 0.") }
        if once, limit != nil { throw ValidationError("Give either --once or --limit, not both.") }
        guard types.allSatisfy({ !$0.isEmpty }), devices.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("--type and --device must not be empty.")
        }
    }

    func run() async throws {
        let watching = Task { try await watch() }
        let signals = await UnixSignalsSequence(trapping: .sigint)
        let listening = Task {
            for await _ in signals {
                // A second Ctrl-C ends the process at once, even if the reader of the output is stuck.
                if watching.isCancelled { Foundation.exit(Self.interrupted) }
                watching.cancel()
            }
        }
        defer { listening.cancel() }
        try await watching.value
    }

    /// The exit code that a shell reports for a program ended by SIGINT.
    private static let interrupted: Int32 = 130

    private func watch() async throws {
        try await Failure.printing { output in
            var printer = EventPrinter(output, json: json, clock: clock.clock)
            let watch = EventWatch(
                daemon, filter: filter, after: after, limit: once ? 1 : limit, wantsNames: !json
            ) { try printer.print($0, called: $1) }
            try await watch.run()
        }
    }

    private var filter: JSONObject {
        // Without a type the daemon sends all durable events; positions must be requested.
        let wanted = positions ? (types.isEmpty ? ["*"] : types + ["position"]) : types
        return JSONObject(present: [
            "types": wanted.isEmpty ? nil : .array(wanted.map { .string($0) }),
            "devices": devices.isEmpty ? nil : .array(devices.map { .string($0) }),
        ])
    }
}

/// A printer for events, which flushes after each.
private struct EventPrinter {
    private let output: StandardOutput
    private let json: Bool
    private var lines: EventFormatter

    init(_ output: StandardOutput, json: Bool, clock: DisplayClock) {
        self.output = output
        self.json = json
        lines = EventFormatter(paint: .standardOutput, showsDevice: true, clock: clock)
    }

    mutating func print(_ event: JSONValue, called name: String?) throws {
        if json {
            // Parsing an event and writing it again yields the bytes of the daemon's writer; see `JSONText`.
            try output.line(event.line)
        } else {
            for line in lines.lines(of: EventView(event), called: name) {
                try output.line(line, hanging: EventFormatter.textColumn)
            }
        }
        try output.flush()
    }
}
