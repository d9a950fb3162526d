import ArgumentParser
import Geodesy
import RPC
import Sights

/// The command `waymark sight`, for the sights of a daemon or a store.
struct SightCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sight",
        abstract: "Add, list, show, edit, remove, import and export sights, and make corridors of trips.",
        subcommands: [
            Add.self, List.self, Show.self, Edit.self, Remove.self, Import.self, Export.self, Corridor.self,
        ])

    /// The options `--text` and `--category`, which choose sights.
    struct Filter: ParsableArguments {
        @Option(help: ArgumentHelp("Only sights with all these words; the last may be incomplete.", valueName: "text"))
        var text: String?

        @Option(help: ArgumentHelp("Only sights of this category.", valueName: "name"))
        var category: String?

        var parameters: JSONObject {
            JSONObject(present: ["text": text.map { .string($0) }, "category": category.map { .string($0) }])
        }
    }

    /// The command `waymark sight list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists sights in the order in which they were added, or with a text, the best matches first.",
            examples: [
                "waymark sight list --text kerk",
                "waymark sight list --bbox 4.88,52.36,4.92,52.38",
            ])

        @OptionGroup var source: SourceOptions
        @OptionGroup var filter: Filter

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Only sights in this window, in degrees; W above E crosses the 180th meridian.", valueName: "W,S,E,N"))
        var bbox: Window?

        @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of sights.", valueName: "N"))
        var limit: Int?

        @Flag(help: "Print one JSON object per sight.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() async throws {
            var parameters = filter.parameters
            parameters["bbox"] = bbox.map { .array($0.sides.map { .number($0) }) }
            try await Failure.printing { output in
                var table = TextTable(["id", "title", "place", "radius", "category"], details: [2])
                try await source.ask { responder in
                    try await responder.forEachPage(
                        of: "sights.list", "sights", parameters, limit: limit
                    ) { sights in
                        for sight in sights {
                            if json {
                                try output.line(sight.line)
                            } else if let sight = Sight(sight) {
                                table.add(sight.cells)
                            }
                        }
                    }
                }
                guard !json else { return }
                try output.table(table)
                if table.isEmpty {
                    let isChosen = parameters.count > 0
                    Failure.note(
                        isChosen
                            ? "There is no such sight." : "There are no sights yet; \"waymark sight add\" adds one.")
                }
            }
        }
    }

    /// The command `waymark sight show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one sight with all its properties.", aliases: ["get"],
            examples: [
                "waymark sight show old-mill"
            ])

        @Argument(help: ArgumentHelp("The sight, as sight list prints it.", valueName: "id"))
        var id: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let answer = try await source.ask { try await $0.call("sights.get", about: "sight", id) }
                guard !json else { return try output.line(answer.line) }
                for line in Sight(answer)?.lines ?? [] { try output.line(line, hanging: Sight.textColumn) }
            }
        }
    }
}

/// The options for reading files of sights.
struct SightReadingOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The radius in metres of sights without one, half the width of corridors. Above 0.", valueName: "M"))
    var radius: QuantityArgument?

    @Flag(help: "Close open rings, and take polygons whose edges cross by the even-odd rule.")
    var repair = false

    func validate() throws {
        guard radius.map({ $0.value > 0 }) ?? true else { throw ValidationError("--radius must be above 0.") }
    }

    var options: SightFile.Options {
        SightFile.Options(radius: radius.map { .meters($0.value) }, repair: repair)
    }
}

/// A window of the map as four numbers: west, south, east and north, in degrees.
///
/// The method checks their values.
struct Window: ExpressibleByArgument {
    let sides: [Double]

    init?(argument: String) {
        let sides = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard sides.count == 4, sides.allSatisfy({ $0?.isFinite ?? false }) else { return nil }
        self.sides = sides.compactMap(\.self)
    }
}

extension StandardOutput {
    /// Prints a sight from an answer, as a line.
    func sight(_ answer: JSONValue, json: Bool) throws {
        if json {
            try line(answer.line)
        } else if let sight = Sight(answer) {
            try line(sight.text)
        }
    }
}
