import ArgumentParser
import RPC

/// The command `waymark doctor`, which finds problems in this machine's set-up.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems in this machine's set-up, and say how to fix them.",
        discussion: """
            The command changes nothing. If you are an administrator, the daemon also looks for its mail command and its \
            hook, and draws a test picture; with --mail and --hook, it uses them once. The command exits with 1 if a check \
            fails; a warning is not a failure.
            """,
        examples: [
            "waymark doctor",
            "waymark doctor --mail ada@example.org",
        ])

    @OptionGroup var daemon: SocketOption

    @Option(help: ArgumentHelp("The configuration file, instead of the daemon's.", valueName: "file"))
    var config: String?

    @Flag(help: "Check every entry of the store, however long that takes.")
    var thorough = false

    @Option(help: ArgumentHelp("Make the daemon send a test mail to this address.", valueName: "address"))
    var mail: String?

    @Flag(help: "Make the daemon pass a test notification to its hook.")
    var hook = false

    @Flag(help: "Print one JSON object: the checks, and the number that failed.")
    var json = false

    func run() async throws {
        try await Failure.printing { output in
            let findings = await Doctor(
                daemon: daemon, configurationFile: config, isThorough: thorough,
                trial: Doctor.Trial(mail: mail, hook: hook)
            ).findings()
            let failed = findings.count { $0.state == .fail }
            if json {
                let result: JSONValue = [
                    "checks": .array(findings.map(\.json)), "failed": .integer(Int64(failed)),
                ]
                try output.line(result.line)
            } else {
                for line in findings.flatMap({ $0.lines(.standardOutput) }) {
                    try output.line(line, hanging: Finding.textColumn)
                }
            }
            if failed > 0 {
                try output.flush()
                throw Failure.exit
            }
        }
    }
}

/// The result of a check.
struct Finding: Sendable {
    enum State: String, Sendable { case ok, warn, fail }

    /// The thing checked, in one word.
    let check: String
    let state: State
    /// The state found, as a clause.
    let text: String
    /// The remedy; `nil` if none is needed.
    let remedy: String?

    static func ok(_ check: String, _ text: String) -> Finding {
        Finding(check: check, state: .ok, text: text, remedy: nil)
    }
    static func warn(_ check: String, _ text: String, _ remedy: String) -> Finding {
        Finding(check: check, state: .warn, text: text, remedy: remedy)
    }
    static func fail(_ check: String, _ text: String, _ remedy: String) -> Finding {
        Finding(check: check, state: .fail, text: text, remedy: remedy)
    }

    var json: JSONValue {
        .object(
            JSONObject(present: [
                "check": .string(check), "state": .string(state.rawValue), "says": .string(text),
                "do": remedy.map { .string($0) },
            ]))
    }

    /// The column in which the text begins.
    static let textColumn = 21

    /// Returns the finding, followed by a line with its remedy, if any.
    func lines(_ paint: Paint) -> [String] {
        let word = EventFormatter.padded(state.rawValue, to: 4)
        let mark =
            switch state {
            case .ok: paint.green(word)
            case .warn: paint.yellow(word)
            case .fail: paint.red(word)
            }
        let line = "\(mark)  \(EventFormatter.padded(check, to: 13))  \(EventFormatter.printable(text))"
        return [line]
            + (remedy.map { ["      \(EventFormatter.padded("", to: 13))  → \(EventFormatter.printable($0))"] } ?? [])
    }
}
