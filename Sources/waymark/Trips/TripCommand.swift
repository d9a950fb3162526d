import ArgumentParser
import RPC
import Tracking

/// `waymark trip`: the recorded trips of a daemon or a store.
struct TripCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip", abstract: "List, show, change, export, remove and import recorded trips.",
        subcommands: [
            List.self, Show.self, Export.self, Remove.self, Import.self, Merge.self, Split.self, Edit.self, Undo.self,
            Recompute.self,
        ])

    /// `waymark trip list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List recorded trips, the newest last.")

        @Option(help: ArgumentHelp("Only those of this device.", valueName: "name"))
        var device: String?

        @Option(help: ArgumentHelp("The newest so many.", valueName: "N"))
        var limit: Int?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object a trip.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() async throws {
            try await Failure.printing { output in
                var trips: [JSONValue] = []
                try await source.ask { responder in
                    let parameters = JSONObject(present: ["device": device.map { .string($0) }])
                    try await responder.forEachPage(of: "trips.list", "trips", parameters, limit: limit) {
                        trips += $0
                    }
                }
                // They come newest first.
                for trip in trips.reversed() {
                    if json {
                        try output.line(trip.line)
                    } else if let view = TripView(trip) {
                        try output.line(view.line)
                    }
                }
            }
        }
    }

    /// `waymark trip show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one trip with its stops.")

        @Argument(help: ArgumentHelp("The trip, as trip list prints it.", valueName: "id"))
        var id: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let trip = try await source.ask { try await $0.call("trips.get", about: "trip", id) }
                guard !json else { return try output.line(trip.line) }
                for line in TripView(trip)?.lines ?? [] { try output.line(line) }
            }
        }
    }

    /// `waymark trip remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove trips with their points.")

        @Argument(help: ArgumentHelp("The trips, as trip list prints them.", valueName: "id"))
        var ids: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object a trip.")
        var json = false

        func run() async throws {
            try await source.remove("trip", ids, if: consent, json: json) { trip, id in
                id + (TripView(trip).map { ", \(EventLines.length($0.summary.distance))" } ?? "")
            }
        }
    }
}
