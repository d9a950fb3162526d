import Geodesy
public import Positioning

/// Decodes the track points of a GPX document as fixes; see ``GPXReader`` for the documents that it reads.
///
/// Waypoints and routes are ignored. All tracks and segments form one stream, in document order.
public final class GPXDecoder: FixDecoder {
    private let document: GPXDocumentReader

    /// Creates a decoder at the beginning of a document.
    ///
    /// - Parameter keepsLines: whether to keep the lines of fixes; see ``drainLines()``.
    public init(keepsLines: Bool = false) { document = GPXDocumentReader(.fixes, keepsLines: keepsLines) }

    /// The number of skipped points and values, by reason; see ``GPXReader/malformed``.
    public var malformed: Tally { document.malformed }

    /// The program that wrote the document, once its root element has been read; see ``GPXDocument/creator``.
    public var creator: String? { document.creator }

    /// The first position that could not be read.
    public var badPosition: GPXBadPosition? { document.badPosition }

    /// Returns the numbers of fixes before each track that has begun since the last call.
    ///
    /// Only tracks with fixes count.
    public func drainTrackBeginnings() -> [Int] { document.drainTrackBeginnings() }

    /// Returns the lines where the fixes begin that were completed since the last call, if they are kept.
    public func drainLines() -> [Int] { document.drainLines() }

    /// Reads a chunk, and appends the fixes that are complete; see ``GPXReader/feed(_:into:)``.
    public func feed(_ bytes: Span<UInt8>, into fixes: inout [Fix]) throws(RecordingError) {
        defer { document.moveFixes(to: &fixes) }
        try document.feed(bytes)
    }

    /// Ends the document, and appends the last fixes; see ``GPXReader/finish(into:)``.
    public func finish(into fixes: inout [Fix]) throws(RecordingError) {
        defer { document.moveFixes(to: &fixes) }
        try document.finish()
    }
}

extension Fix {
    /// Creates a fix from a point of a GPX document.
    ///
    /// The accuracy is that of an extension if there is one above 0. Otherwise it is estimated from a dilution of
    /// precision above 0. From 99 on, a dilution is unknown: receivers write 99.99 then.
    public init(_ point: GPXPoint, beginsSegment: Bool) {
        self.init(time: point.time, coordinate: point.coordinate, beginsSegment: beginsSegment)
        altitude = point.elevation
        speed = point.speed
        track = point.course
        hdop = point.hdop.flatMap { $0 < 99 ? $0 : nil }
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
