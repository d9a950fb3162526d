import ArgumentParser
import Positioning
import RPC

extension TripCommand {
    /// The command `waymark trip merge`.
    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge", abstract: "Merges two trips that follow each other into one.",
            discussion:
                "The earlier trip keeps its id. No recorded point is changed; \"trip undo\" separates them again.",
            examples: [
                "waymark trip merge 2 1"
            ])

        @Argument(
            help: ArgumentHelp("One trip: its id or number, as trip list prints it, or last.", valueName: "trip"))
        var id: String

        @Argument(help: ArgumentHelp("The other trip.", valueName: "trip"))
        var other: String

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.edit("trips.merge", id, with: other) { _ in [:] } }
    }

    /// The command `waymark trip split`.
    struct Split: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "split", abstract: "Splits a trip into two.",
            discussion: "No recorded point is changed; \"trip undo\" joins them again.",
            examples: [
                "waymark trip split last --at 2026-05-02T13:40:00Z"
            ])

        @Argument(help: ArgumentHelp("The trip: its id or number, as trip list prints it, or last.", valueName: "trip"))
        var id: String

        @Option(
            help: ArgumentHelp(
                "The new trip gets the points after this time, such as 2026-05-01T10:00:00Z.", valueName: "time"))
        var at: TimeArgument

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.edit("trips.split", id) { ["at": at.json(by: $0)] } }
    }

    /// The command `waymark trip edit`.
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Removes an outlier, or the points of a span of time, from a trip.",
            discussion: "The recorded points are kept; \"trip undo\" shows them again.",
            examples: [
                """
                waymark trip edit last --remove-from 2026-05-02T13:41:00Z \\
                    --remove-until 2026-05-02T13:42:00Z
                """
            ])

        @Argument(help: ArgumentHelp("The trip: its id or number, as trip list prints it, or last.", valueName: "trip"))
        var id: String

        @Option(help: ArgumentHelp("The beginning of the span to remove, which becomes a gap.", valueName: "time"))
        var removeFrom: TimeArgument?

        @Option(help: ArgumentHelp("The end of the span to remove.", valueName: "time"))
        var removeUntil: TimeArgument?

        @Option(help: ArgumentHelp("The time of an outlier; the points next to it are connected.", valueName: "time"))
        var removePoint: TimeArgument?

        @OptionGroup var options: TripEditOptions

        func validate() throws {
            guard (removeFrom == nil) == (removeUntil == nil), (removeFrom == nil) != (removePoint == nil) else {
                throw ValidationError("Give --remove-from with --remove-until, or --remove-point.")
            }
        }

        func run() async throws {
            try await options.edit("trips.edit", id) { clock in
                [
                    "remove_from": removeFrom?.json(by: clock), "remove_until": removeUntil?.json(by: clock),
                    "remove_point": removePoint?.json(by: clock),
                ]
            }
        }
    }

    /// The command `waymark trip remove-stop`.
    struct RemoveStop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-stop", abstract: "Removes a stop that never was.",
            discussion: """
                A receiver with a wrong date can leave a stop of years. The figures of the trips that count the stop \
                are computed again; "trip undo" of such a trip brings it back. A stop that no trip counts is gone for \
                good. The events stay in the log.
                """,
            examples: [
                "waymark trip remove-stop boat@2026-05-02T13:31:10.000Z"
            ])

        @Argument(
            help: ArgumentHelp(
                "The stop: its id, as \"trip show --json\" and \"events --type stop.end --json\" print it.",
                valueName: "stop"))
        var id: String

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.removeStop(id) }
    }

    /// The command `waymark trip undo`.
    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo", abstract: "Undos the latest merge, split, edit or recompute of a trip.",
            discussion: "Run it again to undo the change before that.",
            examples: [
                "waymark trip undo last"
            ])

        @Argument(help: ArgumentHelp("The trip: its id or number, as trip list prints it, or last.", valueName: "trip"))
        var id: String

        @OptionGroup var options: TripEditOptions

        func run() async throws { try await options.edit("trips.undo", id) { _ in [:] } }
    }
}

/// The options of the commands that change a trip.
struct TripEditOptions: ParsableArguments {
    @OptionGroup var clock: ClockOption
    @OptionGroup var source: SourceOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    /// Changes a trip with a method, and prints the result.
    ///
    /// - Parameters:
    ///   - name: The trip's id or number, or `last`.
    ///   - other: Another trip, which the method takes as `with`.
    ///   - parameters: Returns the other parameters, with times by a clock; `nil` values are left out.
    func edit(
        _ method: String, _ name: String, with other: String? = nil,
        _ parameters: (DisplayClock) -> KeyValuePairs<String, JSONValue?>
    ) async throws {
        let given = JSONObject(present: parameters(clock.clock))
        try await change { responder in
            var parameters = given
            parameters["id"] = .string(try await responder.trip(name))
            if let other { parameters["with"] = .string(try await responder.trip(other)) }
            return try await responder.call(method, parameters)
        }
    }

    /// Removes a stop, and prints the trips that counted it.
    func removeStop(_ id: String) async throws {
        try await change(done: "Removed the stop \(EventFormatter.printable(id)).") { responder in
            try await responder.call("stops.remove", ["id": .string(id)])
        }
    }

    private func change(
        done: String? = nil, _ call: (any Responder) async throws -> JSONValue
    ) async throws {
        try await Failure.printing { output in
            let answer = try await source.change(call)
            guard !json else { return try output.line(answer.line) }
            if let done { try output.line(done) }
            for trip in answer.elements("trips") { if let view = TripView(trip) { try output.line(view.line) } }
            for gone in answer.elements("gone") {
                guard let id = String(json: gone) else { continue }
                try output.line("\(EventFormatter.printable(id)) is now part of another trip")
            }
        }
    }
}
