import Geodesy
public import Positioning
import Time

/// Reads the ways and stays of a KML document (OGC 07-147r2 and Google's extensions).
///
/// - A `gx:Track` (or `Track`) gives a point for each time and its place, in either order; each track begins a segment.
/// - A Placemark with a Point and a TimeStamp gives a point if the document has no track with points, because many
///   programs write the points of a track a second time as Placemarks.
/// - A Placemark with a Point and a TimeSpan gives a visit, with the name of the Placemark.
///
/// The data `kind` of a Placemark, as Waymark writes it, or `Category`, as Google does, tell how somebody travelled.
///
/// Lines have no times and give nothing. An altitude counts unless it is relative to the ground, and 0 only if the
/// document says that it is absolute.
///
/// The time is linear in the length. The memory is bounded by ``maximumWaiting`` and ``maximumWaitingPoints``. The reader opens nothing outside the
/// document and expands no entities.
public struct KMLDecoder: HistoryDecoder {
    /// What stood in the file as a point and was none, counted by reason.
    public var dropped: [DroppedPoint: Int] { builder.dropped }

    private let document = XMLDocument(
        root: "kml", names: KMLBuilder.Name.allCases.map(\.rawValue), attribute: "name")
    private var builder: KMLBuilder

    /// Creates a decoder at the beginning of a document.
    public init() { self.init(maximumWaiting: Self.maximumWaiting, maximumWaitingPoints: Self.maximumWaitingPoints) }

    init(maximumWaiting: Int, maximumWaitingPoints: Int) {
        builder = KMLBuilder(maximumWaiting: maximumWaiting, maximumWaitingPoints: maximumWaitingPoints)
    }

    /// Reads a chunk, and appends the items that are complete; see `HistoryDecoder`.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        try document.feed(bytes) { piece, text throws(RecordingError) in
            try builder.handle(piece, text, into: &items)
        }
    }

    /// Ends the file, and appends the last items; see `HistoryDecoder`.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        try document.finish { piece, text throws(RecordingError) in
            try builder.handle(piece, text, into: &items)
        }
        builder.finish(into: &items)
    }

    /// The most times of a track that wait for their places, or places for their times.
    ///
    /// At one a second, this many take twelve days. They take about 24 bytes each. A longer track is refused.
    public static let maximumWaiting = 1 << 20
    /// The most points of Placemarks that wait for the end of the document, since a track may come.
    ///
    /// They are handed on at once, with about 150 bytes each. If a document has more of them before its first track, they
    /// count, and so do the points of the track.
    public static let maximumWaitingPoints = 1 << 18
}
