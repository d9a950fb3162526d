import ArgumentParser
import Geodesy
import RPC

/// The options for the properties of a sight.
private struct SightFields: ParsableArguments {
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The position, in degrees.", valueName: "LAT,LON"))
    var at: Coordinate?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The radius in metres, 100 by default for a new sight. Above 0.", valueName: "M"))
    var radius: QuantityArgument?

    @Option(help: ArgumentHelp("The category; an empty text for none.", valueName: "name"))
    var category: String?

    @Option(
        help: ArgumentHelp("The description, which people must give; an empty text for none.", valueName: "text"))
    var description: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The speed in km/h above which a device inside is reported; 0 for none.", valueName: "KMH"))
    var speedLimit: QuantityArgument?

    @Option(
        help: ArgumentHelp(
            "Watch the sight only at these hours, such as \"Mo-Fr 08:00-17:00\"; an empty text for always.",
            valueName: "hours"))
    var active: String?

    @Option(
        help: ArgumentHelp("The time zone of these hours, by default that of the nearest town.", valueName: "zone"))
    var zone: String?

    @Option(
        help: ArgumentHelp(
            "Watch the sight only for this device. Repeatable; an empty name for all devices.", valueName: "device"))
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Watch the sight only for the devices of this group. Repeatable; an empty id for none.",
            valueName: "group"))
    var onlyGroup: [String] = []

    func validate() throws {
        if let radius, radius.value <= 0 { throw ValidationError("--radius must be above 0.") }
    }

    /// The kilometres an hour in a metre a second.
    private static let kilometersPerHour = 3.6

    var parameters: JSONObject {
        JSONObject(present: [
            "lat": at.map { .number($0.latitude) }, "lon": at.map { .number($0.longitude) },
            "radius": radius.map { .number($0.value) }, "category": category.map { .string($0) },
            "description": description.map { .string($0) },
            "speed_limit": speedLimit.map { .number($0.value / Self.kilometersPerHour) },
            "active": active.map { .string($0) }, "zone": zone.map { .string($0) },
            "devices": only.isEmpty ? nil : .array(only.filter { !$0.isEmpty }.map { .string($0) }),
            "groups": onlyGroup.isEmpty ? nil : .array(onlyGroup.filter { !$0.isEmpty }.map { .string($0) }),
        ])
    }
}

extension SightCommand {
    /// The command `waymark sight add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds a sight at a position, or where a device is.",
            discussion: "With --at, the command asks for confirmation.",
            examples: [
                #"waymark sight add "Good parking" --description "Flat and quiet.""#,
                """
                waymark sight add "Old mill" --at 52.3861,4.8711 --radius 50 \\
                    --description "It turns on Sundays." --yes
                """,
            ])

        @Argument(help: ArgumentHelp("The title.", valueName: "title"))
        var title: String

        @OptionGroup fileprivate var fields: SightFields

        @Option(
            help: ArgumentHelp(
                "The device whose position to use, instead of --at; by default the primary one.", valueName: "name"))
        var device: String?

        @Option(help: ArgumentHelp("The new id, by default made from the title.", valueName: "id"))
        var id: String?

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the sight as JSON.")
        var json = false

        func validate() throws {
            guard fields.at == nil || device == nil else {
                throw ValidationError("Give either --at or --device, not both.")
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
                guard consent.isGiven(for: "Add the sight \(title) at \(EventFormatter.place(place))?") else { return }
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
            commandName: "edit", abstract: "Changes some properties of a sight; the others stay.", aliases: ["update"],
            examples: [
                "waymark sight edit old-mill --radius 80",
                "waymark sight edit old-mill --speed-limit 30 --only van",
                "waymark sight edit old-mill --active \"Mo-Fr 08:00-17:00\" --zone Europe/Amsterdam",
            ])

        @Argument(help: ArgumentHelp("The sight, as sight list prints it.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("The title.", valueName: "text"))
        var title: String?

        @OptionGroup fileprivate var fields: SightFields
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the sight as JSON.")
        var json = false

        func validate() throws {
            guard parameters.count > 0 else {
                throw ValidationError(
                    "Say what to change: --title, --at, --radius, --category, --description, --speed-limit, --active or --only."
                )
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
            commandName: "remove", abstract: "Removes sights; devices inside leave them at the next fix.",
            examples: [
                "waymark sight remove old-mill --yes"
            ])

        @Argument(help: ArgumentHelp("The sights, as sight list prints them.", valueName: "id"))
        var ids: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per sight.")
        var json = false

        func run() async throws {
            try await source.remove("sight", ids, if: consent, json: json) { "\($0.text("title") ?? "") (\($1))" }
        }
    }
}
