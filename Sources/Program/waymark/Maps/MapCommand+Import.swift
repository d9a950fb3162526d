#if Companion
import ArgumentParser
import Daemon
import Foundation
import OSM
import RPC
import Store
import WebServer

extension MapCommand {
    /// The command `waymark map import`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Makes a street map of an extract of OpenStreetMap.",
            discussion: """
                Download a region as .osm.pbf, for example from https://download.geofabrik.de. The program tilemaker, of \
                Debian's package of that name, makes the map in the folder STORE.maps beside the store: 15 s for a small \
                country, and hours and gigabytes of memory or disk for a large one; a fast computer can make it with \
                --store, and "waymark map use" adds it on the board. A running daemon takes the map up without a restart. \
                A map with the same name is replaced. The names of places, streets, shops and other points come with it, \
                so that "waymark place search" and the pages find them. The data are © OpenStreetMap contributors, under the ODbL, which the \
                map says.
                """,
            examples: [
                "waymark map import region.osm.pbf",
                "waymark map import region.osm.pbf --name home --store boat.sqlite",
            ])

        @Argument(help: ArgumentHelp("The extract, a file .osm.pbf.", valueName: "file"))
        var file: String

        @Option(help: ArgumentHelp("The name of the map, instead of the file's.", valueName: "name"))
        var name: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws { try MapName.check(name) }

        func run() async throws {
            try await Interruption.ending { try await make() }
        }

        private func make() async throws {
            try await Failure.printing { output in
                let store = try await source.storeOfMaps()
                let names = ExtractNames(file: file)
                let size = try names.begin().size
                try TileMaker.checkIsInstalled()
                let survey = try names.survey()
                // It is open before root acts as the owner of the store, who may not be able to read it.
                let reader = try names.begin().reader
                let map = try await makeTiles(beside: store, size: size, survey.missingBounds)
                try MapName.report(map, json, to: output)
                try output.flush()
                let sent: (names: Int, isCut: Bool)
                do {
                    sent = try await source.change(makesStore: true) {
                        try await names.send(reader, to: $0, of: map.name)
                    }
                } catch {
                    Failure.report("the map is made, but its names cannot be searched for; import it again to add them")
                    throw error
                }
                if !json { try output.line("\(Amounts.count(sent.names, "name")) added to the search") }
                if sent.isCut {
                    Failure.note(
                        "The extract has more names than \(OSMNameReader.most); the search does not know the rest.")
                }
            }
        }

        /// Makes the map in the folder beside a store; an earlier map of the name stays if this fails.
        private func makeTiles(beside store: String, size: Int, _ bounds: [Double]?) async throws -> MapFolder.Map {
            try LocationDatabase.assumeOwner(of: store)
            let folder = MapFolder(ofStore: store)
            let draft = try folder.draft()
            let maker = TileMaker(extract: URL(fileURLWithPath: file).path, size: size, bounds: bounds)
            try await maker.make(draft.path, in: draft.makeScratch())
            do throws(MapFolder.Failure) {
                return try folder.keep(draft, as: name ?? MapName.of(file))
            } catch {
                throw MapFolder.Failure(file: file, reason: "no map could be made of it: \(error.reason)")
            }
        }
    }
}
#endif
