#if Companion
import ArgumentParser
import Daemon
import Foundation
import Glibc
import RPC
import Store
import WebServer

extension MapCommand {
    /// The command `waymark map use`.
    struct Use: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Adds a finished map: a PMTiles or MBTiles file.",
            discussion: """
                Vector tiles of the schemas OpenMapTiles, Protomaps and Shortbread are drawn as streets, and PNG, JPEG and \
                WebP tiles as pictures. The file is checked first, and then copied to the folder STORE.maps beside the \
                store. A running daemon takes it up without a restart.
                """,
            examples: [
                "waymark map use region.pmtiles",
                "waymark map use region.pmtiles --name alps --link",
            ])

        @Argument(help: ArgumentHelp("The file.", valueName: "file"))
        var file: String

        @Option(help: ArgumentHelp("The name of the map, instead of the file's.", valueName: "name"))
        var name: String?

        @Flag(
            help: "Give the file a second name instead of copying it. It must be on the same disk and stay unchanged.")
        var link = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws { try MapName.check(name) }

        func run() async throws {
            try await Interruption.ending { try await use() }
        }

        private func use() async throws {
            try await Failure.printing { output in
                let store = try await source.storeOfMaps()
                try MapFolder.check(file)
                let folder = MapFolder(ofStore: store)
                let name = name ?? MapName.of(file)
                let map: MapFolder.Map
                do {
                    let input = try FileCalls().open(file, links: .followed)
                    try LocationDatabase.assumeOwner(of: store)
                    let draft = try folder.draft()
                    if link {
                        try FileCalls().link(file, as: draft.path)
                    } else {
                        try copy(input, to: draft.path)
                    }
                    map = try folder.keep(draft, as: name)
                } catch let failure as FileCalls.Failure {
                    throw MapFolder.Failure(
                        file: file, reason: "it cannot be \(link ? "linked" : "copied") to \(folder.path): \(failure)")
                }
                try MapName.report(map, json, to: output)
            }
        }

        /// Copies a file in pieces, until the command is interrupted.
        private func copy(_ input: borrowing FileCalls.OpenFile, to path: String) throws {
            let calls = FileCalls()
            let whole = Amounts.bytes(Int64(clamping: try calls.status(input).size))
            let output = try calls.open(path, flags: O_WRONLY | O_CREAT | O_EXCL)
            let progress = Progress()
            defer { progress.clear() }
            var offset = 0
            while true {
                try Task.checkCancellation()
                let piece = try calls.read(input, from: offset, count: Self.piece)
                guard !piece.isEmpty else { return }
                try calls.write(piece, to: output, at: offset)
                offset += piece.count
                progress.show("\(file): \(Amounts.bytes(Int64(clamping: offset))) of \(whole) copied")
            }
        }

        /// The bytes that are copied at once, after each of which the command can be interrupted.
        private static let piece = 1 << 20
    }
}

/// The names of maps in the commands.
enum MapName {
    /// The endings of files that are no part of a map's name.
    private static let endings = [".osm.pbf", ".pbf", ".pmtiles", ".mbtiles", "-latest"]

    /// Returns the name of a map from the name of its file: `liechtenstein-latest.osm.pbf` becomes `liechtenstein`.
    static func of(_ file: String) -> String {
        var name = Substring(file.split(separator: "/").last ?? "").lowercased()
        for ending in endings where name.hasSuffix(ending) { name = String(name.dropLast(ending.count)) }
        let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }
        let result = String(plain.drop { $0 == "-" || $0 == "_" }.prefix(MapFolder.longestName))
        return MapFolder.isName(result) ? result : "map"
    }

    /// Checks the name that an option gives.
    static func check(_ name: String?) throws {
        guard let name, !MapFolder.isName(name) else { return }
        throw ValidationError(
            "--name takes up to \(MapFolder.longestName) letters, digits, hyphens and underscores; the first is a letter or "
                + "digit.")
    }

    /// Prints what a command has added.
    static func report(_ map: MapFolder.Map, _ json: Bool, to output: StandardOutput) throws {
        let text = MapMethods.map.text(of: map)
        let answer = try JSONValue(parsing: text.bytes.span)
        guard !json else { return try output.line(answer.line) }
        let area = MapCommand.area(of: answer).map { ", \($0)" } ?? ""
        try output.line(
            EventFormatter.printable(
                "map \(map.name): \(Amounts.bytes(map.size)), zoom \(MapCommand.zooms(of: answer))\(area)"))
        guard map.attribution == nil else { return }
        Failure.note("The file does not say whose data it has. Who made it may ask to be named on the map.")
    }
}
#endif
