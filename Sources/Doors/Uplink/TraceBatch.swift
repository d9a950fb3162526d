import Geodesy
package import Positioning
import RPC
import TextCoding
package import Time
import Tracking
package import WebClient

/// A part of the trace of a trip on its way from a board to the centre.
///
/// It is a JSON object, `{"trace":…,"log":…,"after":…,"more":…,"trip":{…},"points":[…]}`. `trace` is the number of the event
/// with which the trip ended or was changed, `after` the time of the last point of the part before, absent from the first
/// part, and `more` says whether another part follows. A point is an array: milliseconds since 1970, latitude and longitude
/// in 1e-7 degrees, altitude in decimetres, speed in centimetres a second, course in tenths of a degree, accuracy in metres,
/// and 1 if the way from the point before is not known. From the second point on, the first three are what they have more
/// than those of the point before. What is unknown is `null`, or absent at the end.
package struct TraceBatch: Hashable, Sendable {
    /// The name of the log.
    package var log: String
    /// The number of the event that told of the trip.
    package var seq: Int64
    /// The time of the last point of the part before; `nil` if this is the first.
    package var after: Timestamp?
    /// Whether another part follows.
    package var isFollowed: Bool
    /// The trip as it is now.
    package var trip: HandedTrip
    /// The points, in order of time.
    package var points: [Fix]

    /// The most points in a part.
    package static let longest = 500

    /// Whether a body is that of such a part, and not of events.
    package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: prefix) }

    private static let prefix = Array(#"{"trace":"#.utf8)

    /// Creates a part from its contents.
    package init(
        log: String, seq: Int64, after: Timestamp?, isFollowed: Bool, trip: HandedTrip, points: [Fix]
    ) {
        self.log = log
        self.seq = seq
        self.after = after
        self.isFollowed = isFollowed
        self.trip = trip
        self.points = points
    }

    /// The part as it is sent.
    package var bytes: [UInt8] {
        JSONText.object { json in
            json.member("trace", seq)
            json.member("log", log)
            json.member("after", after?.description)
            json.member("more", isFollowed)
            json.object("trip") { json in
                json.member("device", trip.summary.device)
                trip.writeMembers(to: &json)
            }
            json.array("points") { json in
                var last = Row()
                for point in points {
                    let row = Row(point)
                    row.write(after: last, to: &json)
                    last = row
                }
            }
        }.bytes
    }

    /// Reads a part.
    ///
    /// - Throws: ``WebFailure`` if it is none.
    package init(_ bytes: [UInt8]) throws(WebFailure) {
        guard let json = try? JSONValue(parsing: bytes.span), case .string(let log)? = json["log"],
            case .integer(let seq)? = json["trace"], (1...EventChain.greatest).contains(seq),
            case .bool(let isFollowed)? = json["more"], let member = json["trip"],
            case .string(let device)? = member["device"], let trip = HandedTrip(member, device: device),
            trip.summary.end != nil, case .array(let rows)? = json["points"], rows.count <= Self.longest
        else { throw WebFailure("is no part of a trace") }
        let after = HandedTrip.time(json, "after")
        guard after != nil || json["after"] == nil, !isFollowed || !rows.isEmpty else {
            throw WebFailure("is no part of a trace")
        }
        var points: [Fix] = []
        var (last, time) = (Row(), after ?? .earliest)
        for value in rows {
            guard let row = Row(value, after: last), let fix = row.fix, let moment = fix.time,
                moment > time || points.isEmpty && after == nil
            else { throw WebFailure("has points that are none, or not in order") }
            points.append(fix)
            (last, time) = (row, moment)
        }
        self.init(log: log, seq: seq, after: after, isFollowed: isFollowed, trip: trip, points: points)
    }
}

/// A point in whole units.
private struct Row {
    /// The time, the latitude and the longitude.
    var place: [Int64] = [0, 0, 0]
    /// The altitude, the speed, the course and the accuracy.
    var rest: [Int64?] = [nil, nil, nil, nil]
    var isApart = false

    /// Creates the point before the first.
    init() {}

    init(_ fix: Fix) {
        place = [
            fix.time?.milliseconds ?? 0, Int64(fix.coordinate.latitudeE7), Int64(fix.coordinate.longitudeE7),
        ]
        rest = [
            Self.whole(fix.altitude.map { $0.meters * 10 }), Self.whole(fix.speed.map { $0.metersPerSecond * 100 }),
            Self.whole(fix.track.map { $0.degrees * 10 }), Self.whole(fix.accuracy?.meters),
        ]
        isApart = fix.beginsSegment
    }

    init?(_ value: JSONValue, after last: Row) {
        guard case .array(let values) = value, (3...8).contains(values.count) else { return nil }
        for index in 0..<3 {
            guard case .integer(let difference) = values[index] else { return nil }
            let (sum, overflows) = last.place[index].addingReportingOverflow(difference)
            guard !overflows else { return nil }
            place[index] = sum
        }
        for (index, value) in values.dropFirst(3).prefix(4).enumerated() {
            switch value {
            case .null: break
            case .integer(let number): rest[index] = number
            default: return nil
            }
        }
        isApart = values.count == 8 && values[7] == 1
    }

    /// The point as a fix; `nil` if its time or its place is none.
    ///
    /// A value that no receiver reports becomes unknown.
    var fix: Fix? {
        guard let time = Timestamp(exactly: place[0]), let latitude = Int32(exactly: place[1]),
            let longitude = Int32(exactly: place[2]),
            let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        else { return nil }
        var fix = Fix(time: time, coordinate: coordinate, beginsSegment: isApart)
        fix.altitude = number(0, by: 10, in: Fix.altitudes).map(Distance.meters)
        fix.speed = number(1, by: 100, in: Fix.speeds).map(Speed.metersPerSecond)
        fix.track = number(2, by: 10, in: Fix.tracks).map(Angle.degrees)
        fix.accuracy = number(3, by: 1, in: Fix.accuracies).map(Distance.meters)
        return fix
    }

    /// Writes what the point has more than the one before.
    func write(after last: Row, to json: inout JSONWriter) {
        let known = isApart ? 4 : (rest.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0)
        json.array { json in
            for index in 0..<3 { json.integer(place[index] - last.place[index]) }
            for value in rest.prefix(known) {
                if let value { json.integer(value) } else { json.null() }
            }
            if isApart { json.integer(1) }
        }
    }

    private func number(_ index: Int, by unit: Double, in range: ClosedRange<Double>) -> Double? {
        rest[index].map { Double($0) / unit }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// Returns a number in whole units; `nil` if it is none.
    private static func whole(_ value: Double?) -> Int64? { value.flatMap { Int64(exactly: $0.rounded()) } }
}
