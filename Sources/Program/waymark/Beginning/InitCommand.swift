import ArgumentParser
import Daemon
import Foundation
import Receivers

/// The command `waymark init`, which writes a first configuration for this machine.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Find the receivers of this machine, and write a first configuration.",
        discussion: """
            The command asks which receivers to read and how to send mail. With --yes, it uses all receivers that it \
            finds, and mail waits in the store. It never changes an existing configuration, so you can run it again at \
            any time.
            """,
        examples: [
            "waymark init",
            "waymark init --config ~/waymark.yaml --yes",
        ])

    @Option(
        help: ArgumentHelp(
            "The configuration file, by default /etc/waymark/waymark.yaml for root, and for others "
                + "waymark/waymark.yaml in $XDG_CONFIG_HOME or ~/.config.", valueName: "file"))
    var config: String?

    @Flag(help: "Use all receivers that are found, without asking.")
    var yes = false

    func run() async throws {
        try await Failure.printing { output in
            let path = path
            let isThere = FileManager.default.fileExists(atPath: path)
            let found = await FoundReceivers.look()
            for receiver in found.receivers { try output.line("found  \(receiver.text)") }
            if found.receivers.isEmpty {
                try output.line("found  no gpsd and no serial port; you can name a receiver later, under \"sources\"")
            }
            try output.flush()
            guard !isThere else {
                try output.line("\(path) already exists, and is not changed.")
                return try printNextSteps(output, path, found.receivers)
            }
            var consent = Consent()
            consent.yes = yes
            try consent.check()
            let chosen = found.receivers.filter { receiver in
                consent.isGiven(for: "Read \(receiver.text), as the device \(receiver.name)?")
            }
            #if Companion
            let mail = yes ? .waits : try chooseMail()
            #else
            let mail: NewConfiguration.Mail? = nil
            #endif
            let mailFile = URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: "mail").path
            try write(NewConfiguration(receivers: chosen, mail: mail, mailFile: mailFile), to: path)
            try output.line("wrote  \(path)")
            try printNextSteps(output, path, chosen)
        }
    }

    private func chooseMail() throws -> NewConfiguration.Mail {
        let question =
            "What happens to mail with sign-up codes: \"command\" (msmtp on this machine sends it), \"file\" (it is "
            + "appended to a file), or \"waits\" (it waits in the store)? [waits]"
        while true {
            guard let line = Consent.line(asking: question), !line.isEmpty else { return .waits }
            if let mail = NewConfiguration.Mail(rawValue: line) { return mail }
            Failure.note("\"\(line)\" is not one of command, file and waits.")
        }
    }

    /// Writes the file with default permissions, and checks that the daemon can load it.
    ///
    /// It never overwrites a file, not even one created meanwhile.
    private func write(_ configuration: NewConfiguration, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(configuration.text.utf8).write(to: url, options: .withoutOverwriting)
        } catch {
            throw OutputFile.Failure(description: "\(path): it cannot be written: \(error.systemReason)")
        }
        // The daemon must accept the file.
        _ = try LoadedConfiguration(
            file: path, flags: DaemonFlags(), context: .current(isSocketGiven: false)
        ) { _ = try ReceiverAddress($0) }
    }

    private func printNextSteps(_ output: StandardOutput, _ path: String, _ receivers: [FoundReceivers.Receiver]) throws
    {
        try output.line("")
        try output.line("Next:")
        for group in Set(receivers.compactMap(\.missingGroup)).sorted() {
            try output.line(
                "  sudo usermod -aG \(group) $USER       lets you read the serial port after you log in again")
        }
        let isSystem = path == ConfigurationContext.systemFile
        let start = isSystem ? "sudo systemctl restart waymark" : "waymark daemon --config \(path)"
        for (command, text) in [
            (start, "starts the daemon"), ("waymark status", "shows its state"),
            ("waymark sight import FILE", "adds sights to watch, from CSV, GeoJSON or GPX"),
            ("waymark watch", "follows its events"), ("waymark doctor", "finds problems, and says how to fix them"),
        ] {
            try output.line("  \(EventFormatter.padded(command, to: max(30, command.count)))  \(text)")
        }
    }

    private var path: String {
        if let config { return URL(fileURLWithPath: config).path }
        let environment = ProcessInfo.processInfo.environment
        guard geteuid() != 0 else { return ConfigurationContext.systemFile }
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
        return folder.appending(path: "waymark/waymark.yaml").path
    }
}
