import Geodesy
public import Positioning
import Time

/// Reads the Trackpoints of a Training Center Database (TCX), as training programs export it.
///
/// A Trackpoint with a time and a place is a point; one without is counted in ``dropped``, as indoors. A segment begins
/// at an activity, and where a second Track of the same lap follows a pause. A lap alone is no break.
///
/// The time is linear in the length, and the memory does not grow with it. The reader opens nothing outside the
/// document and expands no entities.
///
/// - SeeAlso: Garmin, *Training Center Database*, version 2.
public struct TCXDecoder: HistoryDecoder {
    /// What stood in the file as a point and was none, counted by reason.
    public var dropped: [DroppedPoint: Int] { builder.dropped }

    private let document = XMLDocument(
        root: "TrainingCenterDatabase", names: Builder.Name.allCases.map(\.rawValue), attribute: "Sport")
    private var builder = Builder()

    /// Creates a decoder at the beginning of a document.
    public init() {}

    /// Reads a chunk, and appends the items that are complete; see `HistoryDecoder`.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        try document.feed(bytes) { piece, text throws(RecordingError) in
            builder.handle(piece, text, into: &items)
        }
    }

    /// Ends the file, and appends the last items; see `HistoryDecoder`.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        try document.finish { piece, text throws(RecordingError) in
            builder.handle(piece, text, into: &items)
        }
    }

    /// Builds points from the elements.
    private struct Builder {
        enum Name: String, CaseIterable {
            case root = "TrainingCenterDatabase"
            case activity = "Activity"
            case course = "Course"
            case lap = "Lap"
            case track = "Track"
            case trackpoint = "Trackpoint"
            case time = "Time"
            case position = "Position"
            case latitude = "LatitudeDegrees"
            case longitude = "LongitudeDegrees"
            case altitude = "AltitudeMeters"
            case extensions = "TPX"
            case speed = "Speed"
        }

        var dropped: [DroppedPoint: Int] = [:]
        private var path = ElementPath<Name>()
        /// The sport of the activity.
        private var kind: TripKind?
        private var point = Point()
        private var isFirstOfLap = true
        private var beginsSegment = true

        private struct Point {
            var time = TimeOrReason.reason(.noTime)
            var latitude: String?
            var longitude: String?
            var altitude: Double?
            var speed: Double?
        }

        mutating func handle(_ piece: XMLElements.Piece, _ bytes: [UInt8], into items: inout [HistoryItem]) {
            switch path.follow(piece, bytes) {
            case .begin(let name, in: _): begin(name)
            case .attribute(let value): if path.parent == .activity { kind = TripKind(word: value) }
            case .end(let name): end(name, into: &items)
            case nil: break
            }
        }

        private mutating func begin(_ name: Name?) {
            switch name {
            case .activity, .course: (beginsSegment, isFirstOfLap, kind) = (true, true, nil)
            case .lap: isFirstOfLap = true
            case .track:
                if !isFirstOfLap { beginsSegment = true }
                isFirstOfLap = false
            case .trackpoint: point = Point()
            default: break
            }
        }

        private mutating func end(_ name: Name, into items: inout [HistoryItem]) {
            let text = path.text
            switch (path.parent, name) {
            case (.trackpoint, .time): point.time = text.time
            case (.position, .latitude): point.latitude = text.string
            case (.position, .longitude): point.longitude = text.string
            case (.trackpoint, .altitude): point.altitude = text.number
            case (.extensions, .speed): point.speed = text.number
            case (.track, .trackpoint): add(to: &items)
            default: break
            }
        }

        private mutating func add(to items: inout [HistoryItem]) {
            switch (PlaceOrReason(latitude: point.latitude, longitude: point.longitude), point.time) {
            case (.reason(let reason), _), (_, .reason(let reason)): dropped[reason, default: 0] += 1
            case (.place(let place), .time(let time)):
                var fix = Fix(time: time, coordinate: place, beginsSegment: beginsSegment)
                fix.altitude = point.altitude.flatMap { Fix.altitudes.contains($0) ? .meters($0) : nil }
                fix.speed = point.speed.flatMap { Fix.speeds.contains($0) ? .metersPerSecond($0) : nil }
                fix.kind = kind
                beginsSegment = false
                items.append(.fix(fix))
            }
        }
    }
}
