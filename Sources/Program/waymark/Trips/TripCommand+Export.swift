public import ArgumentParser
import Daemon
import Geodesy
import Positioning
import RPC
import SocketServer
import Store
import Trips

extension TripCommand {
    /// The command `waymark trip export`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Exports trips as GPX 1.1, GeoJSON, KML or CSV.",
            discussion:
                "Name the trips, or choose those of a device or a time, or all. Open trips are not exported.",
            examples: [
                "waymark trip export last -o last.gpx",
                "waymark trip export --all --format kml --simplify 10 -o trips.kml",
            ])

        @Argument(
            help: ArgumentHelp("The trips: ids or numbers, as trip list prints them, or last.", valueName: "trip"))
        var ids: [String] = []

        @Flag(help: "All trips that have ended.")
        var all = false

        @Option(help: ArgumentHelp("The trips of this device.", valueName: "name"))
        var device: String?

        @OptionGroup var times: TimeOptions

        @Option(help: ArgumentHelp("The format: gpx, geojson, kml or csv.", valueName: "format"))
        var format: TripExport.Format = .gpx

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Omit points that are within this many metres of the line between the others.", valueName: "M"))
        var simplify = QuantityArgument(0)

        @Option(
            name: .shortAndLong, help: ArgumentHelp("The file to write, instead of standard output.", valueName: "file")
        )
        var output: String?

        @OptionGroup var clock: ClockOption
        @OptionGroup var source: SourceOptions

        private var hasFilter: Bool { device != nil || !times.isEmpty }

        func validate() throws {
            guard !ids.isEmpty || all || hasFilter else {
                throw ValidationError("Name the trips to export, or give --all, --device, --from or --to.")
            }
            guard ids.isEmpty || !(all || hasFilter) else {
                throw ValidationError("Either name trips, or give --all, --device, --from or --to.")
            }
            guard !all || !hasFilter else {
                throw ValidationError("Give either --all, or --device, --from and --to, not both.")
            }
            guard simplify.value <= TripExport.greatestTolerance.meters else {
                throw ValidationError("--simplify takes at most \(Int(TripExport.greatestTolerance.meters)) metres.")
            }
        }

        func run() async throws {
            try await Failure.printing { standardOutput in
                guard let path = source.store else {
                    return try await source.daemon.connect { client in
                        let chosen = try await client.trips(ids, isOver: true)
                        try await OutputFile.write(to: output, or: standardOutput) { write in
                            try await receive(chosen, from: client, write)
                        }
                    }
                }
                let store = try Stores.openForReading(at: path)
                let tolerance = Distance.meters(simplify.value)
                let chosen = try await StoreResponder(store).trips(ids, isOver: true)
                try await OutputFile.write(to: output, or: standardOutput) { write in
                    if chosen.isEmpty {
                        try TripExport.write(
                            times.query(device: device, by: clock.clock), of: store, as: format, tolerance: tolerance,
                            to: write)
                    } else {
                        try TripExport.write(trips: chosen, of: store, as: format, tolerance: tolerance, to: write)
                    }
                }
            }
        }

        /// Writes the text piece by piece, as the daemon returns it.
        private func receive(_ ids: [String], from client: SocketClient, _ write: ([UInt8]) throws -> Void) async throws
        {
            var parameters = JSONObject(present: [
                "format": .string(format.rawValue),
                "ids": ids.isEmpty ? nil : .array(ids.map { .string($0) }),
                "device": device.map { .string($0) },
                "from": times.from?.json(by: clock.clock), "to": times.to?.json(by: clock.clock),
                "tolerance": simplify.value > 0 ? .number(simplify.value) : nil,
            ])
            repeat {
                let piece = try await client.call("trips.export", parameters)
                try write(Array((piece.text("text") ?? "").utf8))
                parameters["after"] = piece["next"]
            } while parameters["after"] != nil
        }
    }
}

extension TripExport.Format: ExpressibleByArgument {}
