#if Companion
import Foundation
import TestSupport
import Testing

/// The commands of the manual page, generated from the parser's own description.
@Suite(.slow) struct ManualTests {
    /// The page in the repository; `WAYMARK_RECORD=1` rewrites its commands.
    private static let page = Command.repository.appending(path: "systemd/waymark.1")
    private static let start = ".Sh COMMANDS\n"
    private static let end = ".Sh CONFIGURATION\n"

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptsHaveEveryCommand(shell: String) async throws {
        let script = try await Command.run(["--generate-completion-script", shell]).text
        let words = Set(script.split { !$0.isLetter && $0 != "-" }.map(String.init))
        let commands = try await ParserDump.read().subcommands ?? []
        #expect(commands.count > 20)
        for command in commands { #expect(words.contains(command.commandName), "\(command.commandName)") }
    }

    @Test func thePageHasTheCommandsAndOptionsOfTheParser() async throws {
        let root = try await ParserDump.read()
        var manual = ManualText()
        manual.options(of: root)
        for command in root.subcommands ?? [] where command.commandName != "help" {
            try await manual.add(command, after: [])
        }
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let first = try #require(text.range(of: Self.start)).upperBound
        let last = try #require(text.range(of: Self.end, range: first..<text.endIndex)).lowerBound
        if ProcessInfo.processInfo.environment["WAYMARK_RECORD"] != nil {
            try Data(text.replacingCharacters(in: first..<last, with: manual.text).utf8).write(to: Self.page)
        } else {
            #expect(
                text[first..<last] == manual.text,
                "The commands have changed: WAYMARK_RECORD=1 swift test --filter ManualTests")
        }
    }
}

/// Commands in the macros of `mdoc(7)`.
private struct ManualText {
    private(set) var text = ""

    /// Appends a command and its subcommands.
    mutating func add(_ command: ParserDump.Command, after words: [String]) async throws {
        guard command.shouldDisplay else { return }
        let words = words + [command.commandName]
        let takesVerbs = command.arguments?.contains { $0.valueName == "verb" } ?? false
        line(".Ss waymark \(words.joined(separator: " "))\(usage(of: command))")
        paragraphs([command.abstract, command.discussion].compactMap(\.self))
        if takesVerbs { try await addVerbs(of: words) } else { options(of: command) }
        for command in command.subcommands ?? [] { try await add(command, after: words) }
        if let written = command.subcommands { try await addVerbs(of: words, but: Set(written.map(\.commandName))) }
    }

    /// Appends the verbs of a noun that are methods of the socket, which the parser does not know.
    ///
    /// - Parameter known: Verbs to skip because the parser knows them.
    private mutating func addVerbs(of words: [String], but known: Set<String> = []) async throws {
        let help = try await Command.run(words + ["--help"]).text
        let verbs = help.split(separator: "\n").drop { $0 != "VERBS:" }.dropFirst()
            .prefix { $0.hasPrefix("  ") && !$0.hasPrefix("  \"") }
            .map { $0.split(separator: " ", maxSplits: 1) }.filter { !known.contains(String($0[0])) }
        guard !verbs.isEmpty else { return }
        if !known.isEmpty { line(".Ss waymark \(words.joined(separator: " ")), further verbs") }
        line(".Bl -tag -width Ds")
        for parts in verbs {
            line(".It Cm \(Self.escaped(parts[0]))")
            line(Self.escaped(parts[1].drop { $0 == " " }))
        }
        line(".El")
        examples(help.split(separator: "\n").drop { $0 != "EXAMPLES:" }.dropFirst())
    }

    /// Appends the options of a command, without `--help` and `--version`.
    mutating func options(of command: ParserDump.Command) {
        let shown = (command.arguments ?? []).filter { argument in
            argument.shouldDisplay && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
        }
        guard !shown.isEmpty else { return }
        line(".Bl -tag -width Ds")
        for argument in shown {
            line(".It \(Self.form(of: argument))")
            paragraphs([argument.abstract ?? ""])
        }
        line(".El")
    }

    private func usage(of command: ParserDump.Command) -> String {
        (command.arguments ?? []).filter { $0.kind == "positional" && $0.shouldDisplay }.map { argument in
            let name = "\(argument.valueName ?? "")\(argument.isRepeating ? "..." : "")"
            return argument.isOptional ? " [\(name)]" : " \(name)"
        }.joined()
    }

    private static func form(of argument: ParserDump.Argument) -> String {
        let value = argument.valueName.map { escaped($0[...]) } ?? ""
        guard let names = argument.names, !names.isEmpty else { return "Ar \(value)" }
        let forms = names.map { name in
            "Fl \(name.kind == "long" ? "\\-" : "")\(escaped(name.name[...]))"
                + (argument.kind == "option" ? " Ar \(value)" : "")
        }
        return forms.joined(separator: " , ")
    }

    private mutating func paragraphs(_ texts: [String]) {
        for (index, paragraph) in texts.flatMap({ $0.split(separator: "\n\n") }).enumerated() {
            let lines = paragraph.split(separator: "\n")
            if index > 0 { line(".Pp") }
            if lines.first == "EXAMPLES:" {
                examples(lines.dropFirst())
            } else {
                for sentence in lines { line(Self.escaped(sentence)) }
            }
        }
    }

    private mutating func examples(_ lines: ArraySlice<Substring>) {
        line("Examples:")
        line(".Bd -literal -offset indent -compact")
        for example in lines { line(Self.escaped(example.dropFirst(2))) }
        line(".Ed")
    }

    private mutating func line(_ line: String) { text += line + "\n" }

    /// Escapes a text: a full stop or an apostrophe at the start of a line would begin a macro.
    private static func escaped(_ text: Substring) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : String(text)
    }
}
#endif
