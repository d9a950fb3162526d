import Geodesy
public import Positioning

/// Reads the track points of a GPX document as fixes; see ``GPXReader`` for what it reads.
///
/// Waypoints and routes are no fixes. All tracks and segments are one stream, in document order.
public final class GPXDecoder: FixDecoder {
    private let document = GPXDocumentReader(.fixes)

    /// Nothing read yet.
    public init() {}

    /// What was skipped so far; see ``GPXReader/malformed``.
    public var malformed: Tally { document.malformed }

    /// Reads on, and appends the fixes that are complete; see ``GPXReader/feed(_:into:)``.
    public func feed(_ bytes: Span<UInt8>, into fixes: inout [Fix]) throws(RecordingError) {
        defer { document.moveFixes(to: &fixes) }
        try document.feed(bytes)
    }

    /// The document ends here: appends the last fixes; see ``GPXReader/finish(into:)``.
    public func finish(into fixes: inout [Fix]) throws(RecordingError) {
        defer { document.moveFixes(to: &fixes) }
        try document.finish()
    }
}

extension Fix {
    /// The fix that a point of a GPX document tells of.
    ///
    /// The accuracy is that of an extension, else estimated from a dilution of precision above 0.
    public init(_ point: GPXPoint, beginsSegment: Bool) {
        self.init(time: point.time, coordinate: point.coordinate, beginsSegment: beginsSegment)
        altitude = point.elevation
        speed = point.speed
        track = point.course
        hdop = point.hdop
        if let written = point.accuracy, written > .zero {
            accuracy = written
        } else if let hdop, hdop > 0 {
            accuracy = Accuracy.estimated(hdop: hdop)
        }
        mode =
            switch point.fixType {
            case .twoDimensional: .twoDimensional
            case .threeDimensional, .differential, .precise: .threeDimensional
            case nil, .some(.none): nil
            }
        satellites = point.satellites
    }
}
