#if Companion
import ArgumentParser
import RPC

/// A person, and optionally an amount or a number of parts: `ada=10.00`.
struct PersonPart: ExpressibleByArgument {
    let person: String
    let part: String?

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let person = parts.first, !person.isEmpty else { return nil }
        self.person = String(person)
        part = parts.count > 1 ? String(parts[1]) : nil
    }
}

extension PlanCommand {
    /// The command `waymark plan expense`.
    struct Expense: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expense", abstract: "Enters an expense.",
            discussion: """
                By default, you paid all of it, and all who travel share it evenly. To change that, give for example \
                --paid-by ada=10 --paid-by bob=2.30, or --share ada --share bob, or --share ada=2 --share bob=1 with \
                --split parts, percentages or exact.
                """,
            examples: [
                #"waymark plan expense "Canals by van" Diesel 84.20 --tab transport"#,
                """
                waymark plan expense "Canals by van" Pancakes 31.50 --paid-by bob \\
                    --split parts --share ada=2 --share bob=1
                """,
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @Argument(help: ArgumentHelp("What the money was spent on.", valueName: "title"))
        var title: String

        @Argument(help: ArgumentHelp("The amount, such as 12.30.", valueName: "amount"))
        var amount: String

        @Option(help: ArgumentHelp("The currency, by default the plan's.", valueName: "code"))
        var currency: String?

        @Option(
            help: ArgumentHelp(
                "The value of one unit of that currency in the plan's, as you agreed.", valueName: "rate"))
        var rate: String?

        @Option(
            help: ArgumentHelp(
                "Who paid, with the amount if it was not all. Repeatable.", valueName: "username[=amount]"))
        var paidBy: [PersonPart] = []

        @Option(
            help: ArgumentHelp(
                "How it is shared: evenly, parts, percentages or exact; evenly by default.", valueName: "how"))
        var split: String?

        @Option(
            help: ArgumentHelp(
                "Who shares it, with the part if it is not even. Repeatable.", valueName: "username[=part]"))
        var share: [PersonPart] = []

        @Option(help: ArgumentHelp("The kind of expense.", valueName: "name"))
        var category: String?

        @Option(help: ArgumentHelp("The tab in which it counts.", valueName: "tab"))
        var tab: String?

        @Option(help: ArgumentHelp("The day on which it counts, such as 2026-05-01.", valueName: "day"))
        var day: String?

        @Option(help: ArgumentHelp("The activity that it is for.", valueName: "id"))
        var activity: String?

        @Flag(help: "It is personal: only you pay and share it.")
        var personal = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the expense as JSON.")
        var json = false

        func validate() throws {
            guard paidBy.count < 2 || paidBy.allSatisfy({ $0.part != nil }) else {
                throw ValidationError("If several people paid, give the amount of each, such as --paid-by ada=10.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                let expense = try await source.change { responder in
                    let texts: [(String, String?)] = [
                        ("title", title), ("amount", amount), ("currency", currency), ("rate", rate), ("split", split),
                        ("category", category), ("tab", tab), ("day", day), ("activity", activity),
                    ]
                    var parameters: JSONObject = ["plan": try await responder.plan(self.plan)["id"] ?? .null]
                    for (name, text) in texts { if let text { parameters[name] = .string(text) } }
                    if personal { parameters["personal"] = true }
                    if !paidBy.isEmpty {
                        parameters["payers"] = .array(
                            paidBy.map { ["person": .string($0.person), "amount": .string($0.part ?? amount)] })
                    }
                    if !share.isEmpty {
                        parameters["shares"] = .array(
                            share.map { one in
                                .object(
                                    JSONObject(present: [
                                        "person": .string(one.person), "share": one.part.map { .string($0) },
                                    ]))
                            })
                    }
                    return try await responder.call(
                        "expenses.add", parameters, options: ["payers": "paid-by", "shares": "share"])
                }
                guard !json else { return try output.line(expense.line) }
                try output.line(
                    "Entered \(expense.text("amount") ?? "") \(expense.text("currency") ?? "") for \(expense.text("title") ?? "")."
                )
                for share in expense.elements("shares") {
                    let who = share.text("name") ?? share.text("person") ?? ""
                    try output.line("  \(who): \(share.text("converted") ?? "")")
                }
            }
        }
    }

    /// The command `waymark plan expenses`.
    struct Expenses: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expenses", abstract: "Lists the expenses of a plan, and their total.",
            examples: [
                #"waymark plan expenses "Canals by van""#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per expense.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                var expenses: [JSONValue] = []
                let sums = try await source.ask { responder in
                    let id = try await responder.plan(self.plan)["id"] ?? .null
                    try await responder.forEachPage(of: "expenses.list", "expenses", ["plan": id], pages: 200) {
                        expenses += $0
                    }
                    return try await responder.call("expenses.sums", ["plan": id])
                }
                guard !json else { return try expenses.forEach { try output.line($0.line) } }
                var table = TextTable("", "day", "what", "amount", "paid by", "for", "id")
                for expense in expenses {
                    let payers = expense.elements("payers").map { $0.text("person") ?? "?" }
                    let own = "\(expense.text("amount") ?? "") \(expense.text("currency") ?? "")"
                    table.add([
                        .number(expense.integer("number").map { "\($0)" } ?? ""), .number(expense.text("day") ?? ""),
                        .text(expense.text("title") ?? ""), .number(own),
                        .text(payers.joined(separator: ", ")),
                        .text(expense.flag("personal") == true ? "own" : expense.text("category") ?? ""),
                        .text(expense.text("id") ?? ""),
                    ])
                }
                try output.table(table)
                guard !table.isEmpty else { return Failure.note("There are no expenses yet.") }
                // A pipe gets only the rows.
                if StandardOutput.terminalWidth != nil {
                    try output.line("in all \(sums.text("total") ?? "") \(sums.text("currency") ?? "")")
                }
            }
        }
    }

    /// The command `waymark plan balances`.
    struct Balances: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "balances", abstract: "Shows who owes whom, and the fewest transfers that settle it.",
            examples: [
                #"waymark plan balances "Canals by van""#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let answer = try await source.ask { responder in
                    let id = try await responder.plan(self.plan)["id"] ?? .null
                    return try await responder.call("expenses.balances", ["plan": id])
                }
                guard !json else { return try output.line(answer.line) }
                var table = TextTable("who", "balance", "")
                for balance in answer.elements("balances") {
                    table.add([
                        .text(PlanMoney.name(balance)), .number(balance.text("balance") ?? ""),
                        .number(answer.text("currency") ?? ""),
                    ])
                }
                try output.table(table)
                for line in PlanMoney.debts(answer) { try output.line(line) }
            }
        }
    }

    /// The command `waymark plan settle`.
    struct Settle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settle", abstract: "Enters the transfers that settle a plan, one by one, as they were made.",
            discussion: "The command asks about each transfer. \"waymark repayments remove\" undoes one.",
            examples: [
                #"waymark plan settle "Canals by van" --yes"#
            ])

        @Argument(help: ArgumentHelp("The plan.", valueName: "plan"))
        var plan: String

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per repayment.")
        var json = false

        func run() async throws {
            try consent.check()
            try await Failure.printing { output in
                try await source.change { responder in
                    let id = try await responder.plan(self.plan)["id"] ?? .null
                    let answer = try await responder.call("expenses.balances", ["plan": id])
                    let transfers = answer.elements("transfers")
                    if transfers.isEmpty { try output.line("Nobody owes anything.") }
                    for transfer in transfers {
                        guard let from = transfer["from"], let to = transfer["to"],
                            let giver = from.text("person") ?? from.text("member"),
                            let taker = to.text("person") ?? to.text("member"), let amount = transfer.text("amount")
                        else { continue }
                        let money = "\(amount) \(answer.text("currency") ?? "")"
                        let question = "Has \(PlanMoney.name(from)) given \(money) to \(PlanMoney.name(to))?"
                        guard consent.isGiven(for: question) else { continue }
                        let repayment = try await responder.call(
                            "repayments.add",
                            ["plan": id, "from": .string(giver), "to": .string(taker), "amount": .string(amount)])
                        guard !json else {
                            try output.line(repayment.line)
                            continue
                        }
                        try output.line("\(PlanMoney.name(from)) has given \(money) to \(PlanMoney.name(to)).")
                    }
                }
            }
        }
    }
}

/// Names and sentences about the money of plans.
enum PlanMoney {
    /// Returns the name of a member in an answer.
    static func name(_ member: JSONValue) -> String {
        member.text("name") ?? member.text("person") ?? "someone whose account is gone"
    }

    /// Returns one sentence per debt.
    static func debts(_ balances: JSONValue) -> [String] {
        let currency = balances.text("currency") ?? ""
        let transfers = balances.elements("transfers")
        guard !transfers.isEmpty else { return ["Nobody owes anything."] }
        return transfers.map { transfer in
            let (from, to) = (transfer["from"].map(name) ?? "", transfer["to"].map(name) ?? "")
            return "\(from) owes \(to) \(transfer.text("amount") ?? "") \(currency)."
        }
    }
}
#endif
