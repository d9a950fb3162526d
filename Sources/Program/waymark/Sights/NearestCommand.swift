import ArgumentParser
import Daemon
import Geodesy
import Positioning
import RPC
import Receivers
import Sights
import SocketServer
import TextCoding
import Tracking

/// The command `waymark nearest`, which prints the closest sights.
struct NearestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearest",
        abstract: "Print the sights closest to a position, nearest first.",
        discussion: """
            Without --at, the position is that of the device. With --at -, the command reads a position LAT,LON from \
            each line of standard input, and answers each.
            """,
        examples: [
            "waymark nearest -k 3",
            "waymark nearest --at 52.3745,4.8835",
        ])

    @Option(name: .short, help: ArgumentHelp("The number of sights.", valueName: "N"))
    var k = 10

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The position in degrees; - reads positions from standard input.", valueName: "LAT,LON"))
    var at: String?

    @Option(help: ArgumentHelp("The device whose position to use, by default the primary one.", valueName: "name"))
    var device: String?

    @OptionGroup var source: SourceOptions

    @Flag(help: "Print one JSON object per position.")
    var json = false

    func validate() throws {
        let most = source.store == nil ? Self.maximumFromDaemon : Self.maximumFromStore
        guard (1...most).contains(k) else { throw ValidationError("-k takes a number from 1 to \(most).") }
        guard at == nil || device == nil else {
            throw ValidationError("Give either --at or --device, not both.")
        }
        guard let at, at != "-" else { return }
        guard Coordinate(argument: at) != nil else { throw ValidationError(Self.complaint(at)) }
    }

    /// The most sights in one answer of the daemon.
    private static let maximumFromDaemon = 1000
    /// The most sights read from a store; more is not a neighbourhood.
    private static let maximumFromStore = 10_000

    func run() async throws {
        try await Failure.printing { output in
            guard let path = source.store else {
                return try await source.daemon.connect { client in
                    try await answer(output) { place in
                        var parameters = JSONObject(present: [
                            "k": .integer(Int64(k)), "device": device.map { .string($0) },
                        ])
                        parameters["lat"] = place.map { .number($0.latitude) }
                        parameters["lon"] = place.map { .number($0.longitude) }
                        return try NearestSights(try await client.call("sights.nearest", parameters))
                    }
                }
            }
            let store = try Stores.openForReading(at: path)
            // One index serves all positions.
            let index = try GeofenceIndex(of: store)
            let responder = StoreResponder(store)
            try await answer(output) { place in
                if let place { return NearestSights(place, index.nearest(to: place, limit: k, kind: .sight)) }
                let device = JSONObject(present: ["device": device.map { .string($0) }])
                guard let place = try await responder.call("position.current", device).place else {
                    throw RPCError.unavailable("The store contains no position of the device.")
                }
                return NearestSights(place, index.nearest(to: place, limit: k, kind: .sight))
            }
        }
    }

    /// Prints the surroundings of each position requested.
    ///
    /// - Parameter nearestSights: Returns the surroundings of a place; `nil` stands for the position of the device.
    private func answer(
        _ output: StandardOutput, _ nearestSights: (Coordinate?) async throws -> NearestSights
    ) async throws {
        guard at == "-" else {
            return try print(try await nearestSights(at.flatMap(Coordinate.init(argument:))), output)
        }
        var lines = try PositionLines()
        while let (number, line) = try lines.next() {
            guard let place = Coordinate(argument: line) else {
                try output.flush()
                Failure.report("standard input, line \(number): \(Self.complaint(line))")
                throw Failure.exit
            }
            try print(try await nearestSights(place), output)
            // The writer of standard input may wait for the answer before it sends the next position.
            if lines.isEmptied { try output.flush() }
        }
    }

    private func print(_ nearestSights: NearestSights, _ output: StandardOutput) throws {
        if json {
            try output.line(nearestSights.json)
        } else {
            if at == "-" { try output.line(EventFormatter.place(nearestSights.place)) }
            var table = TextTable("distance", "to", "sight", "id")
            for sight in nearestSights.nearest { table.add(sight.cells) }
            try output.table(table)
            if nearestSights.nearest.isEmpty { try output.line("There are no sights.") }
        }
    }

    private static func complaint(_ text: String) -> String {
        "\"\(text.prefix(60))\" is not a position; give LAT,LON in degrees, such as 52.3731,4.8922."
    }
}

/// A place, and the sights closest to it.
private struct NearestSights {
    struct Sight {
        let id: String
        let title: String
        let distance: Distance
        let bearing: Angle
    }

    let place: Coordinate
    let nearest: [Sight]

    init(_ place: Coordinate, _ neighbors: [GeofenceIndex.Neighbor]) {
        self.place = place
        nearest = neighbors.map {
            Sight(
                id: $0.geofence.identity.id, title: $0.geofence.title, distance: $0.distance, bearing: $0.bearing)
        }
    }

    /// Reads the surroundings from an answer of the daemon.
    init(_ answer: JSONValue) throws(RPCError) {
        guard let place = answer.place else { throw .unavailable("The daemon's answer contains no position.") }
        self.place = place
        nearest = answer.elements("nearest").compactMap { sight in
            guard let id = sight.text("id"), let title = sight.text("title"), let distance = sight.number("distance"),
                let bearing = sight.number("bearing")
            else { return nil }
            return Sight(id: id, title: title, distance: .meters(distance), bearing: .degrees(bearing))
        }
    }

    /// The surroundings as one JSON object.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.place(place)
            json.array("nearest") { json in
                for sight in nearest {
                    json.object { json in
                        json.member("id", sight.id)
                        json.member("title", sight.title)
                        json.member("distance", sight.distance.meters, decimals: 1)
                        json.member("bearing", sight.bearing.degrees, decimals: 1)
                    }
                }
            }
        }
        return json.bytes
    }
}

extension NearestSights.Sight {
    /// The cells of the sight in a table.
    fileprivate var cells: [TextTable.Cell] {
        [
            .number(EventFormatter.length(distance)), .key(CompassPoint(bearing).rawValue), .text(title), .key(id),
        ]
    }
}
