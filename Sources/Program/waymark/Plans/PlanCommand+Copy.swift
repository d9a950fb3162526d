#if Companion
import ArgumentParser
import RPC

extension PlanCommand {
    /// The command `waymark plan copy`.
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Creates a plan of yours from another that you see.",
            discussion: """
                The copy has the same structure, texts and days, but no people, money, bookings, contacts, stamps or \
                photos. It is not published. A copy of another person's plan that is not published is seen only by you.
                """,
            examples: [
                #"waymark plan copy "Canals by van" --title "Canals again" --start 2027-05-07"#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Option(help: ArgumentHelp("The title; by default the other plan's.", valueName: "title"))
        var title: String?

        @Option(
            help: ArgumentHelp("The first day, such as 2026-05-01; by default the other plan's.", valueName: "day"))
        var start: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the plan as JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let (old, new): (JSONValue, JSONValue) = try await source.change { responder in
                    let old = try await responder.plan(plan)
                    let parameters = JSONObject(present: [
                        "plan": old["id"], "title": title.map { .string($0) }, "start": start.map { .string($0) },
                    ])
                    return (old, try await responder.call("plans.copy", parameters))
                }
                guard !json else { return try output.line(new.line) }
                let newTitle = EventFormatter.printable(new.text("title") ?? "")
                let days = PlanDays.span(new).map { ", \($0)" } ?? ""
                try output.line(
                    "Copied \(EventFormatter.printable(old.text("title") ?? "")) to the plan \(newTitle) "
                        + "(\(new.text("id") ?? ""))\(days).")
                for move in PlanDays.moves(in: new) { try output.line(move) }
            }
        }
    }
}

extension Responder {
    /// Returns the id of a subject, in which a plan may have its title or how that begins: `plan/rome`.
    ///
    /// A name that fits no plan stays as it is.
    ///
    /// - Throws: An `RPCError` that lists the candidates if several plans have the name.
    nonisolated(nonsending) func subject(_ subject: String) async throws -> String {
        guard subject.hasPrefix("plan/") else { return subject }
        do {
            let id = try await plan(String(subject.dropFirst("plan/".count))).text("id")
            return id.map { "plan/\($0)" } ?? subject
        } catch is Unknown {
            return subject
        }
    }
}
#endif
