import Geodesy
import Positioning
import TextCoding
import Time

/// Builds points and visits from the elements of a KML document.
struct KMLBuilder {
    enum Name: String, CaseIterable {
        case root = "kml"
        case placemark = "Placemark"
        case name
        case point = "Point"
        case coordinates
        case stamp = "TimeStamp"
        case span = "TimeSpan"
        case when
        case begin
        case end
        case track = "Track"
        case place = "coord"
        case altitudeMode
        case data = "Data"
        case value
    }

    private(set) var dropped: [DroppedPoint: Int] = [:]

    private var path = ElementPath<Name>()
    private var text: ElementText { path.text }
    private var mark = Placemark()
    private var pairing: KMLTrackPairing
    private let maximumWaitingPoints: Int
    private var trackBegins = true
    private var waiting: [WaitingPoint] = []
    private var use = PointUse.undecided

    /// What happens with the points of Placemarks.
    private enum PointUse {
        /// They wait, because a track may come.
        case undecided
        /// They count, because there were too many to wait. The next begins a segment, or does not.
        case counts(beginsSegment: Bool)
        /// They are those of a track, or beside it.
        case isBesideTrack
    }

    /// A point of a Placemark, in few bytes.
    private struct WaitingPoint {
        var time: Timestamp
        var coordinate: Coordinate
        var altitude: Float?
    }

    private struct Placemark {
        var name: String?
        var point: KMLTrackPairing.Place?
        var stamp: TimeOrReason?
        var begin: TimeOrReason?
        var end: TimeOrReason?
        var hasSpan = false
        var altitudeMode: String?
        /// How somebody travelled.
        var kind: TripKind?
    }

    /// The names, in lower case, of data that tell how somebody travelled.
    private static let kinds: Set<String> = ["kind", "category"]
    /// Whether the data that is open tells how somebody travelled.
    private var isKind = false

    /// Creates a builder at the beginning of a document; see ``KMLDecoder`` for the bounds.
    init(maximumWaiting: Int, maximumWaitingPoints: Int) {
        pairing = KMLTrackPairing(maximumWaiting: maximumWaiting)
        self.maximumWaitingPoints = maximumWaitingPoints
    }

    /// Takes a piece, and appends the items that are complete.
    ///
    /// - Throws: `RecordingError` if too many times of a track wait for their places.
    mutating func handle(
        _ piece: XMLElements.Piece, _ bytes: [UInt8], into items: inout [HistoryItem]
    ) throws(RecordingError) {
        switch path.follow(piece, bytes) {
        case .begin(let name, in: let outer): begin(name, in: outer)
        case .end(let name): try end(name, into: &items)
        case .attribute(let name):
            if path.parent == .data { isKind = Self.kinds.contains(String(decoding: name, as: UTF8.self).lowercased()) }
        case nil: break
        }
    }

    /// Ends the document: the points that wait count if no track came.
    mutating func finish(into items: inout [HistoryItem]) {
        if case .undecided = use { release(into: &items) }
    }

    private mutating func begin(_ name: Name?, in outer: Name?) {
        switch name {
        case .placemark: mark = Placemark()
        case .span: if outer == .placemark { mark.hasSpan = true }
        case .track: trackBegins = true
        case .data: isKind = false
        default: break
        }
    }

    private mutating func end(_ name: Name, into items: inout [HistoryItem]) throws(RecordingError) {
        let parent = path.parent
        let isOfPlacemark = path.open.count >= 2 && path.open[path.open.count - 2] == .placemark
        switch (parent, name) {
        case (.placemark, .name): mark.name = text.string
        case (.data, .value): if isKind { mark.kind = text.string.flatMap { TripKind(word: $0.utf8) } ?? mark.kind }
        case (_, .altitudeMode): mark.altitudeMode = text.string
        case (.point, .coordinates): if mark.point == nil { mark.point = place() }
        case (.stamp, .when): if isOfPlacemark { mark.stamp = text.time }
        case (.span, .begin): if isOfPlacemark { mark.begin = text.time }
        case (.span, .end): if isOfPlacemark { mark.end = text.time }
        case (.track, .when):
            let time = text.time
            if let place = pairing.add(time) { add(time, place, to: &items) }
        case (.track, .place):
            let place = place()
            if let time = pairing.add(place) { add(time, place, to: &items) }
        case (_, .track): endTrack()
        case (_, .placemark): endPlacemark(into: &items)
        default: break
        }
        guard pairing.isWithinBounds else {
            throw RecordingError(
                "a track has more than \(pairing.maximumWaiting) times before their places, or places before "
                    + "their times; split it")
        }
    }

    /// Reads longitude, latitude and perhaps an altitude, with blanks or commas between them.
    private func place() -> KMLTrackPairing.Place {
        let numbers = text.numbers.map { String(decoding: $0, as: UTF8.self) }
        let place = PlaceOrReason(latitude: numbers.dropFirst().first, longitude: numbers.first)
        guard numbers.count > 2, let altitude = DecimalText.parse(numbers[2]), Fix.altitudes.contains(altitude) else {
            return KMLTrackPairing.Place(place: place)
        }
        let counts =
            switch mark.altitudeMode {
            case "absolute": true
            case "relativeToGround", "relativeToSeaFloor": false
            default: altitude != 0
            }
        return KMLTrackPairing.Place(place: place, altitude: counts ? Float(altitude) : nil)
    }

    private mutating func add(_ time: TimeOrReason, _ place: KMLTrackPairing.Place, to items: inout [HistoryItem]) {
        switch (place.place, time) {
        case (.reason(let reason), _), (_, .reason(let reason)): dropped[reason, default: 0] += 1
        case (.place(let coordinate), .time(let time)):
            if case .undecided = use {
                use = .isBesideTrack
                waiting = []
            }
            var fix = Self.fix(time, coordinate, place.altitude, beginsSegment: trackBegins)
            fix.kind = mark.kind
            items.append(.fix(fix))
            trackBegins = false
        }
    }

    private mutating func endTrack() {
        let left = pairing.end()
        if left.times > 0 { dropped[.noPosition, default: 0] += left.times }
        if left.places > 0 { dropped[.noTime, default: 0] += left.places }
    }

    private mutating func endPlacemark(into items: inout [HistoryItem]) {
        guard let point = mark.point else { return }
        guard case .place(let coordinate) = point.place else {
            if case .reason(let reason) = point.place { dropped[reason, default: 0] += 1 }
            return
        }
        if let stamp = mark.stamp {
            switch stamp {
            case .reason(let reason): dropped[reason, default: 0] += 1
            case .time(let time):
                add(WaitingPoint(time: time, coordinate: coordinate, altitude: point.altitude), to: &items)
            }
        } else if mark.hasSpan {
            addVisit(coordinate, to: &items)
        } else {
            dropped[.noTime, default: 0] += 1
        }
    }

    private mutating func addVisit(_ coordinate: Coordinate, to items: inout [HistoryItem]) {
        switch (mark.begin ?? .reason(.noTime), mark.end ?? .reason(.noTime)) {
        case (.reason(let reason), _), (_, .reason(let reason)): dropped[reason, default: 0] += 1
        case (.time(let start), .time(let end)):
            guard start <= end else { return dropped[.outOfRange, default: 0] += 1 }
            items.append(.visit(HistoryVisit(start: start, end: end, coordinate: coordinate, name: mark.name)))
        }
    }

    private mutating func add(_ point: WaitingPoint, to items: inout [HistoryItem]) {
        switch use {
        case .isBesideTrack: break
        case .counts(let beginsSegment):
            items.append(.fix(Self.fix(point.time, point.coordinate, point.altitude, beginsSegment: beginsSegment)))
            use = .counts(beginsSegment: false)
        case .undecided:
            waiting.append(point)
            if waiting.count == maximumWaitingPoints { release(into: &items) }
        }
    }

    private mutating func release(into items: inout [HistoryItem]) {
        for (index, point) in waiting.enumerated() {
            items.append(.fix(Self.fix(point.time, point.coordinate, point.altitude, beginsSegment: index == 0)))
        }
        use = .counts(beginsSegment: waiting.isEmpty)
        waiting = []
    }

    private static func fix(
        _ time: Timestamp, _ coordinate: Coordinate, _ altitude: Float?, beginsSegment: Bool
    ) -> Fix {
        var fix = Fix(time: time, coordinate: coordinate, beginsSegment: beginsSegment)
        fix.altitude = altitude.map { .meters(Double($0)) }
        return fix
    }
}
