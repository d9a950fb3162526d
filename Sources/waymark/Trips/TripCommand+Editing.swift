import ArgumentParser
import Positioning
import RPC

extension TripCommand {
    /// `waymark trip merge`.
    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge", abstract: "Make one trip of two that follow each other.",
            discussion: "The one that came first keeps its id. No recorded point is changed; trip undo makes two of it."
        )

        @Argument(help: ArgumentHelp("The one trip, as trip list prints it.", valueName: "id"))
        var id: String

        @Argument(help: ArgumentHelp("The other trip.", valueName: "id"))
        var other: String

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.edit("trips.merge", id, ["with": .string(other)]) }
    }

    /// `waymark trip split`.
    struct Split: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "split", abstract: "Make two trips of one.",
            discussion: "No recorded point is changed; trip undo makes one of them.")

        @Argument(help: ArgumentHelp("The trip, as trip list prints it.", valueName: "id"))
        var id: String

        @Option(
            help: ArgumentHelp(
                "The new trip has the points after this, such as 2026-05-01T10:00:00Z.", valueName: "time"))
        var at: Moment

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.edit("trips.split", id, ["at": at.json]) }
    }

    /// `waymark trip edit`.
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Remove a wild point, or the points of a time, from a trip.",
            discussion: "The recorded points are kept; trip undo shows them again.")

        @Argument(help: ArgumentHelp("The trip, as trip list prints it.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("The first moment of what is removed; it becomes a gap.", valueName: "time"))
        var removeFrom: Moment?

        @Option(help: ArgumentHelp("The last moment of what is removed.", valueName: "time"))
        var removeUntil: Moment?

        @Option(help: ArgumentHelp("The time of a wild point; those beside it are joined.", valueName: "time"))
        var removePoint: Moment?

        @OptionGroup var options: TripEditOptions

        func validate() throws {
            guard (removeFrom == nil) == (removeUntil == nil), (removeFrom == nil) != (removePoint == nil) else {
                throw ValidationError("Give --remove-from with --remove-until, or --remove-point.")
            }
        }

        func run() async throws {
            try await options.edit(
                "trips.edit", id,
                JSONObject(present: [
                    "remove_from": removeFrom?.json, "remove_until": removeUntil?.json,
                    "remove_point": removePoint?.json,
                ]))
        }
    }

    /// `waymark trip undo`.
    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo", abstract: "Undo the latest merge, split, edit or recompute of a trip.",
            discussion: "Once more undoes the one before it.")

        @Argument(help: ArgumentHelp("The trip, as trip list prints it.", valueName: "id"))
        var id: String

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.edit("trips.undo", id, [:]) }
    }
}

/// Where a trip is changed, and how what became of it is printed.
struct TripEditOptions: ParsableArguments {
    @OptionGroup var source: SourceOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    /// Changes a trip by a method, and prints what became of it.
    func edit(_ method: String, _ id: String, _ parameters: JSONObject) async throws {
        try await Failure.printing { output in
            var parameters = parameters
            parameters["id"] = .string(id)
            let answer = try await source.change { [parameters] in try await $0.call(method, parameters) }
            guard !json else { return try output.line(answer.line) }
            for trip in answer.elements("trips") { if let view = TripView(trip) { try output.line(view.line) } }
            for gone in answer.elements("gone") {
                guard let id = String(json: gone) else { continue }
                try output.line("\(EventLines.printable(id)) is part of another")
            }
        }
    }
}
