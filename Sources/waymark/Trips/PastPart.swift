import Geodesy
import Journeys
import Positioning
import RPC

/// A part of a recording of the past, as trips.import takes it.
struct PastPart {
    private var number = 0
    private var points: [JSONValue] = []
    /// The stops on the trip that the recording is; nil where trips and stops are to be found.
    private var stops: [JSONValue]?
    private var isLast = false
    /// Whether the way to the next point is not known.
    private var isApart = false

    /// The first part of a recording, without points yet.
    init(stops: [ExportedStop]? = nil) {
        self.stops = stops.map { stops in
            stops.prefix(TripMethods.mostStops).map { stop in
                [
                    "start": .string(stop.start.description), "end": .string(stop.end.description),
                    "lat": .number(stop.place.latitude), "lon": .number(stop.place.longitude),
                ]
            }
        }
    }

    /// How many points it has.
    var count: Int { points.count }

    /// Adds a fix; one without a time is left out.
    ///
    /// - Returns: the part, where it has `most` points now; this is the next one then.
    mutating func add(_ fix: Fix, most: Int) -> PastPart? {
        isApart = isApart || fix.beginsSegment
        guard let time = fix.time else { return nil }
        points.append(Self.point(fix, at: time, gap: isApart))
        isApart = false
        guard points.count == most else { return nil }
        let full = self
        number += 1
        points.removeAll(keepingCapacity: true)
        stops = nil
        return full
    }

    /// This, with which its recording ends.
    var last: PastPart {
        var part = self
        part.isLast = true
        return part
    }

    /// The call that imports it.
    func parameters(device: String) -> JSONObject {
        JSONObject(present: [
            "device": .string(device), "points": .array(points), "part": .integer(Int64(number)),
            "stops": stops.map { .array($0) }, "more": .bool(!isLast),
        ])
    }

    private static func point(_ fix: Fix, at time: Timestamp, gap: Bool) -> JSONValue {
        .object(
            JSONObject(present: [
                "time": .string(time.description), "lat": .number(fix.coordinate.latitude),
                "lon": .number(fix.coordinate.longitude), "alt": number(fix.altitude?.meters),
                "speed": number(fix.speed?.metersPerSecond), "track": number(fix.track?.degrees),
                "accuracy": number(fix.accuracy?.meters), "gap": gap ? true : nil,
            ]))
    }

    private static func number(_ value: Double?) -> JSONValue? {
        value.flatMap { $0.isFinite ? .number($0) : nil }
    }
}
