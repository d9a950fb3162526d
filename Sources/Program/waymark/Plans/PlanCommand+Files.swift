#if Companion
import ArgumentParser
import RPC

extension PlanCommand {
    /// The command `waymark plan import`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Adds locations from GPX waypoints, or from KML or GeoJSON points.",
            discussion: "The command adds either all of them, after the existing locations, or none.",
            examples: [
                #"waymark plan import "Canals by van" places.gpx"#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
        var file: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let read = try LocationFile(path: file)
                let (whole, answer): (JSONValue, JSONValue) = try await source.change { responder in
                    let plan = try await responder.plan(self.plan)
                    return (
                        plan,
                        try await responder.call(
                            "locations.import",
                            ["plan": plan["id"] ?? .null, "locations": .array(read.places.map(\.json))])
                    )
                }
                guard !json else { return try output.line(answer.line) }
                let count = answer.elements("locations").count
                let others =
                    switch read.others {
                    case 0: ""
                    case 1: "; 1 other item in the file is not a point"
                    default: "; \(read.others) other items in the file are not points"
                    }
                try output.line(
                    "\(count == 1 ? "1 location" : "\(count) locations") added to \(whole.text("title") ?? "")\(others)"
                )
            }
        }
    }

    /// The command `waymark plan export`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Exports a plan as a calendar, its locations, or its expenses.",
            discussion: "ics is a calendar, gpx the locations as waypoints, csv the expenses as a table.",
            examples: [
                #"waymark plan export "Canals by van" -o canals.ics"#,
                #"waymark plan export "Canals by van" --format csv -o expenses.csv"#,
            ])

        /// The format of an export.
        enum Format: String, ExpressibleByArgument, CaseIterable {
            case ics, gpx, csv
        }

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Option(help: ArgumentHelp("The format: ics, gpx or csv.", valueName: "format"))
        var format: Format = .ics

        @Option(
            name: .shortAndLong, help: ArgumentHelp("The file to write, instead of standard output.", valueName: "file")
        )
        var output: String?

        @OptionGroup var source: SourceOptions

        func run() async throws {
            try await Failure.printing { standardOutput in
                try await source.ask { responder in
                    let id = try await responder.plan(self.plan)["id"] ?? .null
                    try await OutputFile.write(to: output, or: standardOutput) { write in
                        var parameters: JSONObject = ["plan": id]
                        switch format {
                        case .ics:
                            let text = try await responder.call("plans.calendar", parameters).text("calendar")
                            try write(Array((text ?? "").utf8))
                        case .gpx:
                            let text = try await responder.call("plans.gpx", parameters).text("gpx")
                            try write(Array((text ?? "").utf8))
                        case .csv:
                            while true {
                                let piece = try await responder.call("expenses.csv", parameters)
                                try write(Array((piece.text("text") ?? "").utf8))
                                guard let next = piece["next"] else { break }
                                parameters["after"] = next
                            }
                        }
                    }
                }
            }
        }
    }
}
#endif
