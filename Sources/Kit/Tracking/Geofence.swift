public import Geodesy
public import Time

/// A circle around a place that the engine watches for devices that enter or leave it.
public struct Geofence: Hashable, Sendable, Codable {
    /// A geofence's unique name: its kind, and its id within the kind.
    public struct Identity: Hashable, Sendable, Codable {
        /// The kind of the place.
        public var kind: Kind
        /// The id, unique within the kind.
        public var id: String

        /// Creates an identity from a kind and an id.
        public init(kind: Kind, id: String) {
            self.kind = kind
            self.id = id
        }
    }

    /// The kind of a watched place.
    ///
    /// Each feature that watches places has its own kind.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        public let rawValue: String

        /// Creates a kind from its name, which must not contain a slash.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A point of interest.
        public static let sight = Kind(rawValue: "sight")
    }

    /// The unique name.
    public var identity: Identity
    /// The title for people.
    public var title: String
    /// The centre of the circle.
    public var center: Coordinate
    /// The radius of the circle.
    ///
    /// A device at most this far from the centre is inside.
    public var radius: Distance
    /// The time and devices for which the geofence is watched; `nil` for always and all devices.
    public var watch: Watch?

    /// The time span and devices for which a geofence is watched, by the time of the devices' fixes.
    ///
    /// Before the span, the geofence does not exist for these devices. After it, the geofence counts as removed.
    public struct Watch: Hashable, Sendable, Codable {
        /// The first moment.
        public var since: Timestamp
        /// The last moment.
        public var until: Timestamp
        /// The names of the devices.
        public var devices: [String]

        /// Creates a watch for a time span and some devices.
        public init(since: Timestamp, until: Timestamp, devices: [String]) {
            self.since = since
            self.until = until
            self.devices = devices
        }

        /// Whether a geofence is watched, and if not, why.
        enum State {
            case watched
            case otherDevices
            case notYet
            case over
        }

        func state(at time: Timestamp, of device: String) -> State {
            guard devices.contains(device) else { return .otherDevices }
            guard time >= since else { return .notYet }
            return time <= until ? .watched : .over
        }
    }

    /// Creates a geofence that is always watched, for all devices.
    public init(identity: Identity, title: String, center: Coordinate, radius: Distance) {
        self.identity = identity
        self.title = title
        self.center = center
        self.radius = radius
    }
}
