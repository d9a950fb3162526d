import Geodesy
package import RPC
package import TextCoding
import Time
package import Tracking

/// A trip on its way from a board to the centre: the members of the board's events, and the number of its changes.
package struct HandedTrip: Hashable, Sendable {
    package var summary: TripSummary
    /// The number of changes that were made to it on the board.
    var revision = 0

    /// The longest id of a trip or a stop, in bytes: that of the longest name of a device.
    static let longestID = 320
    /// The greatest number that is taken for a distance in metres, or a time in seconds.
    private static let greatest = 1e12
    /// The most fixes or stops that are taken for those of a trip.
    private static let mostFixes = 1_000_000_000
    /// The most changes of a trip that are taken for such.
    private static let mostChanges = 1_000_000_000

    /// Creates a trip from its parts.
    init(_ summary: TripSummary, revision: Int = 0) {
        self.summary = summary
        self.revision = revision
    }

    /// Reads the member `trip` of an event of a device; `nil` if it is none.
    package init?(_ json: JSONValue, device: String) {
        guard let id = Self.id(json, device: device), let start = Self.time(json, "start") else { return nil }
        summary = TripSummary(id: id, device: device, start: start)
        if let value = json["revision"] {
            guard let number = Int(json: value), (0...Self.mostChanges).contains(number) else { return nil }
            revision = number
        }
        guard json["end"] != nil else { return }
        guard let end = Self.time(json, "end"), end >= start, let distance = Self.number(json, "distance"),
            let moving = Self.number(json, "moving"), let stopped = Self.number(json, "stopped"),
            let stops = Self.count(json, "stops"), let fixes = Self.count(json, "fixes")
        else { return nil }
        summary.end = end
        summary.distance = .meters(distance)
        summary.stopped = stopped
        summary.maximumSpeed = Self.number(json, "max_speed").map(Speed.metersPerSecond)
        summary.stops = stops
        summary.fixes = fixes
        // The times are told in milliseconds.
        let silent = ((end.seconds(since: start) - stopped - moving) * 1000).rounded() / 1000
        summary.silent = silent > 0 ? silent : nil
    }

    /// Writes the members of the trip.
    package func writeMembers(to json: inout JSONWriter) {
        summary.writeMembers(to: &json)
        json.member("revision", revision)
    }

    /// The trip as the centre calls it.
    package func named(by board: String) -> HandedTrip {
        var trip = self
        trip.summary.id = "\(board)/\(summary.id)"
        trip.summary.device = "\(board)/\(summary.device)"
        return trip
    }

    /// Reads the id of a trip or stop of a device, which begins with the device's name.
    static func id(_ json: JSONValue, device: String) -> String? {
        guard case .string(let id)? = json["id"], id.utf8.count <= longestID, id.hasPrefix("\(device)@") else {
            return nil
        }
        return id
    }

    /// Reads a time.
    static func time(_ json: JSONValue, _ name: String) -> Timestamp? {
        guard case .string(let text)? = json[name] else { return nil }
        return Timestamp(rfc3339: text)
    }

    private static func number(_ json: JSONValue, _ name: String) -> Double? {
        json[name].flatMap { Double(json: $0) }.flatMap { (0...greatest).contains($0) ? $0 : nil }
    }

    private static func count(_ json: JSONValue, _ name: String) -> Int? {
        json[name].flatMap { Int(json: $0) }.flatMap { (0...mostFixes).contains($0) ? $0 : nil }
    }
}
