#if Companion
import Daemon
import Foundation
import GPX
import Geodesy
import Interchange
import Positioning
import RPC
import Receivers

/// The locations in a file: waypoints of GPX, or points of KML or GeoJSON, recognised by content.
struct LocationFile {
    /// A location, as `locations.import` takes it.
    struct Place {
        var name: String
        var coordinate: Coordinate
        var address: String?
        var description: String?

        var json: JSONValue {
            .object(
                JSONObject(present: [
                    "name": .string(name), "lat": .number(coordinate.latitude), "lon": .number(coordinate.longitude),
                    "address": address.map { .string($0) }, "description": description.map { .string($0) },
                ]))
        }
    }

    /// The locations of the file, in its order.
    private(set) var places: [Place] = []
    /// The number of other elements, such as lines and areas, or tracks and routes of GPX.
    private(set) var others = 0

    /// The largest file accepted, in bytes; a plan has only some hundred locations.
    private static let largest = 64 * 1024 * 1024

    /// Reads the locations of a file; `-` is standard input.
    init(path: String) throws(FileFailure) {
        do throws(RecordingError) {
            let file = try FileBytes(path: path)
            var bytes: [UInt8] = []
            while let piece = try file.next() {
                bytes += piece
                guard bytes.count <= Self.largest else {
                    throw RecordingError("it is longer than \(Self.largest / 1_048_576) MiB")
                }
            }
            if ContentKind(of: bytes.span) == .json {
                try readGeoJSON(bytes)
            } else if Self.isKML(bytes) {
                try readKML(bytes)
            } else {
                try readGPX(bytes)
            }
            guard !places.isEmpty else { throw RecordingError("it has no points to use as locations") }
        } catch {
            throw FileFailure(file: path, error: error)
        }
    }

    /// Whether the root element is `kml`, which is near the beginning, or the file is a zip archive as KMZ is.
    private static func isKML(_ bytes: [UInt8]) -> Bool {
        let head = String(decoding: bytes.prefix(4096).filter { $0 != 0 }, as: UTF8.self)
        guard let kml = head.range(of: "<kml") ?? head.range(of: ":kml") else { return head.hasPrefix("PK") }
        return head.range(of: "<gpx").map { kml.lowerBound < $0.lowerBound } ?? true
    }

    private mutating func readGPX(_ bytes: [UInt8]) throws(RecordingError) {
        let reader = GPXReader()
        var items: [GPXItem] = []
        try reader.feed(bytes.span, into: &items)
        try reader.finish(into: &items)
        for item in items {
            switch item {
            case .waypoint(let point):
                add(point.name, point.coordinate, address: point.comment, description: point.description)
            case .track, .route: others += 1
            case .document, .trackKind, .segment, .trackPoint, .routePoint: break
            }
        }
    }

    private mutating func readKML(_ bytes: [UInt8]) throws(RecordingError) {
        let (points, others) = try KMLReader.points(from: bytes)
        self.others = others
        for point in points {
            add(point.name, point.coordinate, address: point.address, description: point.description)
        }
    }

    private mutating func readGeoJSON(_ bytes: [UInt8]) throws(RecordingError) {
        let (points, refused) = try GeoJSONReader.points(from: bytes)
        others = refused.count
        for point in points {
            let properties = point.properties
            add(
                properties["name"] ?? properties["title"], point.coordinate, address: properties["address"],
                description: properties["description"])
        }
    }

    private mutating func add(
        _ name: String?, _ coordinate: Coordinate, address: String?, description: String?
    ) {
        let plain =
            name.map { EventFormatter.printable($0.split(whereSeparator: \.isNewline).joined(separator: " ")) } ?? ""
        let line = address.map {
            EventFormatter.printable($0.split(whereSeparator: \.isNewline).joined(separator: ", "))
        }
        places.append(
            Place(
                name: plain.allSatisfy(\.isWhitespace) ? "Place \(places.count + 1)" : plain, coordinate: coordinate,
                address: line, description: description))
    }
}
#endif
