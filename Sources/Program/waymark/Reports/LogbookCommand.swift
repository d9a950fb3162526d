#if Companion
import ArgumentParser
import Geodesy
import Interchange
import RPC
import TextCoding
import Time

/// The command `waymark logbook`, for what trips were for and who drove.
struct LogbookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logbook", abstract: "List the driver's logbook, and say what a trip was for.",
        subcommands: [List.self, Set.self])

    /// The command `waymark logbook list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists trips that have ended with their purposes, the newest last.",
            examples: [
                "waymark logbook list --from 30d",
                "waymark logbook list --device van --csv",
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

        @Flag(help: "Print CSV.")
        var csv = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
            guard !(json && csv) else { throw ValidationError("Give either --json or --csv, not both.") }
        }

        func run() async throws {
            try await Failure.printing { output in
                var trips: [JSONValue] = []
                var parameters = times.parameters(by: clock.clock)
                parameters["device"] = device.map { .string($0) }
                try await source.ask { [parameters] responder in
                    try await responder.forEachPage(of: "logbook.list", "trips", parameters, limit: limit) {
                        trips.append(contentsOf: $0)
                    }
                }
                // The newest trip comes first in the answers.
                trips.reverse()
                if json { return try trips.forEach { try output.line($0.line) } }
                if csv { return try output.raw(LogbookView.csv(trips, by: clock.clock)) }
                try output.table(LogbookView.table(trips, by: clock.clock))
                if trips.isEmpty { Failure.note("No trip has ended in that time.") }
            }
        }
    }

    /// The command `waymark logbook set`.
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Says what trips were for, and who drove.",
            discussion: "What is not given stays as it is. An empty text removes a reason or a driver.",
            examples: [
                #"waymark logbook set last --purpose business --reason "Visit to Bally" --driver Ada"#,
                "waymark logbook set last --purpose private",
            ])

        /// A purpose, or none.
        enum Purpose: String, ExpressibleByArgument, CaseIterable {
            case business
            case personal = "private"
            case commute
            case none
        }

        @Argument(
            help: ArgumentHelp("The trips: ids or numbers, as trip list prints them, or last.", valueName: "trip"))
        var ids: [String]

        @Option(help: "The purpose; none removes it.")
        var purpose: Purpose?

        @Option(help: ArgumentHelp("The purpose in words, such as the name of a customer.", valueName: "text"))
        var reason: String?

        @Option(help: ArgumentHelp("The name of the driver.", valueName: "name"))
        var driver: String?

        @OptionGroup var clock: ClockOption
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per trip.")
        var json = false

        func validate() throws {
            guard purpose != nil || reason != nil || driver != nil else {
                throw ValidationError("Give --purpose, --reason or --driver.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                let entry = JSONObject(present: [
                    "purpose": purpose.map { .string($0.rawValue) }, "reason": reason.map { .string($0) },
                    "driver": driver.map { .string($0) },
                ])
                let trips = try await source.change { responder in
                    var trips: [JSONValue] = []
                    for id in try await responder.trips(ids, isOver: true) {
                        var parameters = entry
                        parameters["id"] = .string(id)
                        trips.append(try await responder.call("logbook.set", parameters))
                    }
                    return trips
                }
                if json { return try trips.forEach { try output.line($0.line) } }
                try output.table(LogbookView.table(trips, by: clock.clock))
            }
        }
    }
}

/// The trips of a logbook as texts.
enum LogbookView {
    /// Returns a table of trips.
    static func table(_ trips: [JSONValue], by clock: DisplayClock) -> TextTable {
        let headings = ["began", "device", "length", "purpose", "reason", "driver", "from", "to"]
        var table = TextTable(headings, details: [6, 7])
        for trip in trips {
            func text(_ name: String) -> TextTable.Cell { .text(trip.text(name) ?? "") }
            let length = trip.number("distance").map { EventFormatter.length(.meters($0)) } ?? ""
            table.add([
                .number(trip.time("start").map(clock.minute) ?? ""), text("device"), .number(length), text("purpose"),
                text("reason"), text("driver"), text("from"), text("to"),
            ])
        }
        return table
    }

    /// Returns the text of a CSV file, with times by a clock.
    static func csv(_ trips: [JSONValue], by clock: DisplayClock) -> [UInt8] {
        var bytes: [UInt8] = []
        let texts = ["from", "to", "purpose", "reason", "driver"]
        CSVWriter.append(["device", "start", "end", "distance_m"] + texts + ["trip"], to: &bytes)
        for trip in trips {
            let times = ["start", "end"].map { trip.time($0).map(clock.second) ?? "" }
            let distance = trip.number("distance").map { DecimalText.string($0, decimals: 1) } ?? ""
            var row = [trip.text("device") ?? ""]
            row.append(contentsOf: times)
            row.append(distance)
            row.append(contentsOf: texts.map { trip.text($0) ?? "" })
            row.append(trip.text("id") ?? "")
            CSVWriter.append(row, to: &bytes)
        }
        return bytes
    }
}
#endif
