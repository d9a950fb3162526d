public import Geodesy
public import Positioning

/// A place with a radius that the engine watches.
public struct Geofence: Hashable, Sendable, Codable {
    /// What a geofence is called: its kind and, within the kind, its id.
    public struct Identity: Hashable, Sendable, Codable {
        /// What the place is.
        public var kind: Kind
        /// The id among those of its kind.
        public var id: String

        /// The geofence of a kind and id.
        public init(kind: Kind, id: String) {
            self.kind = kind
            self.id = id
        }
    }

    /// What a watched place is; each feature that has places watched has a kind of its own.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// What it is called on the wire.
        public let rawValue: String

        /// The kind of a name, which must be without a slash.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A point of interest.
        public static let sight = Kind(rawValue: "sight")
    }

    /// What it is called.
    public var identity: Identity
    /// What people call it.
    public var title: String
    /// The middle.
    public var center: Coordinate
    /// A device at most so far from the middle is inside.
    public var radius: Distance
    /// When, and of which devices, it is watched; nil for always, and of all.
    public var watch: Watch?

    /// When, and of which devices, a geofence is watched, in the time of their fixes: before, it is as if there were none,
    /// and afterwards as if it were removed.
    public struct Watch: Hashable, Sendable, Codable {
        /// The first moment.
        public var since: Timestamp
        /// The last moment.
        public var until: Timestamp
        /// The names of the devices.
        public var devices: [String]

        /// A time and some devices.
        public init(since: Timestamp, until: Timestamp, devices: [String]) {
            self.since = since
            self.until = until
            self.devices = devices
        }

        /// Whether a geofence is watched, and why not.
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

    /// A circle around a place.
    public init(identity: Identity, title: String, center: Coordinate, radius: Distance) {
        self.identity = identity
        self.title = title
        self.center = center
        self.radius = radius
    }
}
