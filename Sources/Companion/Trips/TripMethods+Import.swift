import Callers
import Geodesy
import Positioning
import RPC
import Service
import Store
import TextCoding
import Time
import Tracking

extension TripMethods {
    /// The largest number of points in one part of a recording: they fit in a line, and take a moment to process.
    public static let largestPart = 2000
    /// The largest number of parts of one recording: one point per second over a long life.
    private static let maximumParts: Int64 = 1_000_000

    var importing: [Method<Principal>] {
        [
            .stored(
                "trips.import",
                "Imports the trips of a past recording, sent in parts, by the rules of live trips. Emits no events.",
                Parameter<String>.identifier(
                    "device", .deviceName, atMost: Schema.longestDeviceName, "The device that made the recording."),
                Self.points,
                Parameter<Int>.optional(
                    "part", .integer(in: 0...Self.maximumParts), default: 0,
                    "The number of the part, from 0; 0 by default."), Self.stops,
                Parameter<Bool>.optional(
                    "sparse", .boolean, default: false,
                    """
                    Only with part 0: whether the points are minutes apart. Trips are then found by the places alone, \
                    however far apart the points are; false by default.
                    """),
                Parameter<Bool>.optional(
                    "more", .boolean, default: false,
                    "Whether another part follows on this connection; false by default."), Self.visits, Self.packed,
                Self.kinds,
                answers: TripImport.Report.shape, errors: [.conflict, .invalidValue, .unavailable], right: .change,
                handler: importPart)
        ]
    }

    @Sendable private func importPart(
        _ call: Call<Principal>, device: String, points: [Fix], number: Int, stops: [ImportedStop]?,
        isSparse: Bool, isMore: Bool, visits: [ImportedStop]?, packed: [Fix]?, kinds: [KindRun]?
    ) async throws -> TripImport.Report {
        guard packed == nil || points.isEmpty else {
            throw Refusal.invalid("packed", "must not be given beside points")
        }
        var fixes = packed ?? points
        for (run, next) in zip(kinds ?? [], (kinds ?? []).dropFirst().map(\.first) + [fixes.count]) {
            for index in run.first..<max(run.first, min(next, fixes.count)) { fixes[index].kind = run.kind }
        }
        let part = TripImport.Part(
            connection: call.caller.number, device: device, number: number, fixes: fixes,
            stops: stops?.map { $0.summary(of: device) }, isSparse: isSparse,
            visits: visits?.map { $0.summary(of: device) } ?? [], isLast: !isMore)
        return try await tripImport.add(part, policy: await liveState.policy(), now: now())
    }

    private static let points = Parameter<[JSONValue]>.required(
        "points", .array(of: ShownPoint.shape.schema, count: 0...largestPart),
        "The next points, in the form that trips.trace returns."
    ).map { points throws(Refusal) in
        var fixes: [Fix] = []
        fixes.reserveCapacity(points.count)
        for point in points { fixes.append(try Fix(point: point)) }
        return fixes
    }

    private static let packed = Parameter<String?>.optional(
        "packed", .string(length: 0...(largestPart * PackedPoints.length + 2) / 3 * 4),
        """
        The next points in Base64, instead of points. A point has \(PackedPoints.length) bytes, the least significant \
        first: its time in milliseconds since 1970 (8), latitude and longitude in 1e-7 degrees (4 each), altitude, \
        speed, track and accuracy as in points (8 each, IEEE 754; NaN is unknown), and 1 for a gap before it (1).
        """
    ).map { text throws(Refusal) -> [Fix]? in
        guard let text else { return nil }
        guard let fixes = PackedPoints(base64: text)?.fixes else {
            throw Refusal.invalid("packed", "must be Base64 of whole points, each with a valid time and position")
        }
        return fixes
    }

    /// How the device travelled from a point on.
    struct KindRun: Sendable {
        var first: Int
        var kind: TripKind?
    }

    private static let kinds = Parameter<[JSONValue]?>.optional(
        "kinds",
        .array(
            of: .object([
                .required(
                    "first", .integer(in: 0...Int64(largestPart - 1)), "The index of a point of this part, from 0."),
                .optional("kind", .choice(of: TripKind.self), "How the device travelled; absent if it is unknown."),
            ]), count: 0...largestPart),
        """
        How the device travelled, as the recording tells it, each until the next; in the order of the points. A trip \
        has the kind for which its points tell the longest time.
        """
    ).map { values throws(Refusal) -> [KindRun]? in
        guard let values else { return nil }
        var runs: [KindRun] = []
        for value in values {
            guard let first = value["first"].flatMap({ Int(json: $0) }), runs.last.map({ $0.first < first }) ?? true
            else { throw Refusal.invalid("kinds", "must be in the order of the points") }
            let kind = value["kind"].flatMap { String(json: $0) }.flatMap { TripKind(rawValue: $0) }
            runs.append(KindRun(first: first, kind: kind))
        }
        return runs
    }

    private static let stops = imported(
        "stops",
        "Only with part 0, for a trip that was exported: the stops on it. The trip is then stored as it is, from "
            + "its first point to its last.")

    private static let visits = imported(
        "visits",
        "Visits that the recording tells. Each becomes a stop, unless the device was on a trip or another stop then.")

    private static func imported(_ name: String, _ doc: String) -> Parameter<[ImportedStop]?> {
        Parameter<[JSONValue]?>.optional(
            name,
            .array(
                of: .object([
                    .required("start", .time, "The time of the arrival."),
                    .required("end", .time, "The time of the departure."),
                    .required("lat", .latitude, "Degrees north."),
                    .required("lon", .longitude, "Degrees east."),
                ]), count: 0...maximumStops), doc
        ).map { values throws(Refusal) -> [ImportedStop]? in
            guard let values else { return nil }
            var stops: [ImportedStop] = []
            for value in values { stops.append(try ImportedStop(value, field: name)) }
            return stops
        }
    }
}

/// A stop as an import passes it.
private struct ImportedStop: Sendable {
    let start: Timestamp
    let end: Timestamp
    let place: Coordinate

    init(_ value: JSONValue, field: String) throws(Refusal) {
        func time(_ name: String) -> Timestamp? {
            value[name].flatMap { String(json: $0) }.flatMap { Timestamp(rfc3339: $0) }
        }
        guard let start = time("start"), let end = time("end"), start <= end,
            let latitude = value["lat"].flatMap({ Double(json: $0) }),
            let longitude = value["lon"].flatMap({ Double(json: $0) }),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw Refusal.invalid(
                field, "must each have a start, an end that is not before the start, and a valid position")
        }
        (self.start, self.end, self.place) = (start, end, place)
    }

    func summary(of device: String) -> StopSummary {
        var stop = StopSummary(device: device, start: start, place: place)
        stop.end = end
        return stop
    }
}

extension Fix {
    /// Creates a fix from an imported point.
    ///
    /// A value that no receiver reports becomes unknown.
    fileprivate init(point: JSONValue) throws(Refusal) {
        func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
            point[name].flatMap { Double(json: $0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        guard let time = point["time"].flatMap({ String(json: $0) }).flatMap({ Timestamp(rfc3339: $0) }),
            let latitude = number("lat", in: -90...90), let longitude = number("lon", in: -180...180),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw Refusal.invalid("points", "must each have a time in the format of RFC 3339 and a valid position") }
        self.init(time: time, coordinate: place, beginsSegment: point["gap"] == .bool(true))
        altitude = number("alt", in: Fix.altitudes).map(Distance.meters)
        speed = number("speed", in: Fix.speeds).map(Speed.metersPerSecond)
        track = number("track", in: -360...360).map { Angle.degrees($0).normalized }
        accuracy = number("accuracy", in: Fix.accuracies).map(Distance.meters)
    }
}

extension TripImport.Report: Answerable {
    static let shape = AnswerShape<TripImport.Report>.object {
        Member("trips", .array(of: ended), "The trips that ended in this part.") { $0.trips }
        Member("stops", .integer, "The number of stops that were added.") { $0.stops }
        Member("known_stops", .integer, "The number of stops that were stored already.") { $0.knownStops }
        Member("read", .integer, "The number of points of the recording that were read so far.") { $0.statistics.read }
        Member("rejected", tally, "The number of points that were rejected, by reason.") { $0.statistics.rejected }
        Member.optional("first_rejected", first, "The first of them.") { $0.firstRejected }
    }

    private static let ended = AnswerShape<(trip: TripSummary, outcome: PastTrip.Outcome)>.object {
        TripSummary.members.of { $0.trip }
        Member(
            "outcome", .text(.choice(["added", "known", "overlapping"])),
            "Whether it was added, was stored already, or was skipped because another trip of its device overlaps it."
        ) { $0.outcome.name }
        Member.optional("with", .text, "The id of the overlapping trip.") { $0.outcome.other }
    }

    private static let first = AnswerShape<(reason: String, time: Timestamp)>.object {
        Member("reason", .text, "The reason.") { $0.reason }
        Member("time", .time, "The time of the point.") { $0.time }
    }

    private static let tally = AnswerShape<Tally>(.map(of: .integer)) { tally, json in
        json.object { json in
            for (reason, count) in tally.sorted { json.member(reason, count) }
        }
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

    /// The id of the trip that overlaps this one; `nil` if none does.
    fileprivate var other: String? {
        if case .overlapping(let id) = self { id } else { nil }
    }
}
