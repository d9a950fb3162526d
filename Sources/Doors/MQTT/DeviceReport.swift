public import Geodesy
public import Positioning
internal import TextCoding
public import Time

/// What the broker is told of one device.
public struct DeviceReport: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The name for people; `nil` if it has no other.
    public var title: String?
    /// The last fix; `nil` if there was none.
    public var fix: Fix?
    /// Whether it is on a trip and not at a stop.
    public var isMoving: Bool
    /// The way that it has made today.
    public var distanceToday: Distance
    /// The first moment of today, from which that way counts; `nil` if it is unknown.
    public var day: Timestamp?
    /// The id of its open trip.
    public var trip: String?

    /// Creates a report.
    public init(
        name: String, title: String? = nil, fix: Fix? = nil, isMoving: Bool = false, distanceToday: Distance = .zero,
        day: Timestamp? = nil, trip: String? = nil
    ) {
        self.name = name
        self.title = title
        self.fix = fix
        self.isMoving = isMoving
        self.distanceToday = distanceToday
        self.day = day
        self.trip = trip
    }
}

/// What the door asks the daemon.
public protocol DeviceReports: Sendable {
    /// Returns the devices that the broker may be told of, sorted by name.
    func reports() async throws -> [DeviceReport]
}

extension DeviceReport {
    /// The place as JSON, with the names that Home Assistant reads; `nil` without a fix.
    var position: [UInt8]? {
        guard let fix else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.member("latitude", fix.coordinate.latitude, decimals: 7)
            json.member("longitude", fix.coordinate.longitude, decimals: 7)
            json.member("gps_accuracy", fix.accuracy?.meters, decimals: 1)
            json.member("speed", fix.speed?.metersPerSecond, decimals: 2)
            json.member("course", fix.track?.degrees, decimals: 1)
            json.member("altitude", fix.altitude?.meters, decimals: 1)
            json.member("time", fix.time?.description)
        }
        return json.bytes
    }

    /// The state as JSON; what is unknown is null, since templates need each member.
    var state: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("moving", isMoving)
            if let speed = fix?.speed {
                json.member("speed", speed.metersPerSecond, decimals: 2)
            } else {
                json.key("speed")
                json.null()
            }
            json.member("distance_today", distanceToday.meters / 1000, decimals: 3)
            json.member("day", day?.description)
            json.member("trip", trip)
            json.member("time", fix?.time?.description)
        }
        return json.bytes
    }
}
