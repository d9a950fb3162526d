import ArgumentParser
import Foundation
import Geodesy
import RPC

extension PostCommand {
    /// The command `waymark post add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Show an outfit or a product, where you stand.",
            discussion: """
                With --at it is elsewhere, and it is asked whether that is meant. A product is a new one with --name, \
                --by, --price and --currency, or one that is there already with --product.
                """,
            examples: [
                #"waymark post add "For the opera" --photo dress.jpg --brand Bally --voting"#,
                """
                waymark post add "Warm!" --photo coat.jpg --name "Trench coat" --by Bally \\
                    --price 890.00 --currency EUR --link https://shop.example/coat
                """,
            ])

        @Argument(help: ArgumentHelp("What you say of it.", valueName: "text"))
        var text: String?

        @Option(help: ArgumentHelp("A photo of it: a file.", valueName: "file"))
        var photo: String?

        @Option(help: ArgumentHelp("A brand in it; give it once for each.", valueName: "name"))
        var brand: [String] = []

        @Flag(help: "Ask others whether to wear it or to change it.")
        var voting = false

        @Flag(help: "Show it to your friends alone.")
        var friends = false

        @Option(
            parsing: .unconditional, help: ArgumentHelp("Where it is, in degrees.", valueName: "LAT,LON"))
        var at: Coordinate?

        @Option(help: ArgumentHelp("A product that is there already.", valueName: "id"))
        var product: String?

        @Option(help: ArgumentHelp("What a new product is called.", valueName: "text"))
        var name: String?

        @Option(help: ArgumentHelp("Whose brand it is.", valueName: "name"))
        var by: String?

        @Option(help: ArgumentHelp("Its price, such as 12.30.", valueName: "amount"))
        var price: String?

        @Option(help: ArgumentHelp("The currency of the price, such as EUR.", valueName: "code"))
        var currency: String?

        @Option(help: ArgumentHelp("The page of a shop.", valueName: "url"))
        var link: String?

        @Flag(help: "Do it without asking.")
        var yes = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the post as JSON.")
        var json = false

        func run() async throws {
            var consent = Consent()
            consent.yes = yes
            if let at {
                try consent.check()
                guard consent.isGiven(for: "Show it at \(EventLines.place(at))?") else { return }
            }
            let parameters = parameters
            try await Failure.printing { output in
                // If the file cannot be read, no post is made.
                let file = try photo.map { try (PhotoCommand.Add.read($0), URL(fileURLWithPath: $0).lastPathComponent) }
                let post = try await source.change { responder in
                    // The upload comes first, so that no post is left without its photo.
                    var upload: JSONValue?
                    if let (bytes, name) = file { upload = try await responder.upload(bytes, name: name) }
                    let post = try await responder.call(isProduct ? "posts.addProduct" : "posts.add", parameters)
                    guard let upload, let id = post.text("id") else { return post }
                    _ = try await responder.call(
                        "photos.add", ["subject": .string("post/\(id)"), "upload": upload])
                    return try await responder.call("posts.get", ["post": .string(id)])
                }
                try output.post(post, json: json)
            }
        }

        private var isProduct: Bool { [product, name, by, price, currency, link].contains { $0 != nil } }

        private var parameters: JSONObject {
            JSONObject(present: [
                "text": text.map { .string($0) },
                "brands": brand.isEmpty ? nil : .array(brand.map { .string($0) }), "voting": voting ? true : nil,
                "level": friends ? "friends" : nil, "lat": at.map { .number($0.latitude) },
                "lon": at.map { .number($0.longitude) }, "product": product.map { .string($0) },
                "name": name.map { .string($0) }, "brand": by.map { .string($0) },
                "price": price.map { .string($0) }, "currency": currency.map { .string($0) },
                "link": link.map { .string($0) },
            ])
        }
    }
}
