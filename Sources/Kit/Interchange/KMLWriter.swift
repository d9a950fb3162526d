public import Geodesy
internal import Positioning
public import Shapes
internal import TextCoding
import Time

/// Writes tracks and points as a KML 2.2 document (OGC 07-147r2), with Google's `gx` extension for times.
///
/// If all fixes of a track have a time, it is written as a `gx:Track`, or as a `gx:MultiTrack` if it has several
/// segments. Otherwise it is written as plain lines, because a `gx:Track` needs a `when` for each position. Known
/// altitudes are written, but they do not lift the line off the ground, which is the default of KML. How somebody
/// travelled is in the data of the Placemark, named `kind`.
public struct KMLWriter: TrackWriter {
    /// Creates a writer of a new document.
    public init() {}

    /// Writes the beginning of the document.
    public mutating func begin(to bytes: inout [UInt8]) {
        bytes.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        bytes.append("<kml xmlns=\"http://www.opengis.net/kml/2.2\" xmlns:gx=\"http://www.google.com/kml/ext/2.2\">\n")
        bytes.append("<Document>\n")
    }

    /// Writes the end of the document.
    public mutating func end(to bytes: inout [UInt8]) { bytes.append("</Document>\n</kml>\n") }

    /// Writes a point as a Placemark, with its data if there is any.
    public mutating func append(
        point: Coordinate, name: String?, description: String? = nil, data: [ExportedProperty] = [],
        to bytes: inout [UInt8]
    ) {
        beginPlacemark(name: name, description: description, to: &bytes)
        append(data, to: &bytes)
        bytes.append("<Point><coordinates>")
        append(point, altitude: nil, separator: ",", to: &bytes)
        bytes.append("</coordinates></Point>\n</Placemark>\n")
    }

    /// Writes a track as a Placemark, or nothing if it has no fixes.
    public mutating func append<Failure: Error>(
        _ track: ExportedTrack, to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let segments = track.segments.filter { !$0.isEmpty }
        guard !segments.isEmpty else { return }
        let isTimed = segments.allSatisfy { $0.allSatisfy { $0.time != nil } }
        beginPlacemark(name: track.name, description: track.description, to: &bytes)
        append(track.kind.map { [ExportedProperty("kind", $0.rawValue)] } ?? [], to: &bytes)
        let isSingle = segments.count == 1
        if !isSingle { bytes.append(isTimed ? "<gx:MultiTrack>\n" : "<MultiGeometry>\n") }
        for fixes in segments {
            if isTimed {
                try appendTrack(fixes, to: &bytes, flush: flush)
            } else {
                try appendLine(fixes, to: &bytes, flush: flush)
            }
        }
        if !isSingle { bytes.append(isTimed ? "</gx:MultiTrack>\n" : "</MultiGeometry>\n") }
        bytes.append("</Placemark>\n")
    }

    private func appendTrack<Failure: Error>(
        _ fixes: [Fix], to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append("<gx:Track>\n")
        for fix in fixes {
            guard let time = fix.time else { continue }
            bytes.append("<when>")
            bytes.append(contentsOf: time.description.utf8)
            bytes.append("</when>\n")
            try bytes.flushIfLong(flush)
        }
        for fix in fixes {
            bytes.append("<gx:coord>")
            append(fix.coordinate, altitude: fix.altitude, separator: " ", to: &bytes)
            bytes.append("</gx:coord>\n")
            try bytes.flushIfLong(flush)
        }
        bytes.append("</gx:Track>\n")
    }

    /// Writes a line, or a point if there is only one fix.
    private func appendLine<Failure: Error>(
        _ fixes: [Fix], to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append(fixes.count == 1 ? "<Point><coordinates>\n" : "<LineString><coordinates>\n")
        for fix in fixes {
            append(fix.coordinate, altitude: fix.altitude, separator: ",", to: &bytes)
            bytes.append("\n")
            try bytes.flushIfLong(flush)
        }
        bytes.append(fixes.count == 1 ? "</coordinates></Point>\n" : "</coordinates></LineString>\n")
    }

    private func beginPlacemark(name: String?, description: String?, to bytes: inout [UInt8]) {
        bytes.append("<Placemark>\n")
        if let name {
            bytes.append("<name>")
            XMLText.append(name, to: &bytes)
            bytes.append("</name>\n")
        }
        if let description {
            bytes.append("<description>")
            XMLText.append(description, to: &bytes)
            bytes.append("</description>\n")
        }
    }

    private func append(_ data: [ExportedProperty], to bytes: inout [UInt8]) {
        guard !data.isEmpty else { return }
        bytes.append("<ExtendedData>\n")
        for property in data { append(property, to: &bytes) }
        bytes.append("</ExtendedData>\n")
    }

    /// Writes a shape as a Placemark with its data: a circle as its centre, a corridor as its lines.
    public mutating func append(
        shape: Shape, name: String?, description: String? = nil, data: [ExportedProperty] = [],
        to bytes: inout [UInt8]
    ) {
        beginPlacemark(name: name, description: description, to: &bytes)
        append(data, to: &bytes)
        let isSingle = shape.parts.count == 1
        if !isSingle { bytes.append("<MultiGeometry>\n") }
        for part in shape.parts {
            switch shape.kind {
            case .circle, .corridor:
                let element = shape.kind == .circle ? "Point" : "LineString"
                for line in part { append(line, in: element, to: &bytes) }
            case .polygon:
                bytes.append("<Polygon>\n")
                for (index, ring) in part.enumerated() {
                    bytes.append(index == 0 ? "<outerBoundaryIs>" : "<innerBoundaryIs>")
                    append(ring, in: "LinearRing", to: &bytes)
                    bytes.append(index == 0 ? "</outerBoundaryIs>\n" : "</innerBoundaryIs>\n")
                }
                bytes.append("</Polygon>\n")
            }
        }
        if !isSingle { bytes.append("</MultiGeometry>\n") }
        bytes.append("</Placemark>\n")
    }

    private func append(_ places: [Coordinate], in element: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "<\(element)><coordinates>".utf8)
        for (index, place) in places.enumerated() {
            if index > 0 { bytes.append(" ") }
            append(place, altitude: nil, separator: ",", to: &bytes)
        }
        bytes.append(contentsOf: "</coordinates></\(element)>".utf8)
    }

    private func append(_ property: ExportedProperty, to bytes: inout [UInt8]) {
        bytes.append("<Data name=\"")
        XMLText.append(property.name, to: &bytes)
        bytes.append("\"><value>")
        switch property.value {
        case .text(let text): XMLText.append(text, to: &bytes)
        case .number(let number): DecimalText.append(number, decimals: 7, to: &bytes)
        }
        bytes.append("</value></Data>\n")
    }

    private func append(
        _ coordinate: Coordinate, altitude: Distance?, separator: StaticString, to bytes: inout [UInt8]
    ) {
        DecimalText.append(unscaled: Int64(coordinate.longitudeE7), decimals: 7, to: &bytes)
        bytes.append(separator)
        DecimalText.append(unscaled: Int64(coordinate.latitudeE7), decimals: 7, to: &bytes)
        guard let altitude, altitude.meters.isFinite else { return }
        bytes.append(separator)
        DecimalText.append(altitude.meters, decimals: 1, to: &bytes)
    }
}
