import ArgumentParser
import Daemon

/// The command line: arguments in, text and exit codes out.
@main
struct Waymark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waymark",
        abstract: "Tells when a device comes near a place, and writes its trips.",
        version: "\(Product.name) \(Product.version)",
        subcommands: [
            DaemonCommand.self, WatchCommand.self, StatusCommand.self, DoctorCommand.self, NearestCommand.self,
            SightCommand.self, PhotoCommand.self, TripCommand.self, BackupCommand.self, RecoverCommand.self,
            CallCommand.self,
            ReplayCommand.self, ExplainCommand.self, BacktestCommand.self, DecodeCommand.self, InspectCommand.self,
        ],
        groupedSubcommands: [CommandGroup(name: "What people do", subcommands: Nouns.commands)])
}
