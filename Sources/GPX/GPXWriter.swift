public import Geodesy
public import Positioning
import TextCoding

/// Writes a GPX 1.1 document, piece by piece.
///
/// What is written is appended to ``bytes``, which may be taken away with ``removeAll()`` at any time, so that a
/// long track needs little memory. Call ``finish()`` at the end. Waypoints come before tracks, as the schema has it.
/// Speed and course go into Garmin's TrackPointExtension v2; a point's ``GPXPoint/accuracy``, for which no schema
/// has an element, is not written.
///
/// Degrees have at most 7 decimals, metres, seconds and metres a second 3, other numbers 2. What is unknown is left
/// out.
///
/// - SeeAlso: [GPX 1.1](https://www.topografix.com/GPX/1/1/),
///   [TrackPointExtension v2](https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd).
public struct GPXWriter: Sendable {
    /// What was written since the last ``removeAll()``, UTF-8.
    public var bytes: [UInt8] { xml.bytes }

    private enum Position { case waypoints, tracks, track, segment, end }

    private var xml = XMLWriter()
    private var position = Position.waypoints

    /// A document of which the header is written.
    ///
    /// - Parameters:
    ///   - name: what the document is called.
    ///   - time: when it was made.
    ///   - bounds: what all its points lie within.
    public init(name: String? = nil, time: Timestamp? = nil, bounds: GeographicBounds? = nil) {
        xml.declaration()
        xml.begin(
            "gpx",
            [
                ("version", "1.1"), ("creator", "Waymark"), ("xmlns", "http://www.topografix.com/GPX/1/1"),
                ("xmlns:gpxtpx", "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"),
            ])
        xml.newLine()
        guard name != nil || time != nil || bounds != nil else { return }
        xml.begin("metadata")
        xml.element("name", name)
        xml.element("time", time?.description)
        if let bounds {
            xml.begin(
                "bounds",
                [
                    ("minlat", Self.latitude(bounds.minLatitudeE7)), ("minlon", Self.longitude(bounds.minLongitudeE7)),
                    ("maxlat", Self.latitude(bounds.maxLatitudeE7)), ("maxlon", Self.longitude(bounds.maxLongitudeE7)),
                ])
            xml.end("bounds")
        }
        xml.end("metadata")
        xml.newLine()
    }

    /// Forgets what was written so far, and keeps the memory; what comes is written as if it stood before.
    public mutating func removeAll() { xml.removeAll() }

    /// Writes a waypoint; there must be no track yet.
    public mutating func waypoint(_ point: GPXPoint) {
        precondition(position == .waypoints, "waypoints come before tracks")
        write(point, as: "wpt")
    }

    /// Begins a track, after the end of the one before.
    public mutating func beginTrack(name: String? = nil) {
        endTrack()
        xml.begin("trk")
        xml.element("name", name)
        xml.newLine()
        position = .track
    }

    /// Begins a segment of the track, after the end of the one before; there must be a track.
    public mutating func beginSegment() {
        endSegment()
        precondition(position == .track, "a segment is part of a track")
        xml.begin("trkseg")
        xml.newLine()
        position = .segment
    }

    /// Writes a point of the segment; there must be a segment.
    public mutating func trackPoint(_ point: GPXPoint) {
        precondition(position == .segment, "a track point is part of a segment")
        write(point, as: "trkpt")
    }

    /// Ends the document; nothing may be written after that.
    public mutating func finish() {
        endTrack()
        xml.end("gpx")
        xml.newLine()
        position = .end
    }

    private mutating func endSegment() {
        guard position == .segment else { return }
        xml.end("trkseg")
        xml.newLine()
        position = .track
    }

    /// Ends the track, if one is open.
    public mutating func endTrack() {
        endSegment()
        precondition(position != .end, "the document has ended")
        guard position == .track else { return }
        xml.end("trk")
        xml.newLine()
        position = .tracks
    }

    /// Writes the elements in the order that the schema demands (`wptType`).
    private mutating func write(_ point: GPXPoint, as name: StaticString) {
        let place = point.coordinate
        xml.begin(
            name, [("lat", Self.latitude(place.latitudeE7)), ("lon", Self.longitude(place.longitudeE7))])
        xml.element("ele", point.elevation?.meters, decimals: 3)
        xml.element("time", point.time?.description)
        xml.element("name", point.name)
        xml.element("cmt", point.comment)
        xml.element("desc", point.description)
        xml.element("sym", point.symbol)
        xml.element("type", point.category)
        xml.element("fix", point.fixType?.rawValue)
        xml.element("sat", point.satellites.map(Double.init), decimals: 0)
        xml.element("hdop", point.hdop, decimals: 2)
        if point.speed != nil || point.course != nil {
            xml.begin("extensions")
            xml.begin("gpxtpx:TrackPointExtension")
            xml.element("gpxtpx:speed", point.speed?.metersPerSecond, decimals: 3)
            xml.element("gpxtpx:course", point.course.map(Self.course), decimals: 2)
            xml.end("gpxtpx:TrackPointExtension")
            xml.end("extensions")
        }
        xml.end(name)
        xml.newLine()
    }

    private static func latitude(_ unitsE7: Int32) -> String { degrees(unitsE7) }

    /// The antimeridian is -180 in GPX: `longitudeType` is below 180.
    private static func longitude(_ unitsE7: Int32) -> String {
        degrees(unitsE7 == 1_800_000_000 ? -1_800_000_000 : unitsE7)
    }

    private static func degrees(_ unitsE7: Int32) -> String {
        var text: [UInt8] = []
        DecimalText.append(unscaled: Int64(unitsE7), decimals: 7, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Within 0 ..< 360, also after rounding to hundredths, as `degreesType` is.
    private static func course(_ angle: Angle) -> Double {
        let degrees = angle.normalized.degrees
        return degrees < 359.995 ? degrees : 0
    }
}
