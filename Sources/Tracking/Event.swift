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

    /// The name of the type on the wire.
    public var type: String {
        switch kind {
        case .position: "position"
        case .enter: "geofence.enter"
        case .exit: "geofence.exit"
        case .dwell: "geofence.dwell"
        case .cross: "geofence.cross"
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
        case .enter(let sighting, _), .exit(let sighting, _, _), .dwell(let sighting, _), .cross(let sighting):
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
        case .stopStart: 7
        case .tripEnd: 8
        }
    }
}
