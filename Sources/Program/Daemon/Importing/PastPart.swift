import Geodesy
import Histories
import Positioning
import RPC
import Time
import Trips

/// A part of a past recording, as `trips.import` takes it.
struct PastPart {
    private var number = 0
    private var points = PackedPoints()
    /// How the device travelled from a point on, by the indices of the points.
    private var kinds: [JSONValue] = []
    private var kind: TripKind?
    /// The stops on an exported trip; `nil` if trips and stops have to be found.
    private var stops: [JSONValue]?
    /// The visits that a history tells; `nil` if there are none in this part.
    private var visits: [JSONValue]?
    private var isLast = false
    /// Whether the points of the recording are minutes apart.
    private let isSparse: Bool
    /// Whether there is a gap before the next point.
    private var isApart = false

    /// Creates the first part of a recording, without points.
    init(stops: [ExportedStop]? = nil, isSparse: Bool = false) {
        self.isSparse = isSparse
        self.stops = stops.map { stops in
            stops.prefix(TripMethods.maximumStops).map { stop in
                [
                    "start": .string(stop.start.description), "end": .string(stop.end.description),
                    "lat": .number(stop.place.latitude), "lon": .number(stop.place.longitude),
                ]
            }
        }
    }

    /// The number of points.
    var count: Int { points.count }

    /// Adds a fix; a fix without a time is left out.
    ///
    /// - Returns: The part, if it now has `most` points; this value is then the next part.
    mutating func add(_ fix: Fix, most: Int) -> PastPart? {
        isApart = isApart || fix.beginsSegment
        guard fix.time != nil else { return nil }
        if fix.kind != kind || points.count == 0 && fix.kind != nil {
            kind = fix.kind
            var run: JSONObject = ["first": .integer(Int64(points.count))]
            run["kind"] = kind.map { .string($0.rawValue) }
            kinds.append(.object(run))
        }
        points.append(fix, gap: isApart)
        isApart = false
        guard points.count == most else { return nil }
        let full = self
        beginNext()
        stops = nil
        return full
    }

    private mutating func beginNext() {
        number += 1
        points.removeAll()
        kinds = []
    }

    /// Adds visits, of which as many stay in this part as it can have.
    ///
    /// - Returns: The parts to send before this one.
    mutating func addVisits(_ more: [HistoryVisit]) -> [PastPart] {
        var full: [PastPart] = []
        for start in stride(from: 0, to: more.count, by: TripMethods.maximumStops) {
            if visits != nil {
                full.append(self)
                beginNext()
            }
            visits = more[start...].prefix(TripMethods.maximumStops).map { visit in
                [
                    "start": .string(visit.start.description), "end": .string(visit.end.description),
                    "lat": .number(visit.coordinate.latitude), "lon": .number(visit.coordinate.longitude),
                ]
            }
        }
        return full
    }

    /// Whether this is the last part of its recording.
    var isEnd: Bool { isLast }

    /// The part, marked as the last of its recording.
    var last: PastPart {
        var part = self
        part.isLast = true
        return part
    }

    /// Returns the parameters of the call that imports the part.
    func parameters(device: String) -> JSONObject {
        var json: JSONObject = [
            "device": .string(device), "points": [], "part": .integer(Int64(number)),
        ]
        if points.count > 0 { json["packed"] = .string(points.base64) }
        if !kinds.isEmpty { json["kinds"] = .array(kinds) }
        json["stops"] = stops.map { .array($0) }
        json["visits"] = visits.map { .array($0) }
        if isSparse, number == 0 { json["sparse"] = true }
        json["more"] = .bool(!isLast)
        return json
    }
}
