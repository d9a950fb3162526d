import ArgumentParser
import Geodesy
import RPC
import Sights

extension SightCommand {
    /// The command `waymark sight corridor`.
    struct Corridor: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "corridor", abstract: "Makes a sight of the way of a recorded trip.",
            discussion: """
                Whoever goes the same way is inside, and whoever leaves it causes an exit. Where the way of the trip is \
                unknown, the corridor has a gap.
                """,
            examples: [
                "waymark sight corridor last --width 200 --title \"Way to work\" --description \"Through the park.\""
            ])

        @Argument(help: ArgumentHelp("The trip: its id or number, as trip list prints it, or last.", valueName: "trip"))
        var trip: String

        @Option(
            parsing: .unconditional, help: ArgumentHelp("The whole width in metres. Above 0.", valueName: "M"))
        var width: QuantityArgument

        @Option(help: ArgumentHelp("The title, by default the trip's id.", valueName: "text"))
        var title: String?

        @Option(help: ArgumentHelp("The new id, by default made from the title.", valueName: "id"))
        var id: String?

        @Option(help: ArgumentHelp("The category.", valueName: "name"))
        var category: String?

        @Option(help: ArgumentHelp("The description, which people must give.", valueName: "text"))
        var description: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the sight as JSON.")
        var json = false

        /// The part of half the width by which the line may depart from the trip, so that it has few positions.
        private static let toleranceShare = 0.1

        func validate() throws {
            guard width.value > 0 else { throw ValidationError("--width must be above 0.") }
        }

        func run() async throws {
            let radius = width.value / 2
            try await Failure.printing { output in
                let sight = try await source.change { responder in
                    let trip = try await responder.trip(trip, isOver: true)
                    let asked: JSONObject = [
                        "id": .string(trip), "tolerance": .number(min(radius * Self.toleranceShare, 100)),
                    ]
                    var way = Way()
                    try await responder.forEachPage(of: "trips.trace", "points", asked) { points in
                        for point in points { way.append(point) }
                    }
                    let parameters = JSONObject(present: [
                        "title": .string(title ?? trip), "shape": way.geometry, "radius": .number(radius),
                        "id": id.map { .string($0) }, "category": category.map { .string($0) },
                        "description": description.map { .string($0) },
                    ])
                    return try await responder.call("sights.add", parameters)
                }
                try output.sight(sight, json: json)
            }
        }
    }
}

/// The lines of a trip, with a new one behind each gap.
private struct Way {
    private var ended: [JSONValue] = []
    private var line: [JSONValue] = []

    mutating func append(_ point: JSONValue) {
        guard let place = point.place else { return }
        if point.flag("gap") == true { end() }
        line.append(.array([.number(place.longitude), .number(place.latitude)]))
    }

    private mutating func end() {
        if line.count > 1 { ended.append(.array(line)) }
        line = []
    }

    /// The lines as a GeoJSON geometry.
    var geometry: JSONValue {
        var whole = self
        whole.end()
        return ["type": "MultiLineString", "coordinates": .array(whole.ended)]
    }
}
