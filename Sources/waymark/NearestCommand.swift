import ArgumentParser
import Daemon
import Foundation
import Geodesy
import Positioning
import Receivers
import TextCoding
import Tracking

/// `waymark nearest`: the closest sights.
struct NearestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearest",
        abstract: "Print the sights closest to a position, nearest first.",
        discussion: "With --at - a position LAT,LON is read from each line of standard input, and each answered.")

    @Option(name: .short, help: ArgumentHelp("How many sights.", valueName: "N"))
    var k = 10

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The position in degrees; - reads positions from standard input.", valueName: "LAT,LON"))
    var at: String

    @Option(help: ArgumentHelp("The store with the sights.", valueName: "file"))
    var store: String

    @Flag(help: "Print one JSON object a position.")
    var json = false

    func validate() throws {
        guard (1...10_000).contains(k) else { throw ValidationError("-k takes a number from 1 to 10000.") }
        guard at == "-" || Self.position(at) != nil else { throw ValidationError(Self.complaint(at)) }
    }

    func run() throws {
        try Failure.printing { output in
            let store = try Storehouse.openForReading(at: store)
            let index = try GeofenceIndex(sightsOf: store)
            if let place = Self.position(at) { return try answer(place, index, output) }
            var lines = try PositionLines()
            while let (number, line) = try lines.next() {
                guard let place = Self.position(line) else {
                    try output.flush()
                    Failure.tell("standard input, line \(number): \(Self.complaint(line))")
                    throw Failure.exit
                }
                try answer(place, index, output)
                // Who asks may wait for the answer before asking again.
                if lines.isEmptied { try output.flush() }
            }
        }
    }

    private func answer(_ place: Coordinate, _ index: GeofenceIndex, _ output: StandardOutput) throws {
        let nearest = index.nearest(to: place, limit: k)
        if json {
            var json = JSONWriter()
            json.object { json in
                json.place(place)
                json.array("nearest") { json in
                    for neighbor in nearest { json.object { neighbor.writeMembers(to: &$0) } }
                }
            }
            try output.line(json.bytes)
        } else {
            if at == "-" { try output.line(EventLines.place(place)) }
            for neighbor in nearest { try output.line(Self.text(neighbor)) }
            if nearest.isEmpty { try output.line("The store has no sights.") }
        }
    }

    private static func text(_ neighbor: GeofenceIndex.Neighbor) -> String {
        let distance = EventLines.length(neighbor.distance)
        let compass = Compass.word(neighbor.bearing)
        let blanks = String(repeating: " ", count: max(0, 9 - distance.count))
        return
            "\(blanks)\(distance)  \(EventLines.padded(compass, to: 3)) \(EventLines.padded(neighbor.geofence.title, to: 40))  \(EventLines.printable(neighbor.geofence.identity.id))"
    }

    /// A position as `LAT,LON`.
    private static func position(_ text: String) -> Coordinate? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = DecimalText.parse(String(parts[0])),
            let longitude = DecimalText.parse(String(parts[1]))
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func complaint(_ text: String) -> String {
        "\"\(text.prefix(60))\" is no position; write LAT,LON in degrees, as 52.3731,4.8922."
    }
}

extension GeofenceIndex.Neighbor {
    /// Writes what `nearest` says of a sight.
    func writeMembers(to json: inout JSONWriter) {
        json.member("id", geofence.identity.id)
        json.member("title", geofence.title)
        json.member("distance", distance.meters, decimals: 1)
        json.member("bearing", bearing.degrees, decimals: 1)
    }
}

/// The eight winds.
enum Compass {
    private static let words = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]

    /// The wind nearest to a direction.
    static func word(_ angle: Angle) -> String {
        words[Int((angle.normalized.degrees / 45).rounded()) % words.count]
    }
}

/// The lines of standard input, none longer than any position.
private struct PositionLines {
    private let input: FileBytes
    private var bytes: ArraySlice<UInt8> = []
    private var isEnded = false
    private var number = 0
    /// Two numbers with all their digits fit many times.
    private static let longest = 1000

    init() throws(FileFailure) {
        do throws(RecordingError) {
            input = try FileBytes(path: "-")
        } catch {
            throw FileFailure(file: "-", error: error)
        }
    }

    /// Whether the next line must be waited for.
    var isEmptied: Bool { !bytes.contains(0x0A) }

    /// The next line with its number, without its end; nil at the end.
    mutating func next() throws(FileFailure) -> (number: Int, line: String)? {
        do throws(RecordingError) {
            while !isEnded, !bytes.contains(0x0A), bytes.count <= Self.longest {
                guard let piece = try input.next() else {
                    isEnded = true
                    break
                }
                bytes = ArraySlice(Array(bytes) + piece)
            }
        } catch {
            throw FileFailure(file: "-", error: error)
        }
        guard !bytes.isEmpty else { return nil }
        number += 1
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
        let line = String(decoding: bytes[..<end].prefix(Self.longest + 1), as: UTF8.self)
        bytes = end < bytes.endIndex ? bytes[(end + 1)...] : []
        return (number, line.hasSuffix("\r") ? String(line.dropLast()) : line)
    }
}
