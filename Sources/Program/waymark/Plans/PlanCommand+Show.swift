#if Companion
import ArgumentParser
import Geodesy
import Positioning
import RPC
import Service

extension PlanCommand {
    /// The command `waymark plan show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows a plan: the next location, the days, and who owes whom.",
            discussion: """
                Distance and direction are from the device's position, unless you give --at. If you name no plan, the \
                command shows the one that takes place today, if there is only one.
                """,
            examples: [
                #"waymark plan show "Canals by van""#
            ])

        @Argument(help: ArgumentHelp("The plan, by default the only one that takes place today.", valueName: "plan"))
        var plan: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Your position in degrees, instead of the device's.", valueName: "LAT,LON"))
        var at: Coordinate?

        @Option(help: ArgumentHelp("The device whose position to use, by default the primary one.", valueName: "name"))
        var device: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object.")
        var json = false

        func validate() throws {
            guard at == nil || device == nil else {
                throw ValidationError("Give either --at or --device, not both.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                let page: PlanPage = try await source.ask { try await self.page(by: $0) }
                guard !json else {
                    var whole: JSONObject = [
                        "plan": page.plan, "locations": .array(page.locations), "days": .array(page.days),
                    ]
                    whole["balances"] = page.balances
                    whole["journey"] = page.journey
                    return try output.line(JSONValue.object(whole).line)
                }
                let paint = Paint.standardOutput
                for (index, text) in page.lines.enumerated() {
                    let isEntry = text.hasPrefix(" ")
                    try output.line(
                        index == 0 || !isEntry && index > 2 ? paint.bold(text) : text,
                        hanging: isEntry ? PlanPage.textColumn : 0)
                }
            }
        }

        private func page(by responder: any Responder) async throws -> PlanPage {
            let plan = try await responder.plan(try await name(by: responder))
            let id = plan["id"] ?? .null
            var locations: [JSONValue] = []
            try await responder.forEachPage(of: "locations.list", "locations", ["plan": id], pages: 200) {
                locations += $0
            }
            let days = try await responder.call("plans.itinerary", ["plan": id]).elements("days")
            let isMember = plan.flag("member") == true
            return PlanPage(
                plan: plan, locations: locations, days: days,
                journey: try await responder.call("plans.journey", ["plan": id]),
                balances: isMember ? try await responder.call("expenses.balances", ["plan": id]) : nil,
                here: try await here(by: responder))
        }

        private func name(by responder: any Responder) async throws -> String {
            if let plan { return plan }
            var plans: [JSONValue] = []
            try await responder.forEachPage(of: "plans.list", "plans", [:], limit: 1000, pages: 200) { plans += $0 }
            let today = DisplayClock.local.day(.now)
            let current = plans.filter { plan in
                guard let start = PlanDays.date(plan["start"]), let end = PlanDays.date(plan["end"]) else {
                    return false
                }
                return start <= today && today <= end
            }
            guard let id = current.first?.text("id"), current.count == 1 else {
                throw RPCError(
                    .notFound,
                    current.isEmpty
                        ? "None of your plans takes place today; name one that \"waymark plan list\" shows."
                        : "Several plans take place today; name one of them.")
            }
            return id
        }

        /// Returns the position given, or that of the device; `nil` if it is unknown.
        private func here(by responder: any Responder) async throws -> Coordinate? {
            if let at { return at }
            do {
                let parameters = JSONObject(present: ["device": device.map { .string($0) }])
                return try await responder.call("position.current", parameters).place
            } catch let error as RPCError where device == nil && [.notFound, .unavailable].contains(error.code) {
                return nil
            }
        }
    }
}
#endif
