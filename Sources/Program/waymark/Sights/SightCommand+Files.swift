import ArgumentParser
import Daemon
import RPC
import Sights
import SocketServer
import Store

extension SightCommand {
    /// The command `waymark sight import`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Imports sights from CSV, GeoJSON, KML, GPX or OwnTracks' .otrw.",
            discussion: """
                Points are circles, polygons are themselves, and lines are corridors as wide as twice their radius_m. A \
                CSV file has the columns id, title, lat and lon, and optionally radius_m (100 by default), category and \
                description, in any order; wkt in place of lat and lon has any geometry. Routes and tracks of GPX are \
                corridors if --radius is given. A sight replaces the one with the same id. If one is invalid, nothing is \
                imported.
                """,
            examples: [
                "waymark sight import sights.csv",
                "waymark sight import parks.geojson places.gpx --radius 50 --repair",
            ])

        @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "file"))
        var files: [String]

        @OptionGroup var reading: SightReadingOptions
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                // Everything is read before anything is written.
                let (sights, notes) = try SightFile.read(paths: files, reading.options)
                for note in notes { Failure.note(note) }
                let (added, updated) = try await put(sights)
                if json {
                    let result: JSONValue = ["added": .integer(Int64(added)), "updated": .integer(Int64(updated))]
                    try output.line(result.line)
                } else {
                    try output.line("\(Self.count(sights.count)) imported: \(added) added, \(updated) updated")
                }
            }
        }

        private func put(_ sights: [Sight]) async throws -> (added: Int, updated: Int) {
            // A store imports all of them in one call.
            if let path = source.store {
                let store = try Stores.open(at: path)
                let result = try store.importSights(sights)
                try store.close()
                return (result.added, result.updated)
            }
            if let long = sights.first(where: { $0.outline != nil && !$0.isSpoken }) {
                throw ValidationError(
                    "\(long.id) has more than \(Sight.mostSpokenPositions) positions, which the socket does not take. "
                        + "Stop the daemon and import with --store, or simplify the shape.")
            }
            return try await source.daemon.connect { client in
                var (added, updated) = (0, 0)
                let progress = Progress()
                defer { progress.clear() }
                for batch in SightBatch.batches(of: sights) {
                    do {
                        let answer = try await client.call("sights.import", ["sights": .array(batch.sights)])
                        added += answer.integer("added") ?? 0
                        updated += answer.integer("updated") ?? 0
                        progress.show("\(added + updated) of \(Self.count(sights.count))")
                    } catch  where added + updated > 0 {
                        Failure.report(
                            "only the first \(Self.count(added + updated)) are imported; import the file again")
                        throw error
                    }
                }
                return (added, updated)
            }
        }

        private static func count(_ number: Int) -> String { number == 1 ? "1 sight" : "\(number) sights" }
    }

    /// The command `waymark sight export`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Exports sights as CSV, GeoJSON, KML or GPX.",
            discussion: """
                CSV, GeoJSON and KML contain everything that an import reads; GPX has neither ids, radii nor shapes. \
                Shapes of more than \(Sight.mostSpokenPositions) positions are exported with --store.
                """,
            examples: [
                "waymark sight export -o sights.csv",
                "waymark sight export --format gpx --category museum -o museums.gpx",
            ])

        @Option(help: ArgumentHelp("The format: csv, geojson, kml or gpx.", valueName: "format"))
        var format: SightExport = .csv

        @Option(
            name: .shortAndLong, help: ArgumentHelp("The file to write, instead of standard output.", valueName: "file")
        )
        var output: String?

        @OptionGroup var filter: Filter
        @OptionGroup var source: SourceOptions

        func run() async throws {
            try await Failure.printing { standardOutput in
                try await source.ask { responder in
                    var sights: [Sight] = []
                    try await responder.forEachPage(of: "sights.list", "sights", filter.parameters) { page in
                        sights += page.compactMap { Sight($0) }
                    }
                    try complete(&sights)
                    try await OutputFile.write(to: output, or: standardOutput) { try $0(format.bytes(of: sights)) }
                }
            }
        }

        /// Reads the shapes that answers leave out from the store.
        private func complete(_ sights: inout [Sight]) throws {
            guard sights.contains(where: { $0.form != nil && $0.outline == nil }) else { return }
            guard let path = source.store else {
                throw ValidationError("Some shapes have too many positions for the socket. Export with --store.")
            }
            let store = try Stores.openForReading(at: path)
            let whole = Dictionary(try store.sights().map { ($0.id, $0) }) { first, _ in first }
            sights = sights.map { whole[$0.id] ?? $0 }
        }
    }
}

/// A batch of sights for one call over the socket.
struct SightBatch {
    private(set) var sights: [JSONValue] = []
    private var ids: Set<String> = []
    private var length = 0

    /// The most sights in a batch; it takes the daemon a moment, during which fixes wait for the store.
    private static let maximumCount = 2_000
    /// The longest JSON of a batch in bytes: a line has 1 MiB, and the rest of the call needs some of it.
    private static let greatestLength = 700_000

    /// Returns the sights in their order, in batches without duplicate ids.
    ///
    /// The last of several sights with one id is in the last of these batches, so the daemon keeps it.
    static func batches(of sights: [Sight]) -> [SightBatch] {
        var batches: [SightBatch] = []
        for sight in sights {
            let json = sight.json
            let length = json.line.count + 1
            if batches.last?.hasRoom(for: sight.id, length) != true { batches.append(SightBatch()) }
            batches[batches.count - 1].add(sight.id, json, length)
        }
        return batches
    }

    private func hasRoom(for id: String, _ more: Int) -> Bool {
        sights.count < Self.maximumCount && length + more <= Self.greatestLength && !ids.contains(id)
    }

    private mutating func add(_ id: String, _ json: JSONValue, _ more: Int) {
        sights.append(json)
        ids.insert(id)
        length += more
    }
}
