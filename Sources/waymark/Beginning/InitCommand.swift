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
            It asks which receivers are to be read and how mail is to leave; with --yes it takes all that it finds, and \
            has mail wait. A configuration that is there already stays as it is. You can call it again at any time.
            """,
        examples: [
            "waymark init",
            "waymark init --config ~/waymark.yaml --yes",
        ])

    @Option(
        help: ArgumentHelp(
            "The configuration file; else /etc/waymark/waymark.yaml for root, and waymark/waymark.yaml in "
                + "$XDG_CONFIG_HOME or ~/.config for you.", valueName: "file"))
    var config: String?

    @Flag(help: "Take what is found, without asking.")
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
                try output.line("\(path) is there already, and stays as it is.")
                return try tellNext(output, path, found.receivers)
            }
            var consent = Consent()
            consent.yes = yes
            try consent.check()
            let chosen = found.receivers.filter { receiver in
                consent.isGiven(for: "Read \(receiver.text), as the device \(receiver.name)?")
            }
            let mail = yes ? .waits : try chooseMail()
            let mailFile = URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: "mail").path
            try write(NewConfiguration(receivers: chosen, mail: mail, mailFile: mailFile), to: path)
            try output.line("wrote  \(path)")
            try tellNext(output, path, chosen)
        }
    }

    private func chooseMail() throws -> NewConfiguration.Mail {
        let question =
            "How is mail with sign-up codes to leave: \"command\" (msmtp on this machine), \"file\", or \"waits\"? [waits]"
        while true {
            guard let line = Consent.line(asking: question), !line.isEmpty else { return .waits }
            if let mail = NewConfiguration.Mail(rawValue: line) { return mail }
            Failure.note("\"\(line)\" is none of command, file and waits.")
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
            throw OutputFile.Failure(description: "\(path): it cannot be written: \(error.localizedDescription)")
        }
        // The daemon must accept the file.
        _ = try LoadedConfiguration(
            file: path, flags: DaemonFlags(), surroundings: .current(isSocketGiven: false)
        ) { _ = try ReceiverAddress($0) }
    }

    private func tellNext(_ output: StandardOutput, _ path: String, _ receivers: [FoundReceivers.Receiver]) throws {
        try output.line("")
        try output.line("Next:")
        for group in Set(receivers.compactMap(\.missingGroup)).sorted() {
            try output.line("  sudo usermod -aG \(group) $USER       reads the serial port, once you log in again")
        }
        let isSystem = path == ConfigurationSurroundings.systemFile
        let start = isSystem ? "sudo systemctl restart waymark" : "waymark daemon --config \(path)"
        for (command, text) in [
            (start, "starts the daemon"), ("waymark status", "says how it is"),
            ("waymark sight import FILE", "adds sights to be told of: CSV, GeoJSON or GPX"),
            ("waymark watch", "follows what it tells"), ("waymark doctor", "says what is wrong, and how to mend it"),
        ] {
            try output.line("  \(EventLines.padded(command, to: max(30, command.count)))  \(text)")
        }
    }

    private var path: String {
        if let config { return URL(fileURLWithPath: config).path }
        let environment = ProcessInfo.processInfo.environment
        guard geteuid() != 0 else { return ConfigurationSurroundings.systemFile }
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
        return folder.appending(path: "waymark/waymark.yaml").path
    }
}
