#if Companion
import ArgumentParser
import Geodesy
import RPC

/// The command `waymark plan`, for plans with their days, places, people and money.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Plan journeys: days, places, people and money.",
        discussion: """
            Name a plan by its id, as "plan list" prints it, or by its title or the beginning of its title, if only one \
            of your plans has it.
            """,
        subcommands: [
            List.self, Show.self, Create.self, Add.self, Ask.self, Join.self, Leave.self, Members.self, Expense.self,
            Expenses.self, Balances.self, Settle.self, Link.self, Import.self, Export.self, Copy.self, Remove.self,
        ])

    /// The command `waymark plan list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists your plans, or those of others that you may see.",
            examples: [
                "waymark plan list",
                "waymark plan list --of published --order likes",
            ])

        /// The plans to list.
        enum Which: String, ExpressibleByArgument, CaseIterable {
            case own, asked, saved, published
        }

        @Option(
            help: ArgumentHelp(
                "Which plans: own, asked (you are asked to join), saved, or published.", valueName: "which"))
        var of: Which = .own

        @Option(help: ArgumentHelp("The plans of this person instead.", valueName: "username"))
        var person: String?

        @Option(
            help: ArgumentHelp("Only plans with this text in title, description or destination.", valueName: "text"))
        var text: String?

        @Option(help: ArgumentHelp("The order: newest, likes or start.", valueName: "order"))
        var order: String?

        @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of plans.", valueName: "N"))
        var limit: Int?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per plan.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() async throws {
            var parameters = JSONObject(present: [
                "text": text.map { .string($0) }, "order": order.map { .string($0) },
            ])
            let isPublished = of == .published && person == nil
            if !isPublished {
                if let person {
                    parameters["person"] = .string(person)
                } else {
                    parameters["of"] = .string(of.rawValue)
                }
            }
            try await Failure.printing { output in
                var plans: [JSONValue] = []
                try await source.ask { responder in
                    try await responder.forEachPage(
                        of: isPublished ? "plans.explore" : "plans.list", "plans", parameters, limit: limit, pages: 200
                    ) { plans += $0 }
                }
                guard !json else { return try plans.forEach { try output.line($0.line) } }
                var table = TextTable("id", "title", "when", "where", "whose", "seen by")
                for plan in plans {
                    table.add([
                        .number(plan.text("id") ?? ""), .text(plan.text("title") ?? ""),
                        .number(PlanDays.span(plan) ?? ""),
                        .text(plan.text("destination") ?? plan.text("first_location") ?? ""),
                        .text(plan["owner"]?.text("id") ?? ""), .text(plan.text("level") ?? ""),
                    ])
                }
                try output.table(table)
                if plans.isEmpty { Failure.note("There are no plans. \"waymark plan create\" creates one.") }
            }
        }
    }

    /// The command `waymark plan create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Creates a plan, which you own.",
            discussion:
                "The time zone is that of the plan's place, if the gazetteer knows it, unless you give another.",
            examples: [
                #"waymark plan create "A week on Texel" --start 2026-06-01 --end 2026-06-07"#,
                """
                waymark plan create "Canals by boat" --start 2026-07-01 --end 2026-07-03 \\
                    --at 52.3702,4.8952 --destination Amsterdam --level members
                """,
            ])

        @Argument(help: ArgumentHelp("The title.", valueName: "title"))
        var title: String

        @Option(
            help: ArgumentHelp("The first day, such as 2026-05-01, or with a time 2026-05-01T10:00.", valueName: "day"))
        var start: String?

        @Option(help: ArgumentHelp("The last day.", valueName: "day"))
        var end: String?

        @Option(help: ArgumentHelp("The name of the destination.", valueName: "name"))
        var destination: String?

        @OptionGroup var place: PlaceChoice

        @Option(help: ArgumentHelp("The time zone, such as Europe/Amsterdam.", valueName: "zone"))
        var zone: String?

        @Option(help: ArgumentHelp("The currency of its money, EUR by default.", valueName: "code"))
        var currency: String?

        @Option(help: ArgumentHelp("The number of travellers.", valueName: "count"))
        var people: Int64?

        @Option(
            help: ArgumentHelp("A postal code, by which others find it; the option may be repeated.", valueName: "code")
        )
        var postalCodes: [String] = []

        @Option(
            help: ArgumentHelp(
                "Who sees it: me, members, friends or everyone; friends by default.", valueName: "level"))
        var level: String?

        @Option(help: ArgumentHelp("The description.", valueName: "text"))
        var description: String?

        @Option(help: ArgumentHelp("A link to a cover picture.", valueName: "url"))
        var coverURL: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the plan as JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let plan = try await source.change { responder in
                    var parameters = JSONObject(present: [
                        "title": .string(title), "start": start.map { .string($0) },
                        "end": (end ?? start.map { String($0.prefix(10)) }).map { .string($0) },
                        "destination": (destination ?? place.name).map { .string($0) },
                        "zone": zone.map { .string($0) }, "currency": currency.map { .string($0) },
                        "level": level.map { .string($0) }, "description": description.map { .string($0) },
                        "cover_url": coverURL.map { .string($0) }, "people": people.map { .integer($0) },
                        "postal_codes": postalCodes.isEmpty ? nil : .array(postalCodes.map { .string($0) }),
                    ])
                    try await place.add(to: &parameters, by: responder)
                    return try await responder.call("plans.create", parameters)
                }
                guard !json else { return try output.line(plan.line) }
                try output.line("Created the plan \(plan.text("title") ?? "") (\(plan.text("id") ?? "")).")
                for move in PlanDays.moves(in: plan) { try output.line(move) }
            }
        }
    }

    /// The command `waymark plan remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes your plans, with everything in them.", aliases: ["delete"],
            examples: [
                #"waymark plan remove "A week on Texel" --yes"#
            ])

        @Argument(help: ArgumentHelp("The plans.", valueName: "plan"))
        var plans: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per plan.")
        var json = false

        func run() async throws {
            try consent.check()
            try await Failure.printing { output in
                try await source.change { responder in
                    for name in plans {
                        let plan = try await responder.plan(name)
                        let title = plan.text("title") ?? name
                        let question = "Remove the plan \(title) with its locations, activities, expenses and photos?"
                        guard consent.isGiven(for: question) else { continue }
                        let answer = try await responder.call("plans.remove", ["plan": plan["id"] ?? .null])
                        try output.line(json ? answer.line : Array("Removed \(EventFormatter.printable(title)).".utf8))
                    }
                }
            }
        }
    }
}

/// The options `--at` and `--place`: a place in degrees or by name.
struct PlaceChoice: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("The position, in degrees.", valueName: "LAT,LON"))
    var at: PositionArgument?

    @Option(
        help: ArgumentHelp(
            "The name of a town, a sight or a location, instead: the first that \"place search\" finds.",
            valueName: "name"))
    var place: String?

    /// The name of the place, if it is given by name.
    var name: String? { place }

    func validate() throws {
        guard at == nil || place == nil else {
            throw ValidationError("Give either --at or --place, not both.")
        }
    }

    /// Adds `lat` and `lon` to the parameters of a call, if a place is given.
    ///
    /// - Parameter near: A place around which to search first for a name.
    /// - Throws: `RPCError` if no place has the name, and the errors of the call.
    func add(to parameters: inout JSONObject, by responder: any Responder, near: JSONValue? = nil) async throws {
        if let at {
            parameters["lat"] = .number(at.place.latitude)
            parameters["lon"] = .number(at.place.longitude)
        }
        guard let place else { return }
        var asked: JSONObject = ["text": .string(place), "limit": 1]
        if let near = near?.place {
            asked["lat"] = .number(near.latitude)
            asked["lon"] = .number(near.longitude)
        }
        guard let found = try await responder.call("places.search", asked).elements("places").first else {
            throw RPCError(.notFound, "No place is called \(place). Give its position with --at LAT,LON.")
        }
        parameters["lat"] = found["lat"]
        parameters["lon"] = found["lon"]
    }
}

/// A place in the form `LAT,LON`, in degrees.
struct PositionArgument: ExpressibleByArgument {
    let place: Coordinate

    init?(argument: String) {
        guard let place = Coordinate(argument: argument) else { return nil }
        self.place = place
    }
}

extension Responder {
    /// Returns the plan with an id, a title, or the beginning of a title.
    ///
    /// - Throws: ``Unknown`` if there is none; an `RPCError` that lists the candidates if there are several.
    nonisolated(nonsending) func plan(_ name: String) async throws -> JSONValue {
        if name.utf8.count <= 64, let plan = try await known(name) { return plan }
        var plans: [JSONValue] = []
        try await forEachPage(of: "plans.list", "plans", ["text": .string(name)], limit: 1000, pages: 200) {
            plans += $0
        }
        guard let id = try PlanName.plan(called: name, among: plans)?["id"] else {
            throw Unknown(noun: "plan", id: name)
        }
        return try await call("plans.get", ["plan": id])
    }

    /// Returns the parameters of a call with the id of their plan, which they may name as ``plan(_:)`` does.
    ///
    /// A name that fits no plan is left to the method: a person may be asked to join a plan that they do not see.
    nonisolated(nonsending) func withPlan(_ parameters: JSONObject) async throws -> JSONObject {
        guard case .string(let name)? = parameters["plan"] else { return parameters }
        var parameters = parameters
        do {
            parameters["plan"] = try await plan(name)["id"]
        } catch is Unknown {}
        return parameters
    }

    private nonisolated(nonsending) func known(_ id: String) async throws -> JSONValue? {
        do {
            return try await call("plans.get", ["plan": .string(id)])
        } catch let error as RPCError where error.code == .notFound {
            return nil
        }
    }
}

/// A search for plans by their titles.
enum PlanName {
    /// Returns the plan whose title equals a name or begins with it, in any case; `nil` if there is none.
    ///
    /// - Throws: An `RPCError` that lists up to five candidates, if there are several.
    static func plan(called name: String, among plans: [JSONValue]) throws(RPCError) -> JSONValue? {
        func title(_ plan: JSONValue) -> String { (plan.text("title") ?? "").lowercased() }
        let wanted = name.lowercased()
        var meant = plans.filter { title($0) == wanted }
        if meant.isEmpty { meant = plans.filter { title($0).hasPrefix(wanted) } }
        guard meant.count > 1 else { return meant.first }
        let names = meant.prefix(5).map { "\($0.text("title") ?? "") (\($0.text("id") ?? ""))" }
        throw RPCError(.notFound, "Several plans have this name: \(names.joined(separator: ", ")). Give an id.")
    }
}
#endif
