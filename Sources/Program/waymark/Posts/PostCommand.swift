#if Companion
import ArgumentParser
import Geodesy
import RPC

/// The command `waymark post`, for posts that people show to their followers.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Show what you wear or what can be bought, and see what others show.",
        subcommands: [Add.self, List.self, Suggest.self, Remove.self])

    /// The command `waymark post list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists posts, newest first: yours, and those of the people you follow.",
            examples: [
                "waymark post list",
                "waymark post list --here --radius 5000",
            ])

        @Option(help: ArgumentHelp("The posts of this person instead.", valueName: "id"))
        var person: String?

        @Option(help: ArgumentHelp("The posts that show this product instead.", valueName: "id"))
        var product: String?

        @Flag(help: "The posts around you instead.")
        var here = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The posts around this position instead, in degrees.", valueName: "LAT,LON"))
        var at: Coordinate?

        @Option(parsing: .unconditional, help: ArgumentHelp("The radius in metres, 1000 by default.", valueName: "M"))
        var radius: QuantityArgument?

        @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of posts.", valueName: "N"))
        var limit: Int?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per post.")
        var json = false

        func validate() throws {
            guard [person != nil, product != nil, here || at != nil].filter({ $0 }).count <= 1 else {
                throw ValidationError("Give only one of --person, --product, and --here or --at.")
            }
            guard radius == nil || here || at != nil else {
                throw ValidationError("--radius needs --here or --at.")
            }
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() async throws {
            let isAround = here || at != nil
            let method = isAround ? "posts.here" : person != nil || product != nil ? "posts.list" : "posts.feed"
            let parameters = JSONObject(present: [
                "person": person.map { .string($0) }, "product": product.map { .string($0) },
                "lat": at.map { .number($0.latitude) }, "lon": at.map { .number($0.longitude) },
                "radius": radius.map { .number($0.value) },
            ])
            try await Failure.printing { output in
                var table = TextTable("id", "author", "time", "hearts", "others say", "")
                try await source.ask { responder in
                    try await responder.forEachPage(
                        of: method, "posts", parameters, limit: limit, pages: 100
                    ) { posts in
                        for post in posts {
                            let shown = StandardOutput.terminalWidth == nil ? post : post.withMoments(by: .local)
                            if json { try output.line(post.line) } else { table.add(shown.postCells) }
                        }
                    }
                }
                guard !json else { return }
                try output.table(table)
                if table.isEmpty { Failure.note("There are no posts.") }
            }
        }
    }

    /// The command `waymark post suggest`.
    struct Suggest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "suggest", abstract: "Suggests a post to people whom you follow, one by one.",
            examples: [
                #"waymark post suggest 2 cai --text "Your style" --yes"#
            ])

        @Argument(help: ArgumentHelp("The post, as post list prints it.", valueName: "id"))
        var id: String

        @Argument(help: ArgumentHelp("The people, by username.", valueName: "person"))
        var people: [String]

        @Option(help: ArgumentHelp("A text to send with it.", valueName: "text"))
        var text: String?

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per suggestion.")
        var json = false

        func run() async throws {
            try consent.check()
            try await Failure.printing { output in
                try await source.change { responder in
                    for person in people {
                        guard consent.isGiven(for: "Suggest the post \(id) to \(person)?") else { continue }
                        let answer = try await responder.call(
                            "suggestions.send",
                            JSONObject(present: [
                                "subject": .string("post/\(id)"), "to": .string(person),
                                "text": text.map { .string($0) },
                            ]))
                        let line = "Suggested \(answer.text("title") ?? "") to \(person)."
                        try output.line(json ? answer.line : Array(EventFormatter.printable(line).utf8))
                    }
                }
            }
        }
    }

    /// The command `waymark post remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes posts, with their reviews and reactions.",
            examples: [
                "waymark post remove 1 --yes"
            ])

        @Argument(help: ArgumentHelp("The posts, as post list prints them.", valueName: "id"))
        var ids: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per post.")
        var json = false

        func run() async throws {
            try consent.check()
            try await Failure.printing { output in
                try await source.change { responder in
                    for id in ids {
                        guard consent.isGiven(for: "Remove the post \(id), with its reviews and reactions?") else {
                            continue
                        }
                        let answer = try await responder.call("posts.remove", ["post": .string(id)])
                        try output.line(json ? answer.line : Array("Removed \(EventFormatter.printable(id)).".utf8))
                    }
                }
            }
        }
    }
}

extension StandardOutput {
    /// Prints a post from an answer, as a line.
    func post(_ post: JSONValue, json: Bool) throws {
        guard !json else { return try line(post.line) }
        var table = TextTable()
        table.add(post.postCells)
        try self.table(table)
    }
}

extension JSONValue {
    /// The cells of a post in a table: id, author, time, hearts, the verdict of others, and its content.
    fileprivate var postCells: [TextTable.Cell] {
        let product = self["product"]
        let price = product?["price"].map { "\($0.text("amount") ?? "") \($0.text("currency") ?? "")" }
        let said = [product?.text("name"), price, text("text")].compactMap(\.self).joined(separator: ", ")
        return [
            .key(text("id") ?? ""), .key(self["author"]?.text("id") ?? ""), .text(text("time") ?? ""),
            .text("\(integer("hearts") ?? 0) ♥"),
            .text(text("verdict") ?? (flag("voting") == true ? "asks" : "")),
            .text(said.replacing("\n", with: " ")),
        ]
    }
}
#endif
