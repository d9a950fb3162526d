import ArgumentParser
import Callers
import Daemon
import Foundation
import RPC
import Store

/// The command `waymark NOUN VERB`, which is generated from the declaration of a method.
struct NounCommand<Group: Noun>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Group.command, _superCommandName: "waymark", abstract: Group.abstract)
    }

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("What to do, and its parameters.", valueName: "verb"))
    var words: [String] = []

    func run() async throws {
        var words = words
        // "help VERB" is "VERB --help".
        if words.first == "help", let verb = words.dropFirst().first, !verb.hasPrefix("-") { words = [verb, "--help"] }
        // There may be a method of that name, such as people.help. Its answer comes first, if a daemon answers.
        let helper = words.first == "help" ? try? Self.method("help") : nil
        if words.count == 1, let helper,
            let answer = try? await SourceOptions.parse([]).ask({ try await $0.call(helper.name) })
        {
            try Self.help(answer.plainLines().joined(separator: "\n") + "\n")
        }
        guard let verb = words.first, words != ["help"], !["--help", "-h"].contains(verb),
            verb != "help" || helper != nil
        else {
            return try Self.help(MethodHelp.verbs(of: Group.self, try Self.listed()))
        }
        let method = try Self.method(verb)
        guard !words.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) else {
            return try Self.help(MethodHelp.text(of: method, noun: Group.command))
        }
        let arguments = try Self.arguments(Array(words.dropFirst()), of: method)
        if let question = method.question {
            var consent = Consent()
            consent.yes = arguments.isAgreed
            try consent.check()
            guard consent.isGiven(for: question) else { return }
        }
        try await Failure.printing { output in
            let answer = try await arguments.source.use(for: method, writes: Group.writes) { responder in
                #if Companion
                return try await responder.call(method.name, responder.withPlan(arguments.parameters))
                #else
                return try await responder.call(method.name, arguments.parameters)
                #endif
            }
            try SessionFile.note(answer, method.conversation.session, at: arguments.source.place)
            if arguments.json { return try output.line(answer.line) }
            try Self.show(
                SessionFile.withoutSecrets(answer, method.conversation.session), to: output, by: arguments.clock)
            #if Companion
            if method.right != .read { for move in PlanDays.moves(in: answer) { try output.line(move) } }
            #endif
            let advice = method.conversation.advice(after: answer) ?? ""
            for line in advice.split(separator: "\n", omittingEmptySubsequences: false) where !advice.isEmpty {
                try output.line(String(line))
            }
        }
    }

    /// Prints a help text in columns; a broken line continues below its last column.
    private static func help(_ text: String) throws {
        try Failure.printing { output in
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let start = line.prefix { $0 == " " }
                let gap = line.dropFirst(start.count).firstRange(of: /\ {2,}/)
                let column = gap.map { line.distance(from: line.startIndex, to: $0.upperBound) }
                try output.line(String(line), hanging: column ?? start.count + 2)
            }
        }
    }

    /// Prints an answer; at a terminal, lists become tables and timestamps follow a clock.
    private static func show(_ answer: JSONValue, to output: StandardOutput, by clock: DisplayClock) throws {
        guard let width = StandardOutput.terminalWidth else {
            for line in answer.plainLines(marked: Group.marked) { try output.line(EventFormatter.printable(line)) }
            return
        }
        guard !ListTable.isEmpty(answer) else { return Failure.note("There are none.") }
        let answer = answer.withMoments(by: clock)
        guard let list = ListTable(answer, marked: Group.marked, width: width) else {
            for line in answer.plainLines(marked: Group.marked) {
                try output.line(EventFormatter.printable(line), hanging: line.prefix { $0 == " " }.count + 2)
            }
            return
        }
        try output.table(list.table)
        for line in list.rest { try output.line(EventFormatter.printable(line)) }
        // The flush puts the notes below the list.
        try output.flush()
        if !list.leftOut.isEmpty {
            Failure.note(
                "Not shown, because the terminal is too narrow: \(list.leftOut.joined(separator: ", ")). Use --json to see all."
            )
        }
        if let next = list.next { Failure.note("There are more: --after \(next) shows them.") }
    }

    /// Parses the words, and asks at a terminal for parameters that are missing.
    private static func arguments(_ words: [String], of method: Method<Principal>) throws -> MethodArguments {
        var arguments = try MethodArguments(words, of: method)
        if method.parameters.contains(where: { $0.name == "ticket" }), !arguments.missing(of: method).isEmpty,
            let ticket = SessionFile.ticket(at: arguments.source.place)
        {
            arguments = try MethodArguments(words, of: method, known: ["ticket": .string(ticket)])
        }
        guard Paint.isTerminal(STDIN_FILENO) else { return arguments }
        let isSignedIn = SessionFile.token(at: arguments.source.place) != nil
        let questions = method.conversation.questions(given: arguments.parameters, isSignedIn: isSignedIn)
        try arguments.ask(
            for: arguments.missing(of: method) + method.parameters.filter { questions.contains($0.name) })
        return arguments
    }

    /// Returns the declarations of the group's methods; no method is called.
    private static func methods() throws -> [Method<Principal>] {
        try MethodDeclarations.all().filter { $0.name.hasPrefix(Group.name + ".") }
    }

    /// Returns the methods that the help lists: those that no handwritten verb replaces.
    private static func listed() throws -> [Method<Principal>] {
        let covered = Set(Group.covered.keys.map { "\(Group.name).\($0)" })
        return try methods().filter { !covered.contains($0.name) }
    }

    private static func method(_ verb: String) throws -> Method<Principal> {
        let methods = try methods()
        guard
            let method = methods.first(where: { MethodHelp.verb(of: $0) == verb || $0.name == "\(Group.name).\(verb)" })
        else {
            let verbs = try Group.writtenVerbs + listed().map { MethodHelp.verb(of: $0) }
            let command = "waymark \(Group.command)"
            let near = Spelling.nearest(to: verb, among: verbs).map { "Did you mean \"\(command) \($0)\"?" }
            Failure.report(
                "There is no \"\(command) \(verb)\". \(near ?? "\"\(command) --help\" lists the commands.")")
            throw ExitCode.validationFailure
        }
        return method
    }
}

/// The declarations of the methods that a store or a daemon serves.
enum MethodDeclarations {
    /// Returns all declarations, which are made over a database without tables, because no method is called.
    static func all() throws -> [Method<Principal>] {
        let store = try LocationDatabase.withoutTables()
        let features = Features(store: store, liveState: OfflineLiveState(store: store))
        #if Companion
        return features.methods + MapMethods(nil, features.context).all
        #else
        return features.methods
        #endif
    }
}
