import ArgumentParser
import Daemon
import Geodesy
import Positioning
import RPC
import Receivers
import Sights
import TextCoding

/// The command `waymark place`, for places by name.
struct PlaceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place", abstract: "Find places by name, and import a gazetteer.",
        subcommands: [Search.self, At.self, Import.self])

    /// The command `waymark place search`.
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract:
                "Finds sights, places, streets and points whose name begins with a text: near ones first.",
            discussion: """
                Names come from GeoNames ("waymark place import") and from the extracts of maps ("waymark map import"), \
                and from sights and the locations of your plans. A town comes first if you write its whole name. Near the \
                position, the nearest follow, and then sights, locations, and places by size.
                """,
            examples: [
                "waymark place search wester --near 52.37,4.89"
            ])

        @Argument(help: ArgumentHelp("The beginning of the name; case and accents do not matter.", valueName: "text"))
        var text: [String]

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("A position in degrees; places near it come first.", valueName: "LAT,LON"))
        var near: Coordinate?

        @Option(help: ArgumentHelp("The maximum number of places.", valueName: "N"))
        var limit = 20

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per place.")
        var json = false

        func validate() throws {
            guard !text.isEmpty else { throw ValidationError("Give the beginning of a name.") }
            guard limit > 0 else { throw ValidationError("--limit must be above 0.") }
        }

        func run() async throws {
            var parameters: JSONObject = ["text": .string(text.joined(separator: " "))]
            parameters["lat"] = near.map { .number($0.latitude) }
            parameters["lon"] = near.map { .number($0.longitude) }
            try await Failure.printing { output in
                var places: [JSONValue] = []
                try await source.ask { responder in
                    try await responder.forEachPage(
                        of: "places.search", "places", parameters, limit: limit, pages: 200
                    ) { places += $0 }
                }
                guard !json else { return try places.forEach { try output.line($0.line) } }
                var table = TextTable("name", "country", "people", "away", "place", "zone")
                for place in places {
                    table.add([
                        .text(place.text("name") ?? ""),
                        .text(place.text("country") ?? place.text("type") ?? place.text("kind") ?? ""),
                        .number(place.integer("population").map { "\($0)" } ?? ""),
                        .number(place.number("distance").map { EventFormatter.length(.meters($0)) } ?? ""),
                        .text(place.place.map { EventFormatter.place($0) } ?? ""), .text(place.text("zone") ?? ""),
                    ])
                }
                try output.table(table)
                if places.isEmpty {
                    Failure.note(
                        "No place has this name. \"waymark place import --help\" and \"waymark map import --help\" say where "
                            + "names come from.")
                }
            }
        }
    }

    /// The command `waymark place at`.
    struct At: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "at", abstract: "Shows the name of a place, and its time zone.",
            examples: [
                "waymark place at 52.3702,4.8952"
            ])

        @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The place, in degrees.", valueName: "LAT,LON"))
        var words: [String]

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object.")
        var json = false

        func validate() throws {
            guard words.count == 1, Coordinate(argument: words[0]) != nil else {
                throw ValidationError("Give one position LAT,LON in degrees, as 52.3731,4.8922.")
            }
        }

        func run() async throws {
            guard let place = words.first.flatMap(Coordinate.init(argument:)) else { return }
            try await Failure.printing { output in
                let answer = try await source.ask {
                    try await $0.call(
                        "places.at", ["lat": .number(place.latitude), "lon": .number(place.longitude)])
                }
                guard !json else { return try output.line(answer.line) }
                let town = answer["town"]
                let name = town?.text("name").map { name in
                    let country = town?.text("country").map { ", \($0)" } ?? ""
                    let distance = town?.number("distance").map {
                        ", \(EventFormatter.length(.meters($0))) from its centre"
                    }
                    return "near \(name)\(country)\(distance ?? "")"
                }
                try output.line("\(EventFormatter.place(place)): \(name ?? "its name is unknown")")
                if let zone = answer.text("zone") { try output.line("time zone \(zone)") }
            }
        }
    }
}

extension PlaceCommand {
    /// The command `waymark place import`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Imports tables of GeoNames as the gazetteer, replacing the previous one.",
            discussion: """
                The tables are at https://download.geonames.org/export/dump, such as cities500.zip. Unpack them first: \
                they have lines of 19 columns, separated by tabs. GeoNames publishes them under CC BY 4.0. Populated \
                places are imported. If one line is invalid, nothing is imported, and the gazetteer is not changed.
                """,
            examples: [
                "waymark place import cities500.txt"
            ])

        @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "file"))
        var files: [String]

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let answer = try await source.change(makesStore: true) { try await send(to: $0) }
                guard !json else { return try output.line(answer.line) }
                try output.line(
                    "\(answer.integer("places") ?? 0) places imported, of \(answer.integer("lines") ?? 0) lines")
            }
        }

        /// The longest part in bytes; with the escapes of JSON it still fits into a line of the socket.
        private static let longestPart = 600_000

        /// Sends the files in parts that end at a line, and makes them the gazetteer with the last part.
        private func send(to responder: any Responder) async throws -> JSONValue {
            var waiting: [UInt8] = []
            var number: Int64 = 0
            func part(isLast: Bool, _ bytes: ArraySlice<UInt8>) async throws -> JSONValue {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw FileFailure(
                        file: files.joined(separator: ", "), error: RecordingError("it is not UTF-8; unpack it first"))
                }
                number += 1
                return try await responder.call(
                    "places.import", ["text": .string(text), "part": .integer(number), "last": .bool(isLast)])
            }
            for path in files {
                let file: FileBytes
                do throws(RecordingError) {
                    file = try FileBytes(path: path)
                } catch {
                    throw FileFailure(file: path, error: error)
                }
                while let piece = try Self.next(of: file, path) {
                    waiting += piece
                    while waiting.count > Self.longestPart {
                        let end = waiting[..<Self.longestPart].lastIndex(of: 0x0A) ?? 0
                        guard end > 0 else {
                            throw FileFailure(
                                file: path, error: RecordingError("a line is longer than \(Self.longestPart) bytes"))
                        }
                        _ = try await part(isLast: false, waiting[...end])
                        waiting.removeSubrange(...end)
                    }
                }
                if waiting.last.map({ $0 != 0x0A }) ?? false { waiting.append(0x0A) }
            }
            return try await part(isLast: true, waiting[...])
        }

        private static func next(of file: FileBytes, _ path: String) throws -> [UInt8]? {
            do throws(RecordingError) {
                return try file.next()
            } catch {
                throw FileFailure(file: path, error: error)
            }
        }
    }
}
