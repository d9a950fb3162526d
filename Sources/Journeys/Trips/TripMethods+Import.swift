import EventStream
import Geodesy
import Positioning
import RPC
import Service
import Store
import TextCoding
import Tracking

extension TripMethods {
    /// The most points in one part of a recording: they fit a line, and take a moment.
    public static let largestPart = 2000
    /// The most parts of one recording: a point a second of a long life.
    private static let mostParts: Int64 = 1_000_000

    var importing: [Method<Principal>] {
        [
            .stored(
                "trips.import",
                "Keeps the trips of a recording of the past, given part by part: by the rules of live ones, without events.",
                parameters: [
                    .required("device", Schema.deviceName, "The device that recorded it."),
                    .required(
                        "points", .array(of: Self.point, count: 0...Self.largestPart),
                        "The next points, as trips.trace gives them."),
                    .optional("part", .integer(in: 0...Self.mostParts), "Which part it is; 0, the first, if left out."),
                    .optional(
                        "stops", .array(of: Self.stop, count: 0...Self.mostStops),
                        "With part 0, of a trip that was exported: the stops on it. It is kept as it is, from its first "
                            + "point to its last."),
                    .optional("more", .boolean, "True where another part follows, on this connection."),
                ],
                result: .object([
                    .required(
                        "trips",
                        .array(
                            of: .object(
                                TripSummary.row + [
                                    .required(
                                        "outcome", .choice(["added", "known", "overlapping"]),
                                        "Whether it was added, was there already, or was left out for another trip of "
                                            + "its device in that time."),
                                    .optional("with", .string, "The id of that other trip."),
                                ])), "The trips that ended in this part."),
                    .required("stops", .integer, "How many stops were added."),
                    .required("read", .integer, "How many points of the recording have come so far."),
                    .required("rejected", .map(of: .integer), "How many of them were rejected, by reason."),
                ]), errors: [.conflict, .invalidValue, .unavailable], right: .change, handler: takePart)
        ]
    }

    @Sendable private func takePart(_ call: Call<Principal>) async throws -> JSONText {
        let points: [JSONValue] = try call.value("points")
        let device = try call.identifier("device", atMost: Schema.longestDeviceName)
        let stops: [JSONValue]? = try call.optional("stops")
        let part = TripImport.Part(
            connection: call.caller.number, device: device, number: try call.optional("part") ?? 0,
            fixes: try points.map(Self.fix), stops: try stops?.map { try Self.stop($0, device: device) },
            isLast: try call.optional("more") != true)
        let report = try await tripImport.take(part, policy: await present.policy(), now: now())
        return .object { json in
            json.array("trips") { json in
                for (trip, outcome) in report.trips {
                    json.object { json in
                        trip.writeMembers(to: &json)
                        trip.writeDetails(to: &json)
                        json.member("outcome", outcome.name)
                        if case .overlapping(let id) = outcome { json.member("with", id) }
                    }
                }
            }
            json.member("stops", report.stops)
            json.member("read", report.statistics.read)
            json.object("rejected") { json in
                for (reason, count) in report.statistics.rejected.sorted { json.member(reason, count) }
            }
        }
    }

    private static let stop = Schema.object([
        .required("start", Schema.time, "The arrival."),
        .required("end", Schema.time, "The departure."),
        .required("lat", Schema.latitude, "Degrees north."),
        .required("lon", Schema.longitude, "Degrees east."),
    ])

    private static func stop(_ value: JSONValue, device: String) throws(RPCError) -> StopSummary {
        func time(_ name: String) -> Timestamp? {
            value[name].flatMap { String(json: $0) }.flatMap { Timestamp(rfc3339: $0) }
        }
        guard let start = time("start"), let end = time("end"), start <= end,
            let latitude = value["lat"].flatMap({ Double(json: $0) }),
            let longitude = value["lon"].flatMap({ Double(json: $0) }),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw RPCError.invalid("stops", "must each have a start, an end not before it, and a place on earth") }
        var stop = StopSummary(device: device, start: start, place: place)
        stop.end = end
        return stop
    }

    /// The fix of a point; what no receiver says is unknown.
    private static func fix(_ point: JSONValue) throws(RPCError) -> Fix {
        func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
            point[name].flatMap { Double(json: $0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        guard let time = point["time"].flatMap({ String(json: $0) }).flatMap({ Timestamp(rfc3339: $0) }),
            let latitude = number("lat", in: -90...90), let longitude = number("lon", in: -180...180),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw RPCError.invalid("points", "must each have a time as RFC 3339 writes it, and a place on earth") }
        var fix = Fix(time: time, coordinate: place, beginsSegment: point["gap"] == .bool(true))
        fix.altitude = number("alt", in: Fix.altitudes).map(Distance.meters)
        fix.speed = number("speed", in: Fix.speeds).map(Speed.metersPerSecond)
        fix.track = number("track", in: -360...360).map { Angle.degrees($0).normalized }
        fix.accuracy = number("accuracy", in: Fix.accuracies).map(Distance.meters)
        return fix
    }
}

extension PastTrip.Outcome {
    fileprivate var name: String {
        switch self {
        case .added: "added"
        case .known: "known"
        case .overlapping: "overlapping"
        }
    }
}
