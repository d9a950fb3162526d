import ArgumentParser
import RPC
import Tracking

/// The command `waymark trip`, for the recorded trips of a daemon or a store.
struct TripCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip", abstract: "List, show, change, export, remove and import recorded trips.",
        subcommands: [
            List.self, Show.self, Export.self, Remove.self, Import.self, Merge.self, Split.self, Edit.self,
            RemoveStop.self, Undo.self, Recompute.self,
        ])

    /// The command `waymark trip list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists recorded trips, the newest last.",
            discussion: """
                At a terminal, each trip has a number, which other commands accept too: 1 is the newest. In a pipe, the \
                id comes first, and tabs separate the columns.
                """,
            examples: [
                "waymark trip list --from 7d",
                "waymark trip list --from 2026-05-01 --to 2026-05-08",
            ])

        @Option(help: ArgumentHelp("Only trips of this device.", valueName: "name"))
        var device: String?

        @OptionGroup var times: TimeOptions

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The maximum number of trips; the newest are listed.", valueName: "N"))
        var limit: Int?

        @OptionGroup var clock: ClockOption
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per trip.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() async throws {
            try await Failure.printing { output in
                var trips: [(number: Int, trip: JSONValue)] = []
                let isNumbered = !json && StandardOutput.terminalWidth != nil
                try await source.ask { responder in
                    // The numbers count all trips, including those that are not shown.
                    let isCounted = isNumbered && (device != nil || !times.isEmpty)
                    var parameters = times.parameters(by: clock.clock)
                    parameters["device"] = device.map { .string($0) }
                    var number = 0
                    let (from, to) = (times.from?.time(by: clock.clock), times.to?.time(by: clock.clock))
                    try await responder.forEachPage(
                        of: "trips.list", "trips", isCounted ? [:] : parameters, limit: isCounted ? nil : limit
                    ) { page in
                        for trip in page {
                            number += 1
                            if isCounted {
                                guard let start = trip.time("start"), from.map({ start >= $0 }) ?? true,
                                    to.map({ start < $0 }) ?? true, device.map({ $0 == trip.text("device") }) ?? true,
                                    trips.count < limit ?? .max
                                else { continue }
                            }
                            trips.append((number, trip))
                        }
                    }
                }
                // The newest trip comes first in the answers.
                trips.reverse()
                guard !json else { return try trips.forEach { try output.line($0.trip.line) } }
                try output.table(TripTable(trips, clock: clock.clock, isNumbered: isNumbered).table)
                if trips.isEmpty {
                    let isChosen = device != nil || !times.isEmpty
                    Failure.note(isChosen ? "There is no such trip." : "There are no trips yet.")
                }
            }
        }
    }

    /// The command `waymark trip show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one trip with its stops.",
            examples: [
                "waymark trip show last"
            ])

        @Argument(help: ArgumentHelp("The trip: its id or number, as trip list prints it, or last.", valueName: "trip"))
        var id: String

        @OptionGroup var clock: ClockOption
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let trip = try await source.ask { responder in
                    try await responder.call("trips.get", about: "trip", responder.trip(id))
                }
                guard !json else { return try output.line(trip.line) }
                for line in TripView(trip)?.lines(by: clock.clock) ?? [] { try output.line(line) }
            }
        }
    }

    /// The command `waymark trip remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes trips with their points.",
            examples: [
                "waymark trip remove last --yes"
            ])

        @Argument(
            help: ArgumentHelp("The trips: ids or numbers, as trip list prints them, or last.", valueName: "trip"))
        var ids: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per trip.")
        var json = false

        func run() async throws {
            // All trips are found before one is removed, because that changes the numbers of the others.
            try await source.remove("trip", ids, if: consent, json: json, found: { try await $0.trips($1) }) {
                trip, id in
                id + (TripView(trip).map { ", \(EventFormatter.length($0.summary.distance))" } ?? "")
            }
        }
    }
}
