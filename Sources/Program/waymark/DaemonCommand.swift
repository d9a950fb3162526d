import ArgumentParser
import Daemon
import Foundation
import Receivers
import Store

#if Companion
import WebServer
#endif

/// The command `waymark daemon`, which runs the service.
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Read receivers and serve subscribers until stopped.",
        discussion: """
            Settings come from the defaults, the configuration file, the environment variables WAYMARK_…, and these \
            options; each of these overrides the ones before it. On SIGHUP, the daemon reads the file again. On SIGTERM \
            and SIGINT, it commits everything and exits.

            A source is NAME=URL: gpsd://host:port/device, nmea:/dev/ttyACM0?baud=9600, tcp://host:port, \
            udp://host:port, or a recording in place of a receiver.
            """,
        examples: [
            "waymark daemon --source van=gpsd://localhost",
            "waymark daemon --config ~/waymark.yaml --check",
        ])

    @Option(help: ArgumentHelp("The configuration file, instead of /etc/waymark/waymark.yaml.", valueName: "file"))
    var config: String?

    @Option(
        name: .customLong("source"),
        help: ArgumentHelp("A receiver, instead of the configured ones. Repeatable.", valueName: "name=url"))
    var sources: [String] = []

    @Option(help: ArgumentHelp("The file of the store.", valueName: "file"))
    var store: String?

    @Option(help: ArgumentHelp("The socket to serve subscribers on.", valueName: "path"))
    var socket: String?

    #if Companion
    @Option(
        help: ArgumentHelp(
            "Serve browsers at this address; at \(WebAddress.defaultAddress) if you give none.",
            valueName: "address"))
    var web: String?
    #else
    private var web: String? { nil }
    #endif

    @Flag(help: "Check the configuration, print each value with its origin, and exit.")
    var check = false

    /// The exit code if the store has failed for too long, or its files were moved.
    ///
    /// It is an input or output error, after which the daemon may be started again (EX_IOERR of sysexits.h).
    private static let storeFailed = ExitCode(74)
    /// The exit code after which a service manager does not start the daemon again (EX_CONFIG of sysexits.h).
    private static let badConfiguration = ExitCode(78)

    /// Returns the arguments, with the usual address added to each `--web` that has none.
    static func completed(_ words: [String]) -> [String] {
        #if Companion
        var result: [String] = []
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            let isBare = word == "--web" && (next.isEmpty || next.hasPrefix("-"))
            result.append(isBare ? "--web=\(WebAddress.defaultAddress)" : word)
        }
        return result
        #else
        return words
        #endif
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        try await Failure.printing { output in
            CrashMessage.install()
            let manager = try ServiceManager(environment: environment)
            ServiceManager.forgetEnvironment()
            let ours = ConfigurationContext.current(isSocketGiven: manager.listenDescriptor != nil)
            let context = check && asksOfService(ours) ? ours.ofService : ours
            let flags = DaemonFlags(sources: sources, store: store, socket: socket, web: web)
            let file = config
            let load: @Sendable () throws(ConfigurationError) -> LoadedConfiguration = {
                () throws(ConfigurationError) in
                try LoadedConfiguration(file: file, flags: flags, context: context) {
                    _ = try ReceiverAddress($0)
                }
            }
            let loaded: LoadedConfiguration
            do throws(ConfigurationError) {
                loaded = try load()
            } catch {
                manager.rejectWaitingClients(DaemonService.cannotStart)
                for line in error.lines { Failure.report(line) }
                // Starting again does not help; the exit code reports that to a service manager.
                if manager.isPresent { throw Self.badConfiguration }
                throw error.problems.allSatisfy(\.isOfOption) ? ExitCode.validationFailure : Failure.exit
            }
            if check {
                for line in loaded.description.split(separator: "\n") { try output.line(String(line)) }
                #if Companion
                if let refused = loaded.configuration.web?.refusedMap {
                    try output.flush()
                    Failure.report("\(refused) The daemon starts, and shows the map without it.")
                    throw Failure.exit
                }
                #endif
                return
            }
            let log = LogOutput(environment: environment, level: loaded.configuration.logLevel)
            log.install()
            do {
                try await DaemonService(loaded, manager: manager, log: log, reload: load).run()
            } catch let error as StoreError where manager.isPresent && error.staysSo {
                Failure.report("\(error)")
                throw Self.badConfiguration
            } catch let error as StoreError where error.needsReopening {
                Failure.report("\(error)")
                throw Self.storeFailed
            } catch let overflow as CommitOverflow {
                Failure.report("\(overflow)")
                throw Self.storeFailed
            }
        }
    }

    /// Whether the configuration to check is that of the installed service, seen by root from outside the service.
    private func asksOfService(_ context: ConfigurationContext) -> Bool {
        let file = ConfigurationContext.systemFile
        return context.isRoot && context.environment["STATE_DIRECTORY"] == nil
            && (config ?? file) == file && FileManager.default.fileExists(atPath: file)
    }
}
