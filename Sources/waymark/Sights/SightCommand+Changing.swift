import ArgumentParser
import Geodesy
import RPC

/// The options for the properties of a sight.
private struct SightFields: ParsableArguments {
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Where it is, in degrees.", valueName: "LAT,LON"))
    var at: Coordinate?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How near is near, in metres; 100 for a new one. Above 0.", valueName: "M"))
    var radius: Amount?

    @Option(help: ArgumentHelp("What kind of place it is; an empty text for none.", valueName: "name"))
    var category: String?

    @Option(help: ArgumentHelp("What there is to know about it; a new one needs it.", valueName: "text"))
    var description: String?

    func validate() throws {
        if let radius, radius.value <= 0 { throw ValidationError("--radius must be above 0.") }
    }

    var parameters: JSONObject {
        JSONObject(present: [
            "lat": at.map { .number($0.latitude) }, "lon": at.map { .number($0.longitude) },
            "radius": radius.map { .number($0.value) }, "category": category.map { .string($0) },
            "description": description.map { .string($0) },
        ])
    }
}

extension SightCommand {
    /// The command `waymark sight add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a sight, at a place or where a device is.",
            discussion: "With --at it is asked whether that is meant.",
            examples: [
                #"waymark sight add "Good parking" --description "Flat and quiet.""#,
                """
                waymark sight add "Old mill" --at 52.3861,4.8711 --radius 50 \\
                    --description "It turns on Sundays." --yes
                """,
            ])

        @Argument(help: ArgumentHelp("What people call it.", valueName: "title"))
        var title: String

        @OptionGroup fileprivate var fields: SightFields

        @Option(
            help: ArgumentHelp(
                "The device that is there, instead of --at; the primary one if both are left out.", valueName: "name"))
        var device: String?

        @Option(help: ArgumentHelp("A new id; made from the title if left out.", valueName: "id"))
        var id: String?

        @Flag(help: "Do it without asking.")
        var yes = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the sight as JSON.")
        var json = false

        func validate() throws {
            guard fields.at == nil || device == nil else {
                throw ValidationError("--at says where it is and --device too: give one of them.")
            }
            guard fields.description != nil else {
                throw ValidationError("Say what there is to know about it: --description.")
            }
        }

        /// The consent needed if the place is given by `--at`.
        private var consent: Consent {
            var consent = Consent()
            consent.yes = yes
            return consent
        }

        func run() async throws {
            var parameters = fields.parameters
            parameters["title"] = .string(title)
            parameters["device"] = device.map { .string($0) }
            parameters["id"] = id.map { .string($0) }
            if let place = fields.at {
                try consent.check()
                guard consent.isGiven(for: "Add the sight \(title) at \(EventLines.place(place))?") else { return }
            }
            try await Failure.printing { output in
                let sight = try await source.change(makesStore: true) {
                    try await $0.call("sights.add", parameters)
                }
                try output.sight(sight, json: json)
            }
        }
    }

    /// The command `waymark sight edit`.
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Change what is given of a sight; the rest stays.", aliases: ["update"],
            examples: [
                "waymark sight edit old-mill --radius 80"
            ])

        @Argument(help: ArgumentHelp("The sight, as sight list prints it.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("What people call it.", valueName: "text"))
        var title: String?

        @OptionGroup fileprivate var fields: SightFields
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the sight as JSON.")
        var json = false

        func validate() throws {
            guard parameters.count > 0 else {
                throw ValidationError("Say what to change: --title, --at, --radius, --category or --description.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                let sight = try await source.change {
                    try await $0.call("sights.update", about: "sight", id, parameters)
                }
                try output.sight(sight, json: json)
            }
        }

        private var parameters: JSONObject {
            var parameters = fields.parameters
            parameters["title"] = title.map { .string($0) }
            return parameters
        }
    }

    /// The command `waymark sight remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove sights; who is inside leaves them at the next fix.",
            examples: [
                "waymark sight remove old-mill --yes"
            ])

        @Argument(help: ArgumentHelp("The sights, as sight list prints them.", valueName: "id"))
        var ids: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object a sight.")
        var json = false

        func run() async throws {
            try await source.remove("sight", ids, if: consent, json: json) { "\($0.text("title") ?? "") (\($1))" }
        }
    }
}
