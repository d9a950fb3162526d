public import Geodesy
public import Positioning
public import Time

/// A reader of one kind of location history, which turns its bytes into items, piece by piece.
///
/// The pieces may be split anywhere without changing the items. Memory does not grow with the length of the history.
public protocol HistoryDecoder {
    /// Decodes bytes, and appends the items that are complete.
    ///
    /// - Throws: `RecordingError` if the history is so damaged that decoding cannot continue. Do not feed any more bytes
    ///   after that.
    mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError)

    /// Ends the history, and appends the last items.
    ///
    /// - Throws: `RecordingError` if the history is cut off, or has no place for points.
    mutating func finish(into items: inout [HistoryItem]) throws(RecordingError)

    /// What stood in the history as a point and was none, counted by reason.
    var dropped: [DroppedPoint: Int] { get }
}

/// Something that a history tells of where somebody was.
public enum HistoryItem: Hashable, Sendable {
    /// A place at a time. The first fix of a track begins a segment.
    case fix(Fix)
    /// A stay at a place.
    case visit(HistoryVisit)
    /// How somebody travelled in a time; its points come as fixes, before or after it.
    case activity(HistoryActivity)
}

/// A time in which somebody travelled in one way, as a history tells it.
public struct HistoryActivity: Hashable, Sendable {
    /// When it began.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp
    /// How somebody travelled.
    public var kind: TripKind

    /// Creates an activity.
    public init(start: Timestamp, end: Timestamp, kind: TripKind) {
        self.start = start
        self.end = end
        self.kind = kind
    }
}

/// A stay at a place, as a history tells it.
public struct HistoryVisit: Hashable, Sendable {
    /// When the stay began.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp
    /// Where it was.
    public var coordinate: Coordinate
    /// The name of the place; `nil` if the history has none.
    public var name: String?

    /// Creates a stay.
    public init(start: Timestamp, end: Timestamp, coordinate: Coordinate, name: String? = nil) {
        self.start = start
        self.end = end
        self.coordinate = coordinate
        self.name = name
    }
}

/// Why something that stands in a history as a point is none.
public enum DroppedPoint: String, Error, Hashable, Sendable, CaseIterable {
    /// It has no time.
    case noTime = "no-time"
    /// It has no place, or half of one.
    case noPosition = "no-position"
    /// A number of it is no number, such as NaN.
    case notANumber = "not-a-number"
    /// Its place or time is out of range.
    case outOfRange = "out-of-range"
    /// It cannot be read.
    case unreadable
    /// It is OwnTracks' answer to a ping, which repeats an old place with a new time.
    case ping
    /// It is the message that a broker sends in place of a phone that is gone.
    case lastWill = "lwt"
    /// It is OwnTracks' message about the phone itself.
    case status
    /// It is a place that the user has named, not one where the phone was.
    case waypoint
    /// It is encrypted with a key that is not in the history.
    case encrypted
    /// It is another message of a phone, which has no place.
    case otherMessage = "other"
}
