import ArgumentParser

/// A group of methods that is a command; its name stands before the dot in their names.
protocol Noun: Sendable {
    static var name: String { get }
    /// The topic of the methods, as a sentence.
    static var abstract: String { get }
    /// Complete commands, as a person types them. A test runs each.
    static var examples: [String] { get }
    /// The command with the handwritten verbs, which are listed before those generated from methods.
    ///
    /// It is `nil` if there are none, and the command has the name of the group.
    static var written: (any ParsableCommand.Type)? { get }
    /// The handwritten verbs by the methods that they replace, without the name of the group.
    static var covered: [String: String] { get }
    /// Whether all of the methods may write, even those that need only the right to read.
    static var writes: Bool { get }
    /// The members of the answers whose texts contain emphasis; see ``MarkedText``.
    static var marked: Set<String> { get }
}

extension Noun {
    static var written: (any ParsableCommand.Type)? { nil }
    static var covered: [String: String] { [:] }
    static var writes: Bool { false }
    static var marked: Set<String> { [] }

    /// The name of the command.
    static var command: String { written?.configuration.commandName ?? name }

    /// Returns the command for one of the methods.
    static func command(for method: Substring) -> String {
        let verb = covered[String(method)] ?? MethodHelp.verb(of: method)
        return "waymark \(command) \(verb)"
    }

    /// The handwritten verbs and their aliases.
    static var writtenVerbs: [String] {
        written?.configuration.subcommands.map { $0.configuration }.flatMap { [$0.commandName ?? ""] + $0.aliases }
            ?? []
    }

    /// Runs a verb generated from a method, or prints the list of verbs.
    static func run(_ words: [String]) async {
        var command = NounCommand<Self>()
        command.words = words
        do {
            try await command.run()
        } catch {
            Failure.end(NounCommand<Self>.self, error)
        }
    }
}

/// The groups of methods that are commands.
enum Nouns {
    enum Devices: Noun {
        static let name = "devices"
        static let abstract = "Devices: their titles, and the people they carry."
        #if Companion
        private static let joining = ["waymark devices join van"]
        #else
        private static let joining: [String] = []
        #endif
        static let examples =
            ["waymark devices list"] + joining + [
                #"waymark devices update van --title "Our van" --primary true"#,
                "waymark devices update van --speed-limit 100",
            ]
    }
    enum Anchors: Noun {
        static let name = "anchors"
        static let abstract = "Anchors: alarms of devices that are to stay where they are."
        static let examples = [
            "waymark anchor auto --device van --radius 40"
        ]
        static let covered = ["get": "show", "auto": "auto", "acknowledge": "acknowledge", "raise": "raise"]
        static var written: (any ParsableCommand.Type)? { AnchorCommand.self }
    }
    enum Sights: Noun {
        static let name = "sights"
        static let abstract = "Sights: places that devices come near, with their ratings and visits."
        static let examples = [
            "waymark sight list --text kerk",
            "waymark sight ranking --by visits --period month",
            "waymark sight visits westerkerk",
        ]
        static let covered = [
            "add": "add", "list": "list", "get": "show", "update": "edit", "remove": "remove", "import": "import",
        ]
        static var written: (any ParsableCommand.Type)? { SightCommand.self }
    }
    enum Trips: Noun {
        static let name = "trips"
        static let abstract = "Recorded trips: where devices have been, when, and how far."
        static let examples = [
            "waymark trip list --from 7d",
            "waymark trip show last",
            "waymark trip current",
        ]
        static let covered = [
            "list": "list", "get": "show", "trace": "export", "export": "export", "remove": "remove",
            "import": "import", "merge": "merge", "split": "split", "edit": "edit", "undo": "undo",
            "recompute": "recompute",
        ]
        static var written: (any ParsableCommand.Type)? { TripCommand.self }
    }
    enum Places: Noun {
        static let name = "places"
        static let abstract = "Places by name: towns of a gazetteer, sights, and locations of your plans."
        static let examples = [
            "waymark place search wester"
        ]
        static let covered = ["search": "search", "at": "at", "import": "import"]
        static var written: (any ParsableCommand.Type)? { PlaceCommand.self }
    }

    #if !Companion
    static let all: [any Noun.Type] = [Devices.self, Anchors.self, Sights.self, Trips.self, Places.self]
    #endif

    /// The commands of the groups without handwritten verbs.
    static let commands: [any ParsableCommand.Type] = all.filter { $0.written == nil }.map { command(of: $0) }

    private static func command<Group: Noun>(of group: Group.Type) -> any ParsableCommand.Type {
        NounCommand<Group>.self
    }
}
