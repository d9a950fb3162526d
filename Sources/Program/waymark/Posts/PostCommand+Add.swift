#if Companion
import ArgumentParser
import Foundation
import Geodesy
import RPC

extension PostCommand {
    /// The command `waymark post add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Posts an outfit or a product where you are.",
            discussion: """
                With --at, the post is elsewhere, and the command asks for confirmation. Give a new product with --name, \
                --by, --price and --currency, or an existing one with --product.
                """,
            examples: [
                #"waymark post add "For the opera" --photo dress.jpg --brand Bally --voting"#,
                """
                waymark post add "Warm!" --photo coat.jpg --name "Trench coat" --by Bally \\
                    --price 890.00 --currency EUR --link https://shop.example/coat
                """,
            ])

        @Argument(help: ArgumentHelp("The text of the post.", valueName: "text"))
        var text: String?

        @Option(help: ArgumentHelp("The file of a photo.", valueName: "file"))
        var photo: String?

        @Option(help: ArgumentHelp("A brand in it. Repeatable.", valueName: "name"))
        var brand: [String] = []

        @Flag(help: "Ask others whether to wear it or to change it.")
        var voting = false

        @Flag(help: "Show it only to your friends.")
        var friends = false

        @Option(
            parsing: .unconditional, help: ArgumentHelp("The position, in degrees.", valueName: "LAT,LON"))
        var at: Coordinate?

        @Option(help: ArgumentHelp("An existing product.", valueName: "id"))
        var product: String?

        @Option(help: ArgumentHelp("The name of a new product.", valueName: "text"))
        var name: String?

        @Option(help: ArgumentHelp("The brand of a new product.", valueName: "name"))
        var by: String?

        @Option(help: ArgumentHelp("Its price, such as 12.30.", valueName: "amount"))
        var price: String?

        @Option(help: ArgumentHelp("The currency of the price, such as EUR.", valueName: "code"))
        var currency: String?

        @Option(help: ArgumentHelp("The page of a shop.", valueName: "url"))
        var link: String?

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print the post as JSON.")
        var json = false

        func run() async throws {
            var consent = Consent()
            consent.yes = yes
            if let at {
                try consent.check()
                guard consent.isGiven(for: "Show it at \(EventFormatter.place(at))?") else { return }
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
#endif
