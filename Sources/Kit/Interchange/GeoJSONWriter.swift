public import Geodesy
internal import Positioning
public import Shapes
internal import TextCoding
import Time

/// Writes tracks and points as a GeoJSON FeatureCollection (RFC 7946), one feature per line.
///
/// A position is longitude, latitude and, if it is known, the altitude above mean sea level, as receivers and GPX give
/// it. A track is a LineString. It is a MultiLineString if it has several segments or crosses the antimeridian, where
/// it is cut. The times of its positions are in its property `coordTimes`, nested like the positions. An unknown time
/// is null, and the property is omitted if all times are unknown. A segment of one fix is not a line; it is written
/// after the lines as a Point with the property `time`. How somebody travelled is the property `kind`.
public struct GeoJSONWriter: TrackWriter {
    private var hasFeature: Bool

    /// Creates a writer for a new collection, or for one with features already written.
    public init(hasFeatures: Bool = false) { hasFeature = hasFeatures }

    /// Writes the beginning of the collection.
    public mutating func begin(to bytes: inout [UInt8]) {
        bytes.append("{\"type\":\"FeatureCollection\",\"features\":[\n")
    }

    /// Writes the end of the collection.
    public mutating func end(to bytes: inout [UInt8]) { bytes.append(hasFeature ? "\n]}\n" : "]}\n") }

    /// Writes a point with its properties, in the given order.
    public mutating func append(
        point: Coordinate, id: String? = nil, properties: [ExportedProperty], to bytes: inout [UInt8]
    ) {
        beginFeature(id: id, properties: properties, to: &bytes)
        bytes.append(",\"geometry\":{\"type\":\"Point\",\"coordinates\":")
        append(latitudeE7: point.latitudeE7, longitudeE7: point.longitudeE7, altitude: nil, to: &bytes)
        bytes.append("}}")
    }

    /// Writes a shape with its properties, in the given order: a circle as its centre, a corridor as its lines.
    public mutating func append(
        shape: Shape, id: String? = nil, properties: [ExportedProperty], to bytes: inout [UInt8]
    ) {
        beginFeature(id: id, properties: properties, to: &bytes)
        var json = JSONWriter()
        shape.write(to: &json)
        bytes.append(",\"geometry\":")
        bytes.append(contentsOf: json.bytes)
        bytes.append("}")
    }

    /// Writes the beginning of a feature, up to the end of its properties.
    private mutating func beginFeature(id: String?, properties: [ExportedProperty], to bytes: inout [UInt8]) {
        beginFeature(to: &bytes)
        if let id {
            bytes.append("\"id\":")
            append(id, to: &bytes)
            bytes.append(",")
        }
        var json = JSONWriter()
        json.object { json in
            for property in properties {
                switch property.value {
                case .text(let text): json.member(property.name, text)
                case .number(let number): json.member(property.name, number, decimals: 7)
                }
            }
        }
        bytes.append("\"properties\":")
        bytes.append(contentsOf: json.bytes)
    }

    /// Writes a track, or nothing if it has no fixes.
    public mutating func append<Failure: Error>(
        _ track: ExportedTrack, to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let lines = track.segments.filter { $0.count > 1 }.flatMap(AntimeridianCut.lines)
        if !lines.isEmpty { try append(lines, of: track, to: &bytes, flush: flush) }
        for fixes in track.segments where fixes.count == 1 {
            append(Vertex(fixes[0]), of: track, to: &bytes)
            try bytes.flushIfLong(flush)
        }
    }

    private mutating func append<Failure: Error>(
        _ lines: [[Vertex]], of track: ExportedTrack, to bytes: inout [UInt8],
        flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        beginFeature(of: track, to: &bytes)
        if lines.contains(where: { $0.contains { $0.time != nil } }) {
            bytes.append(",\"coordTimes\":")
            try append(lines, to: &bytes, flush: flush) { vertex, bytes in append(vertex.time, to: &bytes) }
        }
        bytes.append("},\"geometry\":{\"type\":")
        bytes.append(lines.count > 1 ? "\"MultiLineString\"" : "\"LineString\"")
        bytes.append(",\"coordinates\":")
        try append(lines, to: &bytes, flush: flush) { vertex, bytes in append(vertex, to: &bytes) }
        bytes.append("}}")
    }

    private mutating func append(_ vertex: Vertex, of track: ExportedTrack, to bytes: inout [UInt8]) {
        beginFeature(of: track, to: &bytes)
        if let time = vertex.time {
            bytes.append(",\"time\":")
            append(time, to: &bytes)
        }
        bytes.append("},\"geometry\":{\"type\":\"Point\",\"coordinates\":")
        append(vertex, to: &bytes)
        bytes.append("}}")
    }

    /// Writes an array with one element for each vertex, or an array of such arrays if there are several lines.
    private func append<Failure: Error>(
        _ lines: [[Vertex]], to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void,
        element: (Vertex, inout [UInt8]) -> Void
    ) throws(Failure) {
        if lines.count > 1 { bytes.append("[") }
        for (index, line) in lines.enumerated() {
            bytes.append(index == 0 ? "[" : ",[")
            for (index, vertex) in line.enumerated() {
                if index > 0 { bytes.append(",") }
                element(vertex, &bytes)
                try bytes.flushIfLong(flush)
            }
            bytes.append("]")
        }
        if lines.count > 1 { bytes.append("]") }
    }

    private mutating func beginFeature(to bytes: inout [UInt8]) {
        if hasFeature { bytes.append(",\n") }
        hasFeature = true
        bytes.append("{\"type\":\"Feature\",")
    }

    /// Writes the beginning of a feature, up to its properties, which stay open.
    private mutating func beginFeature(of track: ExportedTrack, to bytes: inout [UInt8]) {
        beginFeature(to: &bytes)
        bytes.append("\"properties\":{\"name\":")
        append(track.name, to: &bytes)
        if let kind = track.kind {
            bytes.append(",\"kind\":")
            append(kind.rawValue, to: &bytes)
        }
        guard let description = track.description else { return }
        bytes.append(",\"description\":")
        append(description, to: &bytes)
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        var json = JSONWriter()
        json.string(text)
        bytes.append(contentsOf: json.bytes)
    }

    private func append(_ time: Timestamp?, to bytes: inout [UInt8]) {
        guard let time else { return bytes.append("null") }
        bytes.append("\"")
        bytes.append(contentsOf: time.description.utf8)
        bytes.append("\"")
    }

    private func append(_ vertex: Vertex, to bytes: inout [UInt8]) {
        append(
            latitudeE7: vertex.latitudeE7, longitudeE7: vertex.longitudeE7, altitude: vertex.altitude, to: &bytes)
    }

    private func append(latitudeE7: Int32, longitudeE7: Int32, altitude: Distance?, to bytes: inout [UInt8]) {
        bytes.append("[")
        DecimalText.append(unscaled: Int64(longitudeE7), decimals: 7, to: &bytes)
        bytes.append(",")
        DecimalText.append(unscaled: Int64(latitudeE7), decimals: 7, to: &bytes)
        if let altitude, altitude.meters.isFinite {
            bytes.append(",")
            DecimalText.append(altitude.meters, decimals: 1, to: &bytes)
        }
        bytes.append("]")
    }
}
