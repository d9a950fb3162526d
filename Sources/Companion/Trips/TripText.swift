import GPX
import Interchange
import Positioning
import Service
import Store
import Tracking

/// The text of exported trips.
///
/// Its sections are a head, one section per trip, and a tail.
///
/// Writing can resume at any section as if all sections before had been written.
struct TripText {
    private enum Writer {
        case gpx(GPXWriter)
        case tracks(any TrackWriter)
    }

    let trips: [RecordedTrip]
    private let source: TripExport.Source
    private let format: TripExport.Format
    private var writer: Writer
    /// The section to write next: 0 for the head, then one per trip, and one for the tail; `nil` after the tail.
    private(set) var next: Int? = 0
    /// The number of segments in the sections before ``next``.
    private(set) var segments = 0

    init(of trips: [RecordedTrip], as format: TripExport.Format, from source: TripExport.Source) {
        self.trips = trips
        self.source = source
        self.format = format
        switch format {
        case .gpx: writer = .gpx(GPXWriter(name: ExportedStop.documentName, time: trips.first?.summary.start))
        case .geojson: writer = .tracks(GeoJSONWriter())
        case .kml: writer = .tracks(KMLWriter())
        case .csv: writer = .tracks(CSVTrackWriter(withKinds: Self.haveKinds(trips)))
        }
    }

    private static func haveKinds(_ trips: [RecordedTrip]) -> Bool { trips.contains { $0.summary.kind != nil } }

    /// Skips to a section other than the first.
    ///
    /// The sections before it have the given number of segments.
    mutating func skip(to section: Int, after segments: Int) {
        next = section
        self.segments = segments
        switch (format, writer) {
        case (.csv, _): writer = .tracks(CSVTrackWriter(after: segments, withKinds: Self.haveKinds(trips)))
        case (.geojson, _): writer = .tracks(GeoJSONWriter(hasFeatures: segments > 0))
        case (_, .gpx(var gpx)):
            gpx.removeAll()
            writer = .gpx(gpx)
        default: break
        }
    }

    /// Writes a section, which must be ``next``.
    ///
    /// Calls `write` with each piece of its text.
    mutating func write(_ section: Int, to write: ([UInt8]) throws -> Void) throws {
        next = section > trips.count ? nil : section + 1
        switch writer {
        case .gpx(var gpx):
            try self.write(section, with: &gpx, to: write)
            writer = .gpx(gpx)
        case .tracks(var tracks):
            try self.write(section, with: &tracks, to: write)
            writer = .tracks(tracks)
        }
    }

    private mutating func write(
        _ section: Int, with writer: inout GPXWriter, to write: ([UInt8]) throws -> Void
    ) throws {
        func flush(atLeast length: Int = 1) throws {
            guard writer.bytes.count >= length else { return }
            try write(writer.bytes)
            writer.removeAll()
        }
        switch section {
        case 0:
            for trip in trips {
                for stop in try source.stops(on: trip.summary) {
                    for point in ExportedStop.waypoints(of: stop, onTrip: trip.summary.id) { writer.waypoint(point) }
                }
                try flush(atLeast: exportFlushLength)
            }
        case ...trips.count:
            let trip = trips[section - 1].summary.id
            writer.beginTrack(name: trip, type: trips[section - 1].summary.kind?.rawValue)
            var isFirst = true
            try source.forEachPoint(ofTrip: trip) { fix in
                if isFirst || fix.beginsSegment {
                    writer.beginSegment()
                    segments += 1
                }
                isFirst = false
                writer.trackPoint(GPXPoint(fix))
                try flush(atLeast: exportFlushLength)
            }
            writer.endTrack()
        default: writer.finish()
        }
        try flush()
    }

    private mutating func write(
        _ section: Int, with writer: inout any TrackWriter, to write: ([UInt8]) throws -> Void
    ) throws {
        var bytes: [UInt8] = []
        func flush(_ bytes: inout [UInt8]) throws {
            guard !bytes.isEmpty else { return }
            try write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        switch section {
        case 0: writer.begin(to: &bytes)
        case ...trips.count:
            let trip = trips[section - 1].summary.id
            var track = ExportedTrack(name: trip, kind: trips[section - 1].summary.kind, segments: [])
            try source.forEachPoint(ofTrip: trip) { fix in
                if track.segments.isEmpty || fix.beginsSegment { track.segments.append([]) }
                track.segments[track.segments.count - 1].append(fix)
            }
            segments += track.segments.count
            try writer.append(track, to: &bytes, flush: flush)
        default: writer.end(to: &bytes)
        }
        try flush(&bytes)
    }
}

extension GPXPoint {
    /// Creates the track point of a fix.
    fileprivate init(_ fix: Fix) {
        self.init(fix.coordinate)
        elevation = fix.altitude
        time = fix.time
        speed = fix.speed
        course = fix.track
        accuracy = fix.accuracy
    }
}
