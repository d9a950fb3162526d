public import Geodesy
public import Positioning

/// Something that happened, as the daemon says it.
public struct Event: Hashable, Sendable {
    /// What happened.
    public var kind: Kind
    /// When it happened, in the time of the fixes.
    public var time: Timestamp
    /// When it was decided, where that is later.
    public var decided: Timestamp?
    /// To which device.
    public var device: String
    /// Where.
    public var place: Coordinate

    /// Something that happened to a device, at a time and place.
    public init(kind: Kind, time: Timestamp, decided: Timestamp? = nil, device: String, place: Coordinate) {
        self.kind = kind
        self.time = time
        self.decided = decided
        self.device = device
        self.place = place
    }

    /// What happened, with what belongs to it.
    public enum Kind: Hashable, Sendable {
        /// A fix was accepted. Not durable.
        case position(Fix)
        /// The device came within a geofence; `initial` where nothing was known before.
        case enter(GeofenceSighting, initial: Bool)
        /// The device left a geofence after so many seconds, or the geofence was removed around it.
        case exit(GeofenceSighting, inside: Double, removed: Bool)
        /// The device has stayed inside for the dwell time, and for so many seconds.
        case dwell(GeofenceSighting, inside: Double)
        /// The device went through between two fixes; the sighting is that of the closest approach.
        case cross(GeofenceSighting)
        /// The device will enter a geofence if it keeps its course.
        case approach(GeofenceSighting, Approach)
        /// A recorded trip began.
        case tripStart(TripSummary)
        /// A recorded trip ended.
        case tripEnd(TripSummary)
        /// The device came to rest.
        case stopStart(StopSummary)
        /// The device moved on.
        case stopEnd(StopSummary)
    }

    /// A geofence as it was seen from a place.
    public struct GeofenceSighting: Hashable, Sendable {
        /// Which geofence.
        public var geofence: Geofence
        /// How far its middle was.
        public var distance: Distance

        /// A geofence, seen from so far.
        public init(geofence: Geofence, distance: Distance) {
            self.geofence = geofence
            self.distance = distance
        }
    }

    /// How a geofence is approached.
    public struct Approach: Hashable, Sendable {
        /// 1 where it is told early, 2 where it is told shortly before; see ``Lookahead``.
        public var tier: Int
        /// Seconds until the device is inside.
        public var eta: Double
        /// The direction in which its middle lies.
        public var bearing: Angle
        /// On which side of the course that is.
        public var side: Side

        /// So many seconds ahead, in a direction.
        public init(tier: Int, eta: Double, bearing: Angle, side: Side) {
            self.tier = tier
            self.eta = eta
            self.bearing = bearing
            self.side = side
        }
    }

    /// A side of a course.
    public enum Side: String, Hashable, Sendable {
        /// To the left of it.
        case left
        /// Within 20 degrees of it.
        case ahead
        /// To the right of it.
        case right

        private static let widthAhead = 20.0

        /// The side on which a direction lies.
        public init(of bearing: Angle, seenOn course: Angle) {
            let turn = Angle(degrees: bearing.degrees - course.degrees + 180).normalized.degrees - 180
            self = abs(turn) <= Self.widthAhead ? .ahead : turn < 0 ? .left : .right
        }
    }

    /// The type of positions on the wire.
    static let positionType = "position"

    /// The name of the type on the wire.
    public var type: String {
        switch kind {
        case .position: Self.positionType
        case .enter: "geofence.enter"
        case .exit: "geofence.exit"
        case .dwell: "geofence.dwell"
        case .cross: "geofence.cross"
        case .approach: "geofence.approach"
        case .tripStart: "trip.start"
        case .tripEnd: "trip.end"
        case .stopStart: "stop.start"
        case .stopEnd: "stop.end"
        }
    }

    /// What the event is about, as `KIND/ID`; a position is about nothing but its device.
    public var subject: String? {
        switch kind {
        case .position: nil
        case .enter(let sighting, _), .exit(let sighting, _, _), .dwell(let sighting, _), .cross(let sighting),
            .approach(let sighting, _):
            "\(sighting.geofence.identity.kind.rawValue)/\(sighting.geofence.identity.id)"
        case .tripStart(let trip), .tripEnd(let trip): "trip/\(trip.id)"
        case .stopStart(let stop), .stopEnd(let stop): "stop/\(stop.id)"
        }
    }

    /// Whether it is kept in the log.
    public var isDurable: Bool {
        if case .position = kind { false } else { true }
    }

    /// The order of events that one fix decides: positions first, then by time, then by rank, kind and id.
    public static func precedes(_ lhs: Event, _ rhs: Event) -> Bool {
        if lhs.isDurable != rhs.isDurable { return !lhs.isDurable }
        if lhs.time != rhs.time { return lhs.time < rhs.time }
        if lhs.rank != rhs.rank { return lhs.rank < rhs.rank }
        let (left, right) = (lhs.subject ?? "", rhs.subject ?? "")
        return left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private var rank: Int {
        switch kind {
        case .position: 0
        case .stopEnd: 1
        case .tripStart: 2
        case .exit: 3
        case .cross: 4
        case .enter: 5
        case .dwell: 6
        case .approach: 7
        case .stopStart: 8
        case .tripEnd: 9
        }
    }
}
