public import Positioning

/// Reads a location history in JSON, of whichever kind it is: Google's records, months and timelines, OwnTracks' lists,
/// GeoJSON, Overland's batches and Polarsteps.
///
/// The names of the members tell the kind, wherever they stand. The text is UTF-8, with or without a byte-order mark.
/// What has no meaning for a history is checked for its grammar and skipped. One location or segment is held at a time,
/// of at most 131,072 values and 2 MiB of text. Of a GeoJSON line, the places wait for their times or the times for their
/// places, at most a million. Objects and arrays may be nested 64 deep, and a text may have 1 MiB.
///
/// The time is linear in the length of the text, however it is split.
public struct JSONHistory: HistoryDecoder {
    private var input = JSONInput()
    private var reader = JSONHistoryReader()

    /// Creates a reader at the beginning of a file.
    public init() {}

    /// The kind of the history; `nil` until something in it has told the kind.
    public var format: HistoryFormat? { reader.format }

    /// Whether the text turned out to be whole, and JSON of something else, when an error was thrown.
    public private(set) var isOfSomethingElse = false

    /// What stood in the history as a point and was none, counted by reason.
    public var dropped: [DroppedPoint: Int] { reader.dropped }

    /// Decodes bytes, and appends the items that are complete.
    ///
    /// - Throws: `RecordingError` with line and column (in bytes) if the text is not JSON, if it is nested too deep or a
    ///   part of it too long.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        swap(&items, &reader.items)
        defer { swap(&items, &reader.items) }
        try input.feed(bytes, into: &reader)
    }

    /// Ends the history.
    ///
    /// - Throws: `RecordingError` if the text is not complete, or is JSON of something else.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        swap(&items, &reader.items)
        defer { swap(&items, &reader.items) }
        try input.finish(into: &reader)
        guard reader.format == nil else { return }
        isOfSomethingElse = true
        throw RecordingError(reader.complaint)
    }
}

/// The members of an object, or the array itself, that hold the points of a history.
enum HistoryList: Hashable {
    /// The text itself is an array.
    case root
    /// `locations` of Google's records, Overland and Polarsteps.
    case locations
    /// `timelineObjects` of Google's months.
    case timelineObjects
    /// `semanticSegments` of Google's timeline of Android.
    case semanticSegments
    /// `rawSignals` of the same.
    case rawSignals
    /// `features` of GeoJSON.
    case features
    /// `data` of OwnTracks.
    case data
    /// `all_steps` of Polarsteps.
    case allSteps

    private static let named: [(StaticString, HistoryList)] = [
        ("locations", .locations), ("timelineObjects", .timelineObjects), ("semanticSegments", .semanticSegments),
        ("rawSignals", .rawSignals), ("features", .features), ("data", .data), ("all_steps", .allSteps),
    ]

    /// Returns the list with a name.
    init?(_ range: Range<Int>, of bytes: Span<UInt8>) {
        for (name, list) in Self.named where name.utf8CodeUnitCount == range.count {
            var at = range.lowerBound
            for byte in name.description.utf8 where at < range.upperBound && bytes[at] == byte { at += 1 }
            if at == range.upperBound {
                self = list
                return
            }
        }
        return nil
    }

    /// The members that mean something within the list's elements.
    var fields: JSONFieldSet {
        switch self {
        case .locations: Self.location
        case .timelineObjects: Self.segment
        case .semanticSegments, .rawSignals: Self.timeline
        case .features: Self.feature
        case .data: Self.message
        case .allSteps: Self.step
        case .root: Self.element
        }
    }

    private static let location = JSONFieldSet(
        .latitudeE7, .longitudeE7, .timestampMs, .timestamp, .time, .date, .accuracy, .altitude, .speed, .heading,
        .latitude, .longitude, .type, .geometry, .coordinates, .properties, .action, .activity, .kind)
    private static let segment = JSONFieldSet(
        .activitySegment, .placeVisit, .startLocation, .endLocation, .location, .duration, .startTimestamp,
        .endTimestamp, .startTimestampMs, .endTimestampMs, .simplifiedRawPath, .points, .latitudeE7, .longitudeE7,
        .centerLatitudeE7, .centerLongitudeE7, .timestamp, .timestampMs, .accuracy, .name,
        .activityType)
    private static let timeline = JSONFieldSet(
        .startTime, .endTime, .timelinePath, .point, .time, .minutesFromStart, .activity, .start, .end, .latLng, .visit,
        .topCandidate, .placeLocation, .timelineMemory, .position, .timestamp, .accuracy, .altitude, .speed, .heading,
        .type)
    private static let message = JSONFieldSet(
        .messageType, .latitude, .longitude, .tst, .kilometersPerHour, .trigger, .accuracy, .altitude, .heading)
    private static let step = JSONFieldSet(.startTime, .endTime, .location, .latitude, .longitude, .name)
    /// The members of a feature, also of one that is the whole text.
    static let feature = JSONFieldSet(
        .type, .geometry, .coordinates, .properties, .timestamp, .time, .date, .accuracy, .altitude, .speed, .heading,
        .coordTimes, .coordinateProperties, .action, .kind)
    private static let element = JSONFieldSet(
        .startTime, .endTime, .timelinePath, .point, .time, .minutesFromStart, .activity, .start, .end, .latLng, .visit,
        .topCandidate, .placeLocation, .timelineMemory, .messageType, .latitude, .longitude, .tst, .kilometersPerHour,
        .trigger, .accuracy, .altitude, .heading, .latitudeE7, .longitudeE7, .timestampMs, .timestamp, .speed, .type,
        .geometry, .coordinates, .properties, .date, .coordTimes, .coordinateProperties, .action, .kind)
}
