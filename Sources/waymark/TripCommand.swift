public import ArgumentParser
public import Companion
import Daemon
import Foundation
import Geodesy
import Positioning
import Store
import TextCoding
import Tracking

/// `waymark trip`: the recorded trips in a store.
struct TripCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip", abstract: "List, show and export recorded trips.",
        subcommands: [List.self, Show.self, Export.self])

    /// `waymark trip list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List recorded trips, the newest last.")

        @Option(help: ArgumentHelp("The store.", valueName: "file"))
        var store: String

        @Option(help: ArgumentHelp("Only those of this device.", valueName: "name"))
        var device: String?

        @Option(help: ArgumentHelp("The newest so many.", valueName: "N"))
        var limit: Int?

        @Flag(help: "Print one JSON object a trip.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be above 0.") }
        }

        func run() throws {
            try Failure.printing { output in
                let store = try Storehouse.openForReading(at: store)
                for trip in try store.trips(TripQuery(device: device, limit: limit ?? .max)) {
                    try output.line(json ? trip.json(stops: nil) : trip.line)
                }
            }
        }
    }

    /// `waymark trip show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one trip with its stops.")

        @Argument(help: ArgumentHelp("The trip, as trip list prints it.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("The store.", valueName: "file"))
        var store: String

        @Flag(help: "Print one JSON object.")
        var json = false

        func run() throws {
            try Failure.printing { output in
                let store = try Storehouse.openForReading(at: store)
                guard let trip = try store.trip(id: id) else { throw TripExport.Failure.unknownTrip(id: id) }
                let stops = try store.stops(
                    ofDevice: trip.summary.device, since: trip.summary.start,
                    until: trip.summary.end?.advanced(byMilliseconds: 1))
                for line in json ? [trip.json(stops: stops)] : trip.lines(stops: stops) { try output.line(line) }
            }
        }
    }

    /// `waymark trip export`.
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Export trips as GPX 1.1, GeoJSON, KML or CSV.")

        @Argument(help: ArgumentHelp("The trips, as trip list prints them.", valueName: "id"))
        var ids: [String]

        @Option(help: ArgumentHelp("The store.", valueName: "file"))
        var store: String

        @Option(help: ArgumentHelp("gpx, geojson, kml or csv.", valueName: "format"))
        var format: TripExport.Format = .gpx

        @Option(
            name: .shortAndLong, help: ArgumentHelp("Write to this file; else to standard output.", valueName: "file"))
        var output: String?

        func run() throws {
            try Failure.printing { standardOutput in
                let store = try Storehouse.openForReading(at: store)
                guard let output else {
                    return try TripExport.write(trips: ids, of: store, as: format) { try standardOutput.raw($0) }
                }
                try OutputFile.write(to: output) { file in
                    try TripExport.write(trips: ids, of: store, as: format) { try file.write(contentsOf: Data($0)) }
                }
            }
        }
    }
}

extension TripExport.Format: ExpressibleByArgument {}

extension RecordedTrip {
    /// The trip as one JSON object, with its stops where they are given.
    func json(stops: [StopSummary]?) -> String {
        var json = JSONWriter()
        json.object { json in
            summary.writeMembers(to: &json)
            json.member("device", summary.device)
            json.member("algorithm", algorithm)
            json.member("revision", revision)
            guard let stops else { return }
            json.array("stop_list") { json in
                for stop in stops { json.object { stop.writeMembers(to: &$0) } }
            }
        }
        return json.text
    }

    /// The trip as a line of columns.
    var line: String {
        guard summary.end != nil else { return "\(EventLines.padded(summary.id, to: 44))  goes on" }
        let length = EventLines.padded(EventLines.length(summary.distance), to: 9)
        let stops = summary.stops == 1 ? "1 stop" : "\(summary.stops) stops"
        let time = EventLines.padded(EventLines.duration(summary.moving + summary.stopped), to: 12)
        return "\(EventLines.padded(summary.id, to: 44))  \(length)  \(time)  \(stops)"
    }

    /// The trip as lines of labels and values.
    func lines(stops: [StopSummary]) -> [String] {
        var rows = [("trip", summary.id), ("device", summary.device), ("start", "\(summary.start)")]
        if let end = summary.end {
            rows += [
                ("end", "\(end)"), ("distance", EventLines.length(summary.distance)),
                ("moving", EventLines.duration(summary.moving)), ("stopped", EventLines.duration(summary.stopped)),
                ("points", "\(summary.fixes)"),
            ]
            if let speed = summary.maximumSpeed { rows.append(("fastest", EventLines.speed(speed))) }
        } else {
            rows.append(("end", "goes on"))
        }
        for stop in stops {
            let length = stop.end.map { ", for \(EventLines.duration($0.seconds(since: stop.start)))" } ?? ""
            rows.append(("stop", "\(stop.start), \(EventLines.place(stop.place))\(length)"))
        }
        return rows.map { "\(EventLines.padded($0.0, to: 9)) \(EventLines.printable($0.1))" }
    }
}
