#if Companion
import ArgumentParser
import Daemon
import RPC
import TextCoding

/// The command `waymark map`, for the street maps beside the store.
struct MapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map", abstract: "Street maps that need no internet: make, add, list and remove them.",
        subcommands: [Import.self, Use.self, List.self, Remove.self])

    /// The command `waymark map list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the maps beside the store, with their sizes and areas.",
            examples: [
                "waymark map list"
            ])

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per map.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let maps = try await source.ask { try await $0.call("maps.list") }.elements("maps")
                guard !json else { return try maps.forEach { try output.line($0.line) } }
                var table = TextTable("name", "size", "zoom", "area", "attribution")
                for map in maps {
                    let note = map.text("problem").map { "cannot be used: \($0)" } ?? map.text("attribution") ?? ""
                    table.add([
                        .key(map.text("name") ?? ""),
                        .number(map.integer("size").map { Amounts.bytes(Int64($0)) } ?? ""),
                        .number(MapCommand.zooms(of: map)), .text(MapCommand.area(of: map) ?? ""), .text(note),
                    ])
                }
                try output.table(table)
                if maps.isEmpty {
                    Failure.note("There are no maps. \"waymark map import --help\" says how to make one.")
                }
            }
        }
    }

    /// The command `waymark map remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a map, and the names that came with it.",
            examples: [
                "waymark map remove region"
            ])

        @Argument(help: ArgumentHelp("The name of the map, as \"waymark map list\" shows it.", valueName: "name"))
        var name: String

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let answer = try await source.change { try await $0.call("maps.remove", ["name": .string(name)]) }
                guard !json else { return try output.line(answer.line) }
                try output.line(EventFormatter.printable("map \(name) removed"))
            }
        }
    }

    /// Returns the zoom levels of a map, such as `0-14`; empty if they are not known.
    static func zooms(of map: JSONValue) -> String {
        guard let least = map.integer("min_zoom"), let most = map.integer("max_zoom") else { return "" }
        return least == most ? "\(least)" : "\(least)-\(most)"
    }

    /// Returns the south-western and north-eastern corners of a map as LAT,LON; `nil` if they are not known.
    static func area(of map: JSONValue) -> String? {
        let edges = map.elements("bounds").compactMap { Double(json: $0) }
        guard edges.count == 4 else { return nil }
        func degrees(_ value: Double) -> String { DecimalText.string(value, decimals: 2) }
        return "\(degrees(edges[1])),\(degrees(edges[0])) to \(degrees(edges[3])),\(degrees(edges[2]))"
    }
}

extension SourceOptions {
    /// Returns the path of the store beside which the maps lie: the one named, or the daemon's.
    func storeOfMaps() async throws -> String {
        if let store { return store }
        let path = try await daemon.connect { try await $0.call("server.info").text("store") }
        if let path { return path }
        Failure.report("the daemon has no store on disk; name one with --store")
        throw Failure.exit
    }
}
#endif
