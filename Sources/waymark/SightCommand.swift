import ArgumentParser
import Companion
import Daemon
import Geodesy
import Positioning
import Store
import TextCoding
import Tracking

/// `waymark sight`: the sights in a store.
struct SightCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sight", abstract: "Import and list sights.", subcommands: [Import.self, List.self])

    /// `waymark sight import`.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import sights from CSV, GeoJSON points or GPX waypoints.",
            discussion: """
                A CSV file has the columns id, title, lat, lon, and if it likes radius_m (100 where none is given), \
                category and description, in any order. A sight takes the place of the one of its id. One bad row \
                refuses everything.
                """)

        @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "file"))
        var files: [String]

        @Option(help: ArgumentHelp("The store, made where there is none.", valueName: "file"))
        var store: String

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            try Failure.printing { output in
                // Everything is read before anything is written.
                let sights = try SightFile.read(paths: files)
                let store = try Storehouse.open(at: store)
                let result = try store.importSights(sights)
                try store.close()
                if json {
                    var json = JSONWriter()
                    json.object { json in
                        json.member("added", result.added)
                        json.member("updated", result.updated)
                    }
                    try output.line(json.text)
                } else {
                    let sights = sights.count == 1 ? "1 sight" : "\(sights.count) sights"
                    try output.line("\(sights) imported: \(result.added) added, \(result.updated) updated")
                }
            }
        }
    }

    /// `waymark sight list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List sights, in the order in which they were added.")

        @Option(help: ArgumentHelp("The store.", valueName: "file"))
        var store: String

        @Option(help: ArgumentHelp("Only those with this in their title.", valueName: "text"))
        var text: String?

        @Option(help: ArgumentHelp("Only those of this category.", valueName: "name"))
        var category: String?

        @Option(help: ArgumentHelp("At most so many.", valueName: "N"))
        var limit: Int?

        @Flag(help: "Print one JSON object a sight.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() throws {
            try Failure.printing { output in
                let store = try Storehouse.openForReading(at: store)
                for sight in try store.sights(SightStore.Query(text: text, category: category, limit: limit ?? .max)) {
                    try output.line(json ? sight.json : sight.text)
                }
            }
        }
    }
}

extension Sight {
    /// The sight as one JSON object.
    var json: String {
        var json = JSONWriter()
        json.object { json in
            json.member("id", id)
            json.member("title", title)
            json.place(place)
            json.member("radius", radius.meters, decimals: 1)
            json.member("category", category)
            json.member("description", information)
        }
        return json.text
    }

    /// The sight as a line of columns.
    var text: String {
        let name = "\(EventLines.padded(title, to: 36))  \(EventLines.padded(id, to: 24))"
        return
            "\(name)  \(EventLines.place(place))  \(EventLines.length(radius))  \(EventLines.printable(category ?? ""))"
    }
}
