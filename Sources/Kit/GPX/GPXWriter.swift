public import Geodesy
import TextCoding
public import Time

/// Writes a GPX 1.1 document step by step.
///
/// The writer appends to ``bytes``. The caller may empty them with ``removeAll()`` at any time, so that a long track
/// needs little memory. Call ``finish()`` at the end. Waypoints come before tracks, as the schema requires. Speed and
/// course are written in Garmin's TrackPointExtension v2. The ``GPXPoint/accuracy`` of a point is not written, because
/// no schema has an element for it.
///
/// Degrees have at most 7 decimals; metres, seconds and metres per second 3; other numbers 2. Unknown values are
/// omitted.
///
/// - SeeAlso: [GPX 1.1](https://www.topografix.com/GPX/1/1/),
///   [TrackPointExtension v2](https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd).
public struct GPXWriter: Sendable {
    /// The bytes written since the last ``removeAll()``, in UTF-8.
    public var bytes: [UInt8] { xml.bytes }

    private enum Position { case waypoints, tracks, track, segment, end }

    private var xml = XMLWriter()
    private var position = Position.waypoints

    /// Creates a document and writes its header.
    ///
    /// - Parameters:
    ///   - name: the name of the document.
    ///   - time: the time at which the document was created.
    ///   - bounds: the bounds of all its points.
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

    /// Removes the written bytes and keeps their memory; writing continues as if they were still there.
    public mutating func removeAll() { xml.removeAll() }

    /// Writes a waypoint; all waypoints must come before the first track.
    public mutating func waypoint(_ point: GPXPoint) {
        precondition(position == .waypoints, "waypoints come before tracks")
        write(point, as: "wpt")
    }

    /// Ends the open track, if there is one, and begins a new one.
    ///
    /// - Parameter type: how somebody travelled.
    public mutating func beginTrack(name: String? = nil, type: String? = nil) {
        endTrack()
        xml.begin("trk")
        xml.element("name", name)
        xml.element("type", type)
        xml.newLine()
        position = .track
    }

    /// Ends the open segment, if there is one, and begins a new one in the open track, which must exist.
    public mutating func beginSegment() {
        endSegment()
        precondition(position == .track, "a segment is part of a track")
        xml.begin("trkseg")
        xml.newLine()
        position = .segment
    }

    /// Writes a point of the open segment, which must exist.
    public mutating func trackPoint(_ point: GPXPoint) {
        precondition(position == .segment, "a track point is part of a segment")
        write(point, as: "trkpt")
    }

    /// Ends the document; nothing may be written afterwards.
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

    /// Ends the open track, if there is one.
    public mutating func endTrack() {
        endSegment()
        precondition(position != .end, "the document has ended")
        guard position == .track else { return }
        xml.end("trk")
        xml.newLine()
        position = .tracks
    }

    /// Writes a point with its elements in the order that the schema requires (`wptType`).
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

    /// Returns a longitude, with -180 for the antimeridian: `longitudeType` excludes 180.
    private static func longitude(_ unitsE7: Int32) -> String {
        degrees(unitsE7 == 1_800_000_000 ? -1_800_000_000 : unitsE7)
    }

    private static func degrees(_ unitsE7: Int32) -> String {
        var text: [UInt8] = []
        DecimalText.append(unscaled: Int64(unitsE7), decimals: 7, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns a course that is within 0 ..< 360 also after rounding to hundredths, as `degreesType` requires.
    private static func course(_ angle: Angle) -> Double {
        let degrees = angle.normalized.degrees
        return degrees < 359.995 ? degrees : 0
    }
}
