import GPX
import Positioning
import Receivers
import Time
import Trips

/// The trips of a GPX document that Waymark has written, read one by one; see ``ExportedStop``.
struct ExportedTrips {
    private let file: FileBytes
    private let reader = GPXReader()
    private var items: [GPXItem] = []
    private var position = 0
    private var hasEnded = false
    private var stops = ExportedStop.Collection()
    private var kind: TripKind?

    /// Opens a GPX document; `nil` if Waymark has not written it.
    init?(path: String) throws(RecordingError) {
        file = try FileBytes(path: path)
        while items.isEmpty, !hasEnded { try read() }
        guard case .document(let document)? = items.first, document.creator == "Waymark",
            document.name == ExportedStop.documentName
        else { return nil }
    }

    /// Advances to the next trip, and returns the device that its id names and its stops; `nil` at the end.
    mutating func nextTrip() throws(RecordingError) -> (device: String?, stops: [ExportedStop])? {
        while let item = try next() {
            switch item {
            case .waypoint(let point): stops.add(point)
            case .track(let name):
                kind = nil
                return (name.flatMap(Self.device(ofTrip:)), stops[name ?? ""])
            default: break
            }
        }
        return nil
    }

    /// Returns the device of a trip's id, which is DEVICE@TIME, followed by `+` and a number if there are several.
    private static func device(ofTrip id: String) -> String? {
        guard let sign = id.lastIndex(of: "@"), sign > id.startIndex,
            Timestamp(rfc3339: String(id[id.index(after: sign)...].prefix { $0 != "+" })) != nil
        else { return nil }
        return String(id[..<sign])
    }

    /// Returns the next fix of the trip; `nil` at its end.
    mutating func nextFix() throws(RecordingError) -> Fix? {
        var isApart = false
        while let item = try next() {
            switch item {
            case .segment: isApart = true
            case .trackKind(let kind): self.kind = kind
            case .trackPoint(let point):
                var fix = Fix(point, beginsSegment: isApart)
                fix.kind = kind
                return fix
            case .track:
                position -= 1
                return nil
            default: break
            }
        }
        return nil
    }

    private mutating func next() throws(RecordingError) -> GPXItem? {
        while position == items.count {
            guard !hasEnded else { return nil }
            items.removeAll(keepingCapacity: true)
            position = 0
            try read()
        }
        position += 1
        return items[position - 1]
    }

    private mutating func read() throws(RecordingError) {
        if let piece = try file.next() {
            try reader.feed(piece.span, into: &items)
        } else {
            hasEnded = true
            try reader.finish(into: &items)
        }
    }
}
