#if Companion
import ArgumentParser
import RPC

/// The options for the time of something planned.
struct PlannedSpanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("When it begins: a day, or a local time such as 2026-05-01T10:00.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("When it ends.", valueName: "time"))
    var to: String?

    @Option(help: ArgumentHelp("The time zone of both, by default that of the place or the plan.", valueName: "zone"))
    var zone: String?

    var parameters: JSONObject {
        JSONObject(present: [
            "from": from.map { .string($0) }, "to": to.map { .string($0) },
            "from_zone": from == nil ? nil : zone.map { .string($0) },
            "to_zone": to == nil ? nil : zone.map { .string($0) },
        ])
    }
}

extension PlanCommand {
    /// The command `waymark plan add`.
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds a location or an activity to a plan.",
            subcommands: [Location.self, Activity.self])
    }
}

extension PlanCommand.Add {
    /// The command `waymark plan add location`.
    struct Location: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "location", abstract: "Adds a location after the others; it is watched from then on.",
            discussion: "With --place -, the place is found by the name of the location.",
            examples: [
                """
                waymark plan add location "Canals by van" "Castle of Woerden" \\
                    --at 52.085,4.8833 --from 2026-05-02T15:00
                """
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Argument(help: ArgumentHelp("The name.", valueName: "name"))
        var name: String

        @OptionGroup var place: PlaceChoice
        @OptionGroup var span: PlannedSpanOptions

        @Option(help: ArgumentHelp("The address.", valueName: "text"))
        var address: String?

        @Option(help: ArgumentHelp("The description.", valueName: "text"))
        var description: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The radius around it, in metres; 100 by default.", valueName: "M"))
        var radius: QuantityArgument?

        @Option(help: ArgumentHelp("A link to a cover picture.", valueName: "url"))
        var coverURL: String?

        @Option(help: ArgumentHelp("Who sees it: me, members, friends or everyone.", valueName: "level"))
        var level: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the location as JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let (whole, location): (JSONValue, JSONValue) = try await source.change { responder in
                    let plan = try await responder.plan(self.plan)
                    var parameters = span.parameters
                    parameters["plan"] = plan["id"]
                    parameters["name"] = .string(name)
                    parameters["address"] = address.map { .string($0) }
                    parameters["description"] = description.map { .string($0) }
                    parameters["cover_url"] = coverURL.map { .string($0) }
                    parameters["radius_m"] = radius.map { .number($0.value) }
                    parameters["level"] = level.map { .string($0) }
                    var choice = place
                    if choice.place == "-" { choice.place = name }
                    try await choice.add(to: &parameters, by: responder, near: plan)
                    return (
                        plan, try await responder.call("locations.add", parameters, options: ["radius_m": "radius"])
                    )
                }
                guard !json else { return try output.line(location.line) }
                let there = location.place.map { EventFormatter.place($0) } ?? "without a place"
                try output.line("Added \(location.text("name") ?? ""), \(there), to \(whole.text("title") ?? "").")
                for move in PlanDays.moves(in: location) { try output.line(move) }
            }
        }
    }

    /// The command `waymark plan add activity`.
    struct Activity: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "activity", abstract: "Adds an activity to a tab of a plan.",
            examples: [
                """
                waymark plan add activity "Canals by van" Pancakes --tab food \\
                    --from 2026-05-01T18:30 --booked
                """
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Argument(help: ArgumentHelp("The title.", valueName: "title"))
        var title: String

        @Option(
            help: ArgumentHelp(
                "The tab: itinerary, transport, lodging, food or places; itinerary by default.", valueName: "tab"))
        var tab: String?

        @OptionGroup var span: PlannedSpanOptions
        @OptionGroup var place: PlaceChoice

        @Option(help: ArgumentHelp("The name of the place.", valueName: "name"))
        var location: String?

        @Option(help: ArgumentHelp("The address.", valueName: "text"))
        var address: String?

        @Option(help: ArgumentHelp("The means of transport; only in the tab transport.", valueName: "text"))
        var mode: String?

        @Option(help: ArgumentHelp("Where it starts; only in the tab transport.", valueName: "text"))
        var departure: String?

        @Option(help: ArgumentHelp("Where it ends; only in the tab transport.", valueName: "text"))
        var arrival: String?

        @Option(help: ArgumentHelp("The description.", valueName: "text"))
        var description: String?

        @Option(help: ArgumentHelp("A note.", valueName: "text"))
        var note: String?

        @Option(help: ArgumentHelp("A link.", valueName: "url"))
        var url: String?

        @Flag(help: "It is booked; only members see that.")
        var booked = false

        @Option(help: ArgumentHelp("The code of the booking; only members see it.", valueName: "text"))
        var bookingCode: String?

        @Option(help: ArgumentHelp("A link to the booking; only members see it.", valueName: "url"))
        var bookingURL: String?

        @Option(help: ArgumentHelp("The contact; only members see it.", valueName: "text"))
        var contact: String?

        @Option(help: ArgumentHelp("A link to a small picture.", valueName: "url"))
        var thumbnailURL: String?

        @Option(help: ArgumentHelp("The rating, 0 to 5; only in the tab food.", valueName: "stars"))
        var rating: Int64?

        @Option(help: ArgumentHelp("What to eat there; only in the tab food.", valueName: "text"))
        var recommendation: String?

        @Option(
            help: ArgumentHelp(
                "A participant, whom only members see; the option may be repeated.", valueName: "username"))
        var people: [String] = []

        @Option(
            help: ArgumentHelp(
                "The id of an item in another tab; only in the tab itinerary. The option may be repeated.",
                valueName: "id"))
        var links: [String] = []

        @Option(help: ArgumentHelp("Who sees it: me, members, friends or everyone.", valueName: "level"))
        var level: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the activity as JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let (whole, activity): (JSONValue, JSONValue) = try await source.change { responder in
                    let plan = try await responder.plan(self.plan)
                    var parameters = span.parameters
                    let texts: [(String, String?)] = [
                        ("title", title), ("tab", tab), ("location", location ?? place.name), ("address", address),
                        ("mode", mode), ("departure", departure), ("arrival", arrival), ("description", description),
                        ("note", note), ("url", url), ("booking_code", bookingCode), ("booking_url", bookingURL),
                        ("contact", contact), ("thumbnail_url", thumbnailURL), ("recommendation", recommendation),
                        ("level", level),
                    ]
                    for (name, text) in texts { if let text { parameters[name] = .string(text) } }
                    if let rating { parameters["rating"] = .integer(rating) }
                    for (name, list) in [("people", people), ("links", links)] where !list.isEmpty {
                        parameters[name] = .array(list.map { .string($0) })
                    }
                    parameters["plan"] = plan["id"]
                    if booked { parameters["booked"] = true }
                    try await place.add(to: &parameters, by: responder, near: plan)
                    return (plan, try await responder.call("activities.add", parameters))
                }
                guard !json else { return try output.line(activity.line) }
                let word = activity.text("tab") ?? ""
                try output.line("Added \(activity.text("title") ?? "") to \(word) of \(whole.text("title") ?? "").")
                for move in PlanDays.moves(in: activity) { try output.line(move) }
            }
        }
    }
}
#endif
