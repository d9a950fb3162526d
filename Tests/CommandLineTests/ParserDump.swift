import Foundation

/// The output of `--experimental-dump-help`.
struct ParserDump: Decodable, Sendable {
    struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var shouldDisplay: Bool
        var arguments: [Argument]?
        var subcommands: [Command]?

        /// Whether the words name a subcommand, or one of a subcommand.
        func has(_ words: some Collection<String>) -> Bool {
            guard let first = words.first else { return true }
            return subcommands?.first { $0.commandName == first }?.has(words.dropFirst()) ?? false
        }
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var isOptional: Bool
        var isRepeating: Bool
        var shouldDisplay: Bool
    }

    var command: Command

    /// The command `waymark` with all its subcommands, for all tests of a run.
    private static let root = Task {
        let dump = try await CommandLineTests.Command.run(["--experimental-dump-help"])
        return try JSONDecoder().decode(ParserDump.self, from: dump.output).command
    }

    /// Returns the command `waymark` with all its subcommands.
    static func read() async throws -> Command { try await root.value }
}
