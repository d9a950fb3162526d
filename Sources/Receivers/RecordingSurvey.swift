public import GPX
public import Positioning
public import TextCoding

/// What a recording holds, counted and measured; of a damaged one, what stands before the damage.
public struct RecordingSurvey: Sendable {
    /// What the recording is written in; nil where that was not found out.
    public private(set) var format: Recording.Format?
    /// The counts.
    public private(set) var counts = GPXSurvey()
    /// What was skipped, by reason.
    public private(set) var malformed = Tally()
    /// Why it could not be read, or not to its end.
    public private(set) var error: RecordingError?

    /// Reads a file, or standard input where it is called `-`.
    ///
    /// Memory does not grow with it.
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
        func take(_ read: () throws(RecordingError) -> Void) throws(RecordingError) {
            defer { items.removeAll(keepingCapacity: true) }
            do throws(RecordingError) {
                try read()
            } catch {
                for item in items { counts.add(item) }
                throw error
            }
            for item in items { counts.add(item) }
        }
        try take { () throws(RecordingError) in try reader.feed(first.span, into: &items) }
        while let piece = try file.next() {
            try take { () throws(RecordingError) in try reader.feed(piece.span, into: &items) }
        }
        try take { () throws(RecordingError) in try reader.finish(into: &items) }
    }

    /// A log counts as one track of one segment.
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

    /// Writes the members that `waymark inspect` shows into an object that is open.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("format", format?.rawValue)
        counts.writeMembers(to: &json, malformed: malformed)
    }
}
