import ArgumentParser
import Daemon

/// The command line: arguments in, text and exit codes out.
@main
struct Waymark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waymark",
        abstract: "Reports when a device comes near a place, and records its trips.",
        version: "\(ProgramInfo.name) \(ProgramInfo.version)",
        subcommands: commands + fleet,
        groupedSubcommands: groups)

    #if Companion
    private static let commands: [any ParsableCommand.Type] = [
        DemoCommand.self, InitCommand.self, DaemonCommand.self, WatchCommand.self, EventsCommand.self,
        StatusCommand.self, TopCommand.self, DoctorCommand.self, NearestCommand.self, SightCommand.self,
        AnchorCommand.self, PhotoCommand.self, TripCommand.self, ReportCommand.self, LogbookCommand.self,
        PlanCommand.self, PlaceCommand.self, PostCommand.self, MapCommand.self, BackupCommand.self,
        RecoverCommand.self, CallCommand.self, ReplayCommand.self, ExplainCommand.self, BacktestCommand.self,
        DecodeCommand.self, InspectCommand.self,
    ]
    private static let groups = [CommandGroup(name: "What people do", subcommands: Nouns.commands)]
    #else
    private static let commands: [any ParsableCommand.Type] = [
        InitCommand.self, DaemonCommand.self, WatchCommand.self, EventsCommand.self, StatusCommand.self,
        TopCommand.self, DoctorCommand.self, NearestCommand.self, SightCommand.self, AnchorCommand.self,
        TripCommand.self, PlaceCommand.self, BackupCommand.self, RecoverCommand.self, CallCommand.self,
        ReplayCommand.self, ExplainCommand.self, BacktestCommand.self, DecodeCommand.self, InspectCommand.self,
    ]
    private static let groups = [CommandGroup(name: "Devices", subcommands: Nouns.commands)]
    #endif

    #if Fleet
    private static let fleet: [any ParsableCommand.Type] = [FleetCommand.self]
    #else
    private static let fleet: [any ParsableCommand.Type] = []
    #endif

    /// Runs the command that the arguments name.
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        if let noun = Nouns.all.first(where: { noun in
            [noun.name, noun.command].contains(words.first == "help" ? words.dropFirst().first : words.first)
        }) {
            // "help NOUN" and "NOUN help" mean "NOUN --help", because a command of methods has its own help.
            if words.first == "help" { words = words.dropFirst() + ["--help"] }
            let rest = Array(words.dropFirst())
            words = [noun.command] + rest
            if noun.written != nil {
                let asked = rest.first == "help" ? rest.dropFirst().first : rest.first
                guard let verb = asked, noun.writtenVerbs.contains(verb) else { return await noun.run(rest) }
                if rest.first == "help" { words = [noun.command, verb, "--help"] }
            }
        }
        if let complaint = Misnamed(words, in: Self.self) {
            Failure.report("\(complaint)")
            exit(withError: ExitCode.validationFailure)
        }
        do {
            var command = try Self.parseAsRoot(words.first == "daemon" ? DaemonCommand.completed(words) : words)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Failure.end(Self.self, error)
        }
    }
}

/// The complaint that a command does not exist.
private struct Misnamed: CustomStringConvertible {
    let description: String

    /// Finds the first word that should name a subcommand but does not; `nil` if there is none.
    init?(_ words: [String], in root: any ParsableCommand.Type) {
        var command = root
        var path = [Self.name(of: root)]
        for word in words {
            let configuration = command.configuration
            let below = configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
            guard !below.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = below.first(where: { Self.name(of: $0) == word || $0.configuration.aliases.contains(word) }) {
                command = next
                path.append(word)
                continue
            }
            let names = below.map(Self.name)
            // The word may name a command one level deeper: "export" is "trip export".
            let deeper = below.compactMap { parent in
                parent.configuration.subcommands.contains { Self.name(of: $0) == word }
                    ? "\(Self.name(of: parent)) \(word)" : nil
            }
            let near = deeper.isEmpty ? [Spelling.nearest(to: word, among: names)].compactMap { $0 } : deeper
            let start = path.joined(separator: " ")
            let guess =
                near.isEmpty
                ? " \"\(start) --help\" lists the commands."
                : " Did you mean \(near.map { "\"\(start) \($0)\"" }.joined(separator: " or "))?"
            description = "There is no \"\(start) \(word)\".\(guess)"
            return
        }
        return nil
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
