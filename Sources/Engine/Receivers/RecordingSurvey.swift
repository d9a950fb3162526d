public import GPX
public import Positioning
public import TextCoding

/// Counts and measurements of a recording's content.
///
/// Of a damaged recording, they cover the part before the damage.
public struct RecordingSurvey: Sendable {
    /// The format of the recording; `nil` if it was not detected.
    public private(set) var format: Recording.Format?
    /// The counts of the content.
    public private(set) var counts = GPXSurvey()
    /// The counts of skipped input, by reason.
    public private(set) var malformed = Tally()
    /// The error that prevented reading the recording, or reading it to its end.
    public private(set) var error: RecordingError?

    /// Surveys a file, or standard input if the path is `-`.
    ///
    /// Memory does not grow with the length of the file.
    public init(path: String) {
        do throws(RecordingError) {
            try read(path)
        } catch {
            self.error = error
        }
    }

    private mutating func read(_ path: String) throws(RecordingError) {
        let file = try FileBytes(path: path)
        guard let first = try file.next() else { throw RecordingError("the file is empty") }
        guard case .xml = ContentKind(of: first.span) else {
            return try readNMEA(Recording(file, beginning: first, device: Recording.device(of: path)))
        }
        format = .gpx
        let reader = GPXReader()
        var items: [GPXItem] = []
        defer { malformed = reader.malformed }
        func survey(_ read: () throws(RecordingError) -> Void) throws(RecordingError) {
            defer { items.removeAll(keepingCapacity: true) }
            do throws(RecordingError) {
                try read()
            } catch {
                for item in items { counts.add(item) }
                throw error
            }
            for item in items { counts.add(item) }
        }
        try survey { () throws(RecordingError) in try reader.feed(first.span, into: &items) }
        while let piece = try file.next() {
            try survey { () throws(RecordingError) in try reader.feed(piece.span, into: &items) }
        }
        try survey { () throws(RecordingError) in try reader.finish(into: &items) }
        let isEmpty = counts.points + counts.routePoints + counts.waypoints == 0
        if isEmpty, let position = reader.badPosition, position.hasComma { throw position.error }
    }

    /// Surveys an NMEA log, which counts as one track with one segment.
    private mutating func readNMEA(_ recording: Recording) throws(RecordingError) {
        format = .nmea
        defer { malformed = recording.malformed }
        counts.add(.track(name: nil))
        counts.add(.segment)
        while let fixes = try recording.next() {
            for fix in fixes {
                var point = GPXPoint(fix.coordinate)
                point.time = fix.time
                counts.add(.trackPoint(point))
            }
        }
    }

    /// Writes the members that `waymark inspect` shows into an open object.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("format", format?.rawValue)
        counts.writeMembers(to: &json, malformed: malformed)
    }
}
