#if Companion
import ArgumentParser
import RPC

extension PlanCommand {
    /// The command `waymark plan members`.
    struct Members: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "members", abstract: "Lists the members of a plan, and the people who are asked to join.",
            examples: [
                #"waymark plan members "Canals by van""#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per member.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let members = try await source.ask { responder in
                    let plan = try await responder.plan(self.plan)
                    return try await responder.call("members.list", ["plan": plan["id"] ?? .null]).elements("members")
                }
                guard !json else { return try members.forEach { try output.line($0.line) } }
                var table = TextTable("username", "name", "role", "state", "travels")
                for member in members {
                    table.add([
                        .key(member.text("id") ?? "(account gone)"), .text(member.text("name") ?? ""),
                        .text(member.text("role") ?? ""), .text(member.text("state") ?? ""),
                        .text(member.flag("travels") == true ? "travels" : "does not travel"),
                    ])
                }
                try output.table(table)
            }
        }
    }

    /// The command `waymark plan ask`.
    struct Ask: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ask", abstract: "Asks friends to join a plan; they are notified.",
            examples: [
                #"waymark plan ask "Canals by van" cai --edits"#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Argument(help: ArgumentHelp("The friends to ask.", valueName: "username"))
        var people: [String]

        @Flag(help: "They may change the plan.")
        var edits = false

        @Flag(help: "They do not travel, so they are not counted and do not pay.")
        var stays = false

        @OptionGroup var source: SourceOptions

        func run() async throws {
            try await Failure.printing { output in
                try await source.change { responder in
                    let plan = try await responder.plan(self.plan)
                    for person in people {
                        _ = try await responder.call(
                            "members.ask",
                            [
                                "plan": plan["id"] ?? .null, "person": .string(person), "edits": .bool(edits),
                                "travels": .bool(!stays),
                            ])
                        try output.line("Asked \(person) to join \(plan.text("title") ?? "").")
                    }
                }
            }
        }
    }

    /// The command `waymark plan join`.
    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join", abstract: "Joins a plan that you are asked to join.",
            examples: [
                #"waymark plan join "Texel by bike""#
            ])

        @Argument(
            help: ArgumentHelp(
                "The plan, as \"plan list --of asked\" prints it, or the beginning of its title.", valueName: "plan"))
        var plan: String

        @Flag(help: "Decline instead; nobody is notified.")
        var decline = false

        @OptionGroup var source: SourceOptions

        func run() async throws {
            try await Failure.printing { output in
                let title = try await source.change { responder in
                    var asked: [JSONValue] = []
                    try await responder.forEachPage(
                        of: "plans.list", "plans", ["of": "asked"], limit: 1000, pages: 200
                    ) { asked += $0 }
                    let known = asked.first { $0.text("id") == plan }
                    guard let found = try known ?? PlanName.plan(called: plan, among: asked) else {
                        throw RPCError(
                            .notFound,
                            "There is no invitation to \(plan) for you. \"waymark plan list --of asked\" lists your invitations."
                        )
                    }
                    let method = decline ? "members.decline" : "members.confirm"
                    _ = try await responder.call(method, ["plan": found["id"] ?? .null])
                    return found.text("title") ?? plan
                }
                try output.line(decline ? "You have declined to join \(title)." : "You are a member of \(title).")
            }
        }
    }

    /// The command `waymark plan leave`.
    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave", abstract: "Leaves a plan, or removes another member; their balance must be zero.",
            examples: [
                #"waymark plan leave "Texel by bike" --yes"#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Option(help: ArgumentHelp("The member who leaves, by default you.", valueName: "username"))
        var person: String?

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        func run() async throws {
            try consent.check()
            try await Failure.printing { output in
                try await source.change { responder in
                    let plan = try await responder.plan(self.plan)
                    let title = plan.text("title") ?? ""
                    let question = person.map { "Remove \($0) from \(title)?" } ?? "Leave \(title)?"
                    guard consent.isGiven(for: question) else { return }
                    let own = person == nil ? try await responder.call("people.whoami")["person"]?.text("id") : nil
                    let who = person ?? own ?? ""
                    _ = try await responder.call(
                        "members.remove", ["plan": plan["id"] ?? .null, "person": .string(who)])
                    try output.line("\(who) has left \(title).")
                }
            }
        }
    }

    /// The command `waymark plan link`.
    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "link", abstract: "Creates, lists or revokes links that show a plan without signing in.",
            discussion:
                "A link shows no money, bookings or contacts. Its secret is shown only once, when you create it.",
            examples: [
                #"waymark plan link "Canals by van" --days 7"#,
                #"waymark plan link "Canals by van" --list"#,
                #"waymark plan link "Canals by van" --revoke 1"#,
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The number of days that it lasts, 30 by default.", valueName: "N"))
        var days: Int?

        @Option(help: ArgumentHelp("Show only this location.", valueName: "id"))
        var location: String?

        @Flag(help: "Show the location though its level is narrower; members who see it are notified.")
        var confirm = false

        @Flag(help: "List the links, and how often each was opened.")
        var list = false

        @Option(help: ArgumentHelp("Revoke the link with this number at once.", valueName: "number"))
        var revoke: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard !(list && revoke != nil), !(list || revoke != nil) || days == nil && location == nil else {
                throw ValidationError("Create a link, or give either --list or --revoke alone.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                try await source.change { responder in
                    let id = try await responder.plan(self.plan)["id"] ?? .null
                    if let revoke {
                        let answer = try await responder.call("links.revoke", ["plan": id, "number": .string(revoke)])
                        return try json ? output.line(answer.line) : output.line("The link \(revoke) is revoked.")
                    }
                    guard list else {
                        let link = try await responder.call(
                            "links.create",
                            JSONObject(present: [
                                "plan": id, "location": location.map { .string($0) },
                                "days": days.map { .integer(Int64($0)) }, "confirm": confirm ? true : nil,
                            ]))
                        guard !json else { return try output.line(link.line) }
                        try output.line("link \(link.text("link") ?? "")")
                        try output.line("address \(link.text("url") ?? "")")
                        return try output.line("number \(link.text("number") ?? "")")
                    }
                    let links = try await responder.call("links.list", ["plan": id]).elements("links")
                    guard !json else { return try links.forEach { try output.line($0.line) } }
                    var table = TextTable("number", "shows", "until", "opened", "made by")
                    for link in links {
                        let opened = link.integer("opened") ?? 0
                        table.add([
                            .number(link.text("number") ?? ""), .text(link.text("location") ?? "all of it"),
                            .number("\((link.text("expires") ?? "").prefix(10))"),
                            .text(opened == 1 ? "once" : "\(opened) times"),
                            .text(link.text("person") ?? ""),
                        ])
                    }
                    try output.table(table)
                    if table.isEmpty { Failure.note("This plan has no links; omit --list to create one.") }
                }
            }
        }
    }
}
#endif
