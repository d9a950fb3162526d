public import Geodesy
public import Positioning
public import Time

/// Something that happened to a device, as a tracker emits it.
public struct Event: Hashable, Sendable {
    /// The kind of the event, with its data.
    public var kind: Kind
    /// The time of the event, on the clock of the fixes.
    public var time: Timestamp
    /// The time at which the tracker decided the event; `nil` if that is ``time``.
    public var decided: Timestamp?
    /// The device that the event happened to.
    public var device: String
    /// The place of the event.
    public var place: Coordinate

    /// Creates an event of a device at a time and place.
    public init(kind: Kind, time: Timestamp, decided: Timestamp? = nil, device: String, place: Coordinate) {
        self.kind = kind
        self.time = time
        self.decided = decided
        self.device = device
        self.place = place
    }

    /// The kind of an event, with its data.
    public enum Kind: Hashable, Sendable {
        /// A fix was accepted. The log does not store this event.
        case position(Fix)
        /// The device entered a geofence.
        ///
        /// `initial` means that it was unknown before whether the device was inside.
        case enter(GeofenceSighting, initial: Bool)
        /// The device left a geofence after `inside` seconds, or the geofence was `removed` around it.
        case exit(GeofenceSighting, inside: Double, removed: Bool)
        /// The device has stayed inside for the dwell time; `inside` is the exact time in seconds.
        case dwell(GeofenceSighting, inside: Double)
        /// The device passed through a geofence between two fixes; the sighting is at the closest point.
        case cross(GeofenceSighting)
        /// The device will enter a geofence if it keeps its course.
        case approach(GeofenceSighting, Approach)
        /// The device is faster than the limit of a geofence, or its own if there is none, or is slower again.
        case speed(GeofenceSighting?, Speeding)
        /// A trip began.
        case tripStart(TripSummary)
        /// A trip ended.
        case tripEnd(TripSummary)
        /// A stop began.
        case stopStart(StopSummary)
        /// A stop ended.
        case stopEnd(StopSummary)
    }

    /// A geofence and its distance from the place of an event.
    public struct GeofenceSighting: Hashable, Sendable {
        /// The geofence.
        public var geofence: Geofence
        /// The distance of the centre of a circle, and otherwise that of the shape, which is 0 inside.
        public var distance: Distance
        /// How far inside the boundary of a shape other than a circle the place is; negative outside.
        ///
        /// `nil` for circles, and where the shape is gone.
        public var edge: Distance?
        /// Whether a geofence that counts as removed only is not watched at this hour.
        public var isClosed = false
        /// How often an alarm has been reported before.
        public var again = 0

        /// Creates a sighting of a geofence whose centre is at `distance`.
        public init(geofence: Geofence, distance: Distance) {
            self.geofence = geofence
            self.distance = distance
        }

        /// Creates a sighting of a geofence that is not a circle; without `edge`, its shape is gone.
        public init(geofence: Geofence, edge: Distance?) {
            self.geofence = geofence
            self.edge = edge
            distance = max(.zero, .zero - (edge ?? .zero))
        }
    }

    /// The course of an approach to a geofence.
    public struct Approach: Hashable, Sendable {
        /// The tier: 1 for the early report, 2 for the report shortly before the geofence; see ``Lookahead``.
        public var tier: Int
        /// The time until the device is inside, in seconds.
        public var eta: Double
        /// The direction of the centre of a circle, or of the nearest point of the line or the boundary of another shape.
        public var bearing: Angle
        /// The side of the course on which that lies.
        public var side: Side

        /// Creates an approach of a tier, with the remaining seconds and the direction.
        public init(tier: Int, eta: Double, bearing: Angle, side: Side) {
            self.tier = tier
            self.eta = eta
            self.bearing = bearing
            self.side = side
        }
    }

    /// How a device exceeds a limit of speed, or has exceeded it.
    public struct Speeding: Hashable, Sendable {
        /// The limit.
        public var limit: Speed
        /// The speed at the event; `nil` if it is unknown.
        public var speed: Speed?
        /// What has ended; `nil` as long as the device is too fast.
        public var end: End?

        /// The figures of the time for which a device was too fast.
        public struct End: Hashable, Sendable {
            /// The greatest speed.
            public var fastest: Speed
            /// The distance travelled.
            public var over: Distance
            /// The time in seconds.
            public var seconds: Double

            /// Creates the figures.
            public init(fastest: Speed, over: Distance, seconds: Double) {
                (self.fastest, self.over, self.seconds) = (fastest, over, seconds)
            }
        }

        /// Creates a description with a limit and the speed.
        public init(limit: Speed, speed: Speed?, end: End? = nil) {
            (self.limit, self.speed, self.end) = (limit, speed, end)
        }
    }

    /// A side of a course.
    public enum Side: String, Hashable, Sendable {
        /// More than 20 degrees to the left of the course.
        case left
        /// At most 20 degrees from the course.
        case ahead
        /// More than 20 degrees to the right of the course.
        case right

        private static let widthAhead = 20.0

        /// Creates the side of a course on which a direction lies.
        public init(of bearing: Angle, seenOn course: Angle) {
            let turn = Angle(degrees: bearing.degrees - course.degrees + 180).normalized.degrees - 180
            self = abs(turn) <= Self.widthAhead ? .ahead : turn < 0 ? .left : .right
        }
    }

    /// The type of a position in the protocol.
    static let positionType = "position"

    /// The type of the event in the protocol.
    public var type: String {
        switch kind {
        case .position: Self.positionType
        case .enter: "geofence.enter"
        case .exit: "geofence.exit"
        case .dwell: "geofence.dwell"
        case .cross: "geofence.cross"
        case .approach: "geofence.approach"
        case .speed: "geofence.speed"
        case .tripStart: "trip.start"
        case .tripEnd: "trip.end"
        case .stopStart: "stop.start"
        case .stopEnd: "stop.end"
        }
    }

    /// The subject of the event as `KIND/ID`; `nil` for a position.
    public var subject: String? {
        switch kind {
        case .position: nil
        case .enter(let sighting, _), .exit(let sighting, _, _), .dwell(let sighting, _), .cross(let sighting),
            .approach(let sighting, _):
            "\(sighting.geofence.identity.kind.rawValue)/\(sighting.geofence.identity.id)"
        case .speed(let sighting, _):
            sighting.map { "\($0.geofence.identity.kind.rawValue)/\($0.geofence.identity.id)" }
        case .tripStart(let trip), .tripEnd(let trip): "trip/\(trip.id)"
        case .stopStart(let stop), .stopEnd(let stop): "stop/\(stop.id)"
        }
    }

    /// Whether the log stores the event.
    public var isDurable: Bool {
        if case .position = kind { false } else { true }
    }

    /// Returns whether an event comes before another one that the same fix decided.
    ///
    /// Positions come first. The other events are ordered by time, then rank, then subject.
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
        case .speed: 8
        case .stopStart: 9
        case .tripEnd: 10
        }
    }
}
