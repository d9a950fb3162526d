#if Fleet
import ArgumentParser
import Daemon
import FleetStore
import Foundation
import Geodesy
import TextCoding
import Time

/// The command `waymark fleet events`, which prints the log of a fleet.
struct FleetEventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print the events of a fleet, one JSON object a line.",
        discussion: """
            Each event has its partition and its number there. The order holds within a partition, and so for each \
            device. A program that keeps the last number of each partition goes on with --after, and gets each event \
            once. If the database is gone for a while, --follow goes on when it is back.
            """)

    @OptionGroup var servers: FleetDatabaseOption

    @Flag(help: "Wait for more at the end, until stopped.")
    var follow = false

    @Flag(help: "Leave out the events that are there already.")
    var new = false

    @Option(
        help: ArgumentHelp(
            "Only events of a partition after a number, such as 3:120. Repeatable.", valueName: "partition:seq"))
    var after: [String] = []

    @Option(
        name: .customLong("device"), help: ArgumentHelp("Only events of this device. Repeatable.", valueName: "name"))
    var devices: [String] = []

    /// How long to wait for an event, and after a failure.
    private static let (patience, pause) = (Duration.seconds(30), 1.0)

    /// Returns the partition and the number of a text such as `3:120`; `nil` for another text.
    static func cursor(_ text: String) -> (partition: Int, seq: Int64)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int(parts[0]), let seq = Int64(parts[1]), partition >= 0, seq >= 0
        else { return nil }
        return (partition, seq)
    }

    func validate() throws {
        for text in after where Self.cursor(text) == nil {
            throw ValidationError("--after takes a partition and a number, such as 3:120; \"\(text)\" is none.")
        }
    }

    func run() throws {
        let address = try servers.databaseAddress()
        var cursors: [Int: Int64] = [:]
        for partition in try FleetDatabase(at: address).status().partitions {
            cursors[partition.id] = new ? partition.events : 0
        }
        for (partition, seq) in after.compactMap(Self.cursor) where cursors[partition] != nil {
            cursors[partition] = seq
        }
        let subscription = FleetSubscription(at: address, after: cursors)
        try Failure.printing { output in
            while true {
                let events: [FleetEvent]
                do {
                    events = try subscription.next(within: follow ? Self.patience : .zero)
                } catch {
                    guard follow else { throw error }
                    Failure.report("\(error); trying again")
                    Thread.sleep(forTimeInterval: Self.pause)
                    continue
                }
                if events.isEmpty, !follow { return }
                for event in events where devices.isEmpty || devices.contains(event.device) {
                    try output.line(Self.line(event))
                }
                try output.flush()
            }
        }
    }

    /// Returns an event as one JSON object: that of one Waymark, with its place in the fleet's log before.
    static func line(_ event: FleetEvent) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("partition", event.partition)
            json.member("seq", event.seq)
            json.member("geofences", event.geofences)
        }
        var bytes = json.bytes
        // The body is an object that is not empty.
        bytes.removeLast()
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: event.body.utf8.dropFirst())
        return bytes
    }
}

/// The command `waymark fleet trips`, which lists the trips of a fleet.
struct FleetTripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips", abstract: "List the trips of a fleet, the earliest first.")

    @OptionGroup var servers: FleetDatabaseOption

    @Option(help: ArgumentHelp("Only trips of this device.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("Only trips that begin on this day or later, in UTC.", valueName: "YYYY-MM-DD"))
    var from: CalendarDate?

    @Option(help: ArgumentHelp("Only trips that begin before this day, in UTC.", valueName: "YYYY-MM-DD"))
    var to: CalendarDate?

    @Option(help: ArgumentHelp("The maximum number of trips, of which the latest are listed.", valueName: "N"))
    var limit = 1000

    @Flag(help: "Print one JSON object per trip.")
    var json = false

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to 1000000.")
        }
    }

    func run() throws {
        let trips = try FleetDatabase(at: servers.databaseAddress()).trips(
            of: device, from: from.map { Timestamp($0, millisecondsOfDay: 0) },
            before: to.map { Timestamp($0, millisecondsOfDay: 0) }, limit: limit)
        try Failure.printing { output in
            guard !json else {
                for trip in trips { try output.line(Self.line(trip)) }
                return
            }
            var table = TextTable("start", "end", "device", "km", "id")
            for trip in trips {
                table.add([
                    .key(trip.start.description), .key(trip.end?.description ?? ""), .text(trip.device),
                    .number(trip.distance.map { DecimalText.string($0.meters / 1000, decimals: 1) } ?? ""),
                    .key(trip.id),
                ])
            }
            try output.table(table)
        }
    }

    private static func line(_ trip: FleetTrip) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("id", trip.id)
            json.member("device", trip.device)
            json.member("start", trip.start.description)
            json.member("end", trip.end?.description)
            json.member("distance", trip.distance?.meters, decimals: 1)
            json.member("journey", trip.journey)
        }
        return json.bytes
    }
}
#endif
